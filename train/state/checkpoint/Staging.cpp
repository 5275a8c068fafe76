//===- Staging.cpp - Memory for copies of state ---------------------------===//
#include "train/state/checkpoint/Staging.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <fstream>
#include <string>
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

uint64_t zrt::freeMemoryBytes() {
  uint64_t bytes = UINT64_MAX;
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0)
      bytes = std::stoull(line.substr(13)) * 1024;
  // "max" is not a number, so there is no limit then.
  uint64_t limit = 0, used = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit &&
      std::ifstream("/sys/fs/cgroup/memory.current") >> used)
    bytes = std::min(bytes, limit - std::min(limit, used));
  return bytes;
}
