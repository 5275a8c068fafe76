//===- Processors.cpp - The processors that a thread may use --------------===//
#include "runtime/system/Processors.h"

#include <algorithm>
#include <cstddef>
#include <sched.h>

using namespace zrt;

std::vector<int> zrt::availableProcessors() {
  // More processors than CPU_SETSIZE need a larger set.
  for (int most = CPU_SETSIZE; most <= (1 << 20); most *= 4) {
    cpu_set_t *set = CPU_ALLOC(size_t(most));
    if (!set)
      break;
    const size_t bytes = CPU_ALLOC_SIZE(size_t(most));
    std::vector<int> found;
    if (sched_getaffinity(0, bytes, set) == 0)
      for (int i = 0; i < most; ++i)
        if (CPU_ISSET_S(size_t(i), bytes, set))
          found.push_back(i);
    CPU_FREE(set);
    if (!found.empty())
      return found;
  }
  return {0};
}

bool zrt::useProcessors(const std::vector<int> &processors) {
  const auto most = size_t(std::ranges::max(processors)) + 1;
  cpu_set_t *set = CPU_ALLOC(most);
  if (!set)
    return false;
  const size_t bytes = CPU_ALLOC_SIZE(most);
  CPU_ZERO_S(bytes, set);
  for (const int number : processors)
    CPU_SET_S(size_t(number), bytes, set);
  const bool isSet = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return isSet;
}
