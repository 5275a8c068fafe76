//===- Arena.cpp - The memory of one tier ---------------------------------===//
#include "runtime/device/memory/Arena.h"

#include "runtime/device/memory/Pages.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <sys/mman.h>

using namespace zrt;

void Arena::allocate(uint64_t size, uint32_t tier, uint64_t exportedBegin,
                     bool isGuarded) {
  if (size == 0)
    return;
  if (size > (uint64_t{1} << 62))
    fail("the {} arena of {} is larger than any address space", tierName(tier),
         shownBytes(size));
  const Pages pages = mapPages(size);
  if (!pages.at)
    fail("cannot map {} for the {} arena: {}; compile with a smaller "
         "batch or offload state to another tier",
         shownBytes(size), tierName(tier), errnoText());
  base = pages.at;
  bytes = size;
  mapped = pages.bytes;
  if (exportedBegin < size)
    exportFrom(exportedBegin, tierName(tier));
  if (isGuarded)
    addHostView(file.number() < 0 ? mapped : exportedBegin, tierName(tier));
}

void Arena::exportFrom(uint64_t begin, const char *name) {
  // The file starts at a huge page, so that its huge pages have the same
  // alignment in the file and in memory.  Its first bytes, before `begin`, stay
  // a hole.
  fileBegin = mapped >= kHugePage ? begin / kHugePage * kHugePage : begin;
  file.create(fmt::format("zrt-{}", name).c_str(), mapped - fileBegin);
  if (mmap(base + begin, mapped - begin, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, file.number(),
           static_cast<off_t>(begin - fileBegin)) == MAP_FAILED)
    fail("cannot map {} of the {} arena as shared memory: {}",
         shownBytes(mapped - begin), name, errnoText());
  if (mapped >= kHugePage)
    (void)madvise(base + begin, mapped - begin, MADV_HUGEPAGE);
}

void Arena::addHostView(uint64_t begin, const char *name) {
  host = mapPages(mapped).at;
  // Only shared memory can be mapped twice.
  bool isMapped =
      host && (begin == 0 || mmap(base, begin, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
                                  0) != MAP_FAILED);
  const auto again = [&](uint64_t at, uint64_t size) {
    // With an old size of 0, mremap creates a second mapping of the same pages.
    isMapped = isMapped && (size == 0 || mremap(base + at, 0, size,
                                                MREMAP_MAYMOVE | MREMAP_FIXED,
                                                host + at) != MAP_FAILED);
  };
  again(0, begin);
  again(begin, mapped - begin);
  if (!isMapped)
    fail("cannot map {} of the {} arena twice: {}", shownBytes(mapped), name,
         errnoText());
  close();
}

void Arena::protect(int access) {
  if (host && mprotect(base, mapped, access) != 0)
    fail("cannot protect an arena of {}: {}", shownBytes(bytes), errnoText());
}

void Arena::open() { protect(PROT_READ | PROT_WRITE); }
void Arena::close() { protect(PROT_NONE); }

Arena::~Arena() {
  for (std::byte *view : {base, host})
    if (view)
      munmap(view, mapped);
}
