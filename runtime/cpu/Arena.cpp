//===- Arena.cpp - The bytes of one tier ----------------------------------===//
//
// Arenas of 2 MiB and more start at a multiple of 2 MiB and ask for huge pages:
// a huge page must lie inside the mapping whole, and a step that walks
// gigabytes in 4 KiB pages spends its time on page tables.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Arena.h"

#include "runtime/Error.h"
#include "runtime/zrt.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace zrt;

namespace {
constexpr uint64_t kHugePage = uint64_t{2} << 20;

uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
} // namespace

const char *zrt::tierName(uint32_t tier) {
  static const char *const names[ZRT_TIER_COUNT] = {"device", "host", "nvme"};
  return tier < ZRT_TIER_COUNT ? names[tier] : "unknown";
}

void Arena::allocate(uint64_t size, uint32_t tier, uint64_t exportedBegin) {
  if (size == 0)
    return;
  if (size > (uint64_t{1} << 62))
    fail("the {} arena of {} bytes is larger than any address space",
         tierName(tier), size);
  const bool huge = size >= kHugePage;
  const uint64_t page =
      huge ? kHugePage : static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t wanted = roundUp(size, page);
  // mmap aligns to small pages only: take one huge page more and trim.
  const uint64_t reserved = huge ? wanted + kHugePage : wanted;
  void *memory = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    fail("cannot map {} bytes for the {} arena: {}; compile with a smaller "
         "batch or offload state to another tier",
         size, tierName(tier), errnoText());
  auto *start = static_cast<std::byte *>(memory);
  if (huge) {
    const auto address = reinterpret_cast<uint64_t>(start);
    const uint64_t head = roundUp(address, kHugePage) - address;
    const uint64_t tail = kHugePage - head;
    if (head)
      munmap(start, head);
    if (tail)
      munmap(start + head + wanted, tail);
    start += head;
    // A wish: without huge pages the arena is slower, not wrong.
    (void)madvise(start, wanted, MADV_HUGEPAGE);
  }
  base = start;
  bytes = size;
  mapped = wanted;
  if (exportedBegin < size)
    exportFrom(exportedBegin, tierName(tier));
}

void Arena::exportFrom(uint64_t begin, const char *name) {
  // The file starts at a huge page, so that a page of it is aligned alike in
  // the file and in memory; its first bytes, before `begin`, stay a hole.
  fileBegin = mapped >= kHugePage ? begin / kHugePage * kHugePage : begin;
  file.create(fmt::format("zrt-{}", name).c_str(), mapped - fileBegin);
  if (mmap(base + begin, mapped - begin, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, file.number(),
           static_cast<off_t>(begin - fileBegin)) == MAP_FAILED)
    fail("cannot map {} shared bytes of the {} arena: {}", mapped - begin, name,
         errnoText());
  if (mapped >= kHugePage)
    (void)madvise(base + begin, mapped - begin, MADV_HUGEPAGE);
}

Arena::~Arena() {
  if (base)
    munmap(base, mapped);
}
