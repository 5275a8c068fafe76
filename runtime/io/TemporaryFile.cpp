//===- TemporaryFile.cpp - A file that will replace another one -----------===//
#include "runtime/io/TemporaryFile.h"

#include "runtime/Error.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>
#include <utility>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

constexpr size_t kDigits = 16;
constexpr std::string_view kEnding = ".zrt";

/// The prefix of temporary names for `target`.  A name has at most 255 bytes.
std::string beginningFor(const OutputPath &target) {
  return "." + target.name().substr(0, 200) + ".";
}

std::string randomDigits() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != sizeof(number))
    fail("the system gives no random numbers: {}", errnoText());
  return fmt::format("{:0{}x}", number, kDigits);
}

/// Returns true if `path` still names the file that is open as `file`.
bool isAt(const std::string &path, int file) {
  struct stat named = {}, opened = {};
  return lstat(path.c_str(), &named) == 0 && fstat(file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Removes `path` unless a process holds its lock or another user owns it.
void removeIfLeft(const std::string &path) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return;
  struct stat info = {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0 &&
      isAt(path, file))
    unlink(path.c_str());
  close(file);
}

void removeLeftovers(const OutputPath &target) {
  const std::string beginning = beginningFor(target);
  const size_t size = beginning.size() + kDigits + kEnding.size();
  std::error_code error;
  for (fs::directory_iterator entry(target.folder(), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == size && name.rfind(beginning, 0) == 0 &&
        name.find_first_not_of("0123456789abcdef", beginning.size()) ==
            size - kEnding.size() &&
        name.substr(size - kEnding.size()) == kEnding)
      removeIfLeft(entry->path().string());
  }
}

} // namespace

TemporaryFile::TemporaryFile(const OutputPath &target) : target(target) {
  removeLeftovers(target);
  while (true) {
    path = target.folder() + "/" + beginningFor(target) + randomDigits() +
           std::string(kEnding);
    // takeMode() sets an old file's mode later; until then only we can read it.
    file =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
             target.isNew() ? 0666 : 0600);
    if (file < 0 && errno != EEXIST) {
      path.clear();
      fail("cannot write {}: {} in {}; choose a folder that exists and is "
           "writable",
           target.path(), errnoText(), target.folder());
    }
    // Before it is locked, another process may remove it as a leftover.  On
    // file systems without locks no process removes leftovers.
    if (file >= 0 &&
        !(flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) &&
        isAt(path, file))
      break;
    if (file >= 0)
      close(file);
  }
  if (!target.isNew())
    takeMode();
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    unlink(path.c_str());
  close(file); // releases the lock, too
}

void TemporaryFile::takeMode() {
  const struct stat &old = target.status();
  mode_t mode = old.st_mode & 07777;
  // Only root may change a file's owner.  If we cannot set the group, the new
  // group must not get rights that others lack.
  if (fchown(file, old.st_uid, old.st_gid) != 0 &&
      fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~mode_t{070} | (mode & 07) << 3;
  // Ignore a failure: such file systems have no modes per file.
  (void)!fchmod(file, mode);
}

void TemporaryFile::replaceTarget() {
  const std::string from = std::exchange(path, "");
  if (std::rename(from.c_str(), target.path().c_str()) == 0)
    return;
  const std::string reason = errnoText();
  const std::string other = target.path() + "." + randomDigits();
  const bool visible = std::rename(from.c_str(), other.c_str()) == 0;
  fail("cannot put the finished file in the place of {}: {}; it is {}",
       target.path(), reason, visible ? other : from);
}
