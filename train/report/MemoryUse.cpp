//===- MemoryUse.cpp - Peak memory of the process -------------------------===//
//
// VmHWM of /proc/self/status.  getrusage's ru_maxrss survives exec, so it can
// report the shell that started us.
//
//===----------------------------------------------------------------------===//
#include "train/report/MemoryUse.h"

#include <cstdlib>
#include <fstream>
#include <string>

uint64_t zrt::peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}
