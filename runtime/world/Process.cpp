//===- Process.cpp - Identity and state of processes ----------------------===//
#include "runtime/world/Process.h"

#include "runtime/hash/Hash.h"

#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/stat.h>

using namespace zrt;

namespace {

struct Status {
  char state = 'X'; ///< the state of a process that is gone
  uint64_t start = 0;
};

Status statusOf(int32_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  Status status;
  if (!std::getline(file, line))
    return status;
  // "1234 (name) S ...": the name may contain anything, so fields are counted
  // from its closing parenthesis.  The state is field 3, the start field 22.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  fields >> status.state;
  for (int field = 4; field < 22; ++field)
    fields >> skipped;
  fields >> status.start;
  return status;
}

} // namespace

uint64_t zrt::processStart(int32_t process) {
  const Status status = statusOf(process);
  return status.state == 'Z' || status.state == 'X' ? 0 : status.start;
}

bool zrt::isStopped(int32_t process) {
  const char state = statusOf(process).state;
  return state == 'T' || state == 't';
}

uint64_t zrt::processSpace() {
  struct stat info = {};
  return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

uint64_t zrt::hostIdentity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return Hash::of(text);
}

uint64_t zrt::affinityIdentity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0
             ? Hash::of({reinterpret_cast<const char *>(&set), sizeof set})
             : Hash::kStart;
}
