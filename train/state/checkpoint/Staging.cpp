//===- Staging.cpp - Memory for copies of state ---------------------------===//
#include "train/state/checkpoint/Staging.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <sys/mman.h>

using namespace zrt;

Staging::Staging(uint64_t bytes)
    : count(std::max<uint64_t>(1, (bytes + kCheckpointBlock - 1) /
                                      kCheckpointBlock)) {
  void *mapped = mmap(nullptr, this->bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    fail("cannot take {} for copies of what is saved: {}; give less with "
         "--checkpoint-memory",
         shownBytes(this->bytes()), errnoText());
  base = static_cast<std::byte *>(mapped);
  (void)madvise(base, this->bytes(), MADV_HUGEPAGE);
  // Populate the pages now rather than during the first checkpoint.  Older
  // kernels cannot, and populate them then.
  (void)madvise(base, this->bytes(), MADV_POPULATE_WRITE);
}

Staging::~Staging() { munmap(base, bytes()); }
