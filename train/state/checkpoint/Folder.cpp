//===- Folder.cpp - The folder that holds a run's checkpoints -------------===//
#include "train/state/checkpoint/Folder.h"

#include "runtime/files/OutputPath.h"
#include "runtime/files/TemporaryName.h"
#include "runtime/text/Error.h"
#include "train/state/checkpoint/Manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kName = "step-";
constexpr const char *kLock = "/.lock";

/// N of "step-N", or -1.
int64_t stepOf(std::string_view name) {
  if (name.substr(0, kName.size()) != kName)
    return -1;
  name.remove_prefix(kName.size());
  int64_t step = 0;
  const auto [stop, error] = std::from_chars(name.begin(), name.end(), step);
  const bool isStep = error == std::errc() && stop == name.end() && step >= 0 &&
                      name == std::to_string(step);
  return isStep ? step : -1;
}

/// Returns true for the temporary name of "step-N".
bool isTemporary(std::string_view name) {
  const auto target = nameOfTemporary(name);
  return target && stepOf(*target) >= 0;
}

std::string hostName() {
  std::array<char, 256> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts = {};
  std::array<char, 32> text = {};
  if (!gmtime_r(&time, &parts) ||
      std::strftime(text.data(), text.size(), "%F %T UTC", &parts) == 0)
    return "?";
  return text.data();
}

std::string readAll(int file) {
  std::array<char, 512> text = {};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  std::string read(text.data(), size > 0 ? size_t(size) : 0);
  while (!read.empty() && read.back() == '\n')
    read.pop_back();
  return read;
}

} // namespace

std::vector<int64_t> zrt::checkpointSteps(const std::string &folder) {
  std::vector<int64_t> steps;
  std::error_code error, unreadable;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const int64_t step = stepOf(entry->path().filename().string());
        step >= 0 && fs::exists(entry->path() / kManifestName, unreadable))
      steps.push_back(step);
  if (error)
    fail("cannot read the folder {}: {}", folder, errnoText(error.value()));
  std::ranges::sort(steps);
  return steps;
}

std::string zrt::checkpointPath(const std::string &folder, int64_t step) {
  return fmt::format("{}/{}{}", folder, kName, step);
}

CheckpointFolder::CheckpointFolder(const std::string &path, bool isForced)
    : folder(path) {
  std::error_code error;
  if (!isForced && fs::is_directory(folder, error) &&
      !fs::is_empty(folder, error) && !fs::exists(folder + kLock, error) &&
      checkpointSteps(folder).empty())
    fail("{} is not empty, and no run of zeroc wrote it; name another folder "
         "for checkpoints, or write into this one with --force",
         folder);
  fs::create_directories(folder, error);
  if (error)
    fail("cannot make the folder {} for checkpoints: {}", folder,
         errnoText(error.value()));
  lock();
  // Fail now rather than at the first save, hours later.
  const std::string probe = begin(0);
  rmdir(probe.c_str());
}

void CheckpointFolder::lock() {
  const std::string path = folder + kLock;
  lockFile = OpenFile(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!lockFile)
    fail("cannot write checkpoints to {}: {}", folder, errnoText());
  const auto take = [&] {
    return flock(lockFile.number(), LOCK_EX | LOCK_NB) == 0;
  };
  bool isTaken = take();
  // A run that has just been killed may hold it until its memory is released.
  for (int look = 0; !isTaken && errno == EWOULDBLOCK && look < 50; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    isTaken = take();
  }
  if (isTaken)
    removeLeftovers();
  else if (errno == EWOULDBLOCK)
    fail("the checkpoints in {} are another run's, which is still there: {}; "
         "give each run its own folder",
         folder, shown(readAll(lockFile.number())));
  // Without working locks, do not remove what may be another run's work.
  const std::string owner =
      fmt::format("process {} on {} since {}\n", getpid(), hostName(), now());
  (void)!ftruncate(lockFile.number(), 0);
  (void)!pwrite(lockFile.number(), owner.data(), owner.size(), 0);
}

void CheckpointFolder::removeLeftovers() const {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (isTemporary(entry->path().filename().string()))
      left.push_back(entry->path());
  for (const fs::path &path : left)
    fs::remove_all(path, error);
}

uint64_t CheckpointFolder::freeBytes() const {
  struct statvfs info = {};
  if (statvfs(folder.c_str(), &info) != 0)
    return UINT64_MAX;
  return uint64_t(info.f_bavail) * info.f_frsize;
}

std::string CheckpointFolder::temporaryPath(int64_t step) const {
  return folder + "/" + temporaryName(fmt::format("{}{}", kName, step));
}

std::string CheckpointFolder::begin(int64_t step) const {
  std::string path = temporaryPath(step);
  if (mkdir(path.c_str(), 0777) != 0)
    fail("cannot write checkpoints to {}: {}", folder, errnoText());
  return path;
}

void CheckpointFolder::commit(const std::string &temporary, int64_t step,
                              CheckpointFaults &faults) const {
  const std::string path = checkpointPath(folder, step);
  errno = faults.reach("rename");
  if (errno != 0 || std::rename(temporary.c_str(), path.c_str()) != 0)
    fail("cannot rename {} to {}: {}", temporary, path, errnoText());
  (void)faults.reach("renamed");
  if (!syncFolder(folder))
    fail("{} is written, but its folder could not be synced: {}", path,
         errnoText());
}

void CheckpointFolder::discard(const std::string &temporary) const {
  std::error_code error;
  fs::remove_all(temporary, error);
}

void CheckpointFolder::keepNewest(int64_t keep, CheckpointFaults &faults,
                                  int64_t best) const {
  std::vector<int64_t> steps = checkpointSteps(folder);
  for (size_t i = 0; i + size_t(keep) < steps.size(); ++i) {
    if (steps[i] == best)
      continue;
    const std::string away = temporaryPath(steps[i]);
    if (std::rename(checkpointPath(folder, steps[i]).c_str(), away.c_str()) !=
        0)
      continue;
    (void)faults.reach("remove");
    discard(away);
  }
}
