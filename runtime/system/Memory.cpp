//===- Memory.cpp - The memory that can still be taken --------------------===//
#include "runtime/system/Memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>

using namespace zrt;

namespace {

/// The number after `key` in a file of lines such as "MemAvailable:  12 kB" or
/// "inactive_file 12".
std::optional<uint64_t> fieldOf(const std::string &path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, unit;
    uint64_t value = 0;
    if (words >> name >> value && name == key)
      return words >> unit && unit == "kB" ? value * 1024 : value;
  }
  return std::nullopt;
}

/// The number in a file; none for "max".
std::optional<uint64_t> numberIn(const std::string &path) {
  uint64_t value = 0;
  if (std::ifstream(path) >> value)
    return value;
  return std::nullopt;
}

/// The files of a version of control groups.
struct GroupFiles {
  const char *mount;
  std::initializer_list<const char *> limits;
  const char *used;
  /// Of memory.stat: what can be dropped.
  std::initializer_list<const char *> caches;
};
// Beyond memory.high processes are slowed down until they hold less.
const GroupFiles kVersion2 = {"/sys/fs/cgroup",
                              {"memory.max", "memory.high"},
                              "memory.current",
                              {"inactive_file", "active_file"}};
const GroupFiles kVersion1 = {"/sys/fs/cgroup/memory",
                              {"memory.limit_in_bytes"},
                              "memory.usage_in_bytes",
                              {"total_inactive_file", "total_active_file"}};

void takeLess(AvailableMemory &least, uint64_t bytes,
              const std::string &source) {
  if (bytes < least.bytes)
    least = {bytes, source};
}

/// Of the control group in `folder`.
void takeGroup(const std::string &folder, const GroupFiles &files,
               AvailableMemory &least) {
  const std::optional<uint64_t> used = numberIn(folder + "/" + files.used);
  if (!used)
    return;
  uint64_t cached = 0;
  for (const char *kind : files.caches)
    cached += fieldOf(folder + "/memory.stat", kind).value_or(0);
  const uint64_t held = *used - std::min(*used, cached);
  for (const char *name : files.limits)
    if (const auto limit = numberIn(folder + "/" + name))
      takeLess(least, *limit - std::min(*limit, held), folder + "/" + name);
}

} // namespace

AvailableMemory zrt::availableMemory(const std::string &root) {
  AvailableMemory least;
  const std::string machine = root + "/proc/meminfo";
  if (const auto bytes = fieldOf(machine, "MemAvailable:"))
    takeLess(least, *bytes, machine);
  // Lines are "4:memory:/group" for version 1, "0::/group" for version 2.  In a
  // container the path may be that of its host, and its folder the mount.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'),
                 second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (second == std::string::npos)
      continue;
    const std::string kinds = "," + line.substr(first + 1, second - first - 1);
    const bool isSecond = line.rfind("0::", 0) == 0;
    if (!isSecond && (kinds + ",").find(",memory,") == std::string::npos)
      continue;
    const GroupFiles &files = isSecond ? kVersion2 : kVersion1;
    // A group is within the limits of those around it, too.
    for (std::string path = line.substr(second + 1);;
         path.resize(path.rfind('/'))) {
      while (!path.empty() && path.back() == '/')
        path.pop_back();
      takeGroup(fmt::format("{}{}{}", root, files.mount, path), files, least);
      if (path.find('/') == std::string::npos)
        break;
    }
  }
  return least;
}

uint64_t zrt::takeableBytes(const AvailableMemory &available) {
  constexpr uint64_t kMostKept = uint64_t{1} << 30;
  return available.bytes - std::min(available.bytes / 20, kMostKept);
}

uint64_t zrt::mostArenaBytes(const AvailableMemory &available, uint64_t ranks) {
  const uint64_t share =
      takeableBytes(available) / std::max(ranks, uint64_t{1});
  return share - std::min(share, kProgramMemory);
}

uint64_t zrt::countMemoryKills(const std::string &root) {
  return fieldOf(root + "/proc/vmstat", "oom_kill").value_or(0);
}
