//===- Pages.cpp - Private memory in whole pages --------------------------===//
//
// A huge page must lie completely inside the mapping.  With 4 KiB pages, a step
// that walks through gigabytes would spend its time on page tables.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/memory/Pages.h"

#include "runtime/text/Bytes.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace zrt;

Pages zrt::mapPages(uint64_t bytes) {
  const bool huge = bytes >= kHugePage;
  const uint64_t page =
      huge ? kHugePage : static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t wanted = roundUp(bytes, page);
  // mmap aligns only to small pages, so this maps one more huge page and trims
  // it.
  const uint64_t reserved = huge ? wanted + kHugePage : wanted;
  void *memory = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return {};
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
    // Only a hint: without huge pages memory is slower.
    (void)madvise(start, wanted, MADV_HUGEPAGE);
  }
  return {start, wanted};
}
