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

void Arena::allocate(uint64_t size, uint32_t tier) {
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
}

Arena::~Arena() {
  if (base)
    munmap(base, mapped);
}
