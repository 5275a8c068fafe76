//===- TemporaryFile.cpp - A file that will replace another one -----------===//
#include "runtime/files/TemporaryFile.h"

#include "runtime/files/TemporaryName.h"
#include "runtime/text/Error.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

/// The target in temporary names, which have at most 255 bytes.
std::string nameFor(const OutputPath &target) {
  return target.name().substr(0, 200);
}

/// Returns true if `path` still names the file that is open as `file`.
bool isAt(const std::string &path, int file) {
  struct stat named = {}, opened = {};
  return lstat(path.c_str(), &named) == 0 && fstat(file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Removes `path` unless a process holds its lock or another user owns it.
void removeIfLeft(const std::string &path) {
  const OpenFile left(
      open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const int file = left.number();
  struct stat info = {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_uid == geteuid() && flock(file, LOCK_EX | LOCK_NB) == 0 &&
      isAt(path, file))
    unlink(path.c_str());
}

void removeLeftovers(const OutputPath &target) {
  const std::string own = nameFor(target);
  std::error_code error;
  for (fs::directory_iterator entry(target.folder(), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (nameOfTemporary(name) == own)
      removeIfLeft(entry->path().string());
  }
}

} // namespace

TemporaryFile::TemporaryFile(const OutputPath &target) : target(target) {
  removeLeftovers(target);
  while (true) {
    path = target.folder() + "/" + temporaryName(nameFor(target));
    // takeMode() sets an old file's mode later; until then only we can read it.
    file = OpenFile(open(path.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         target.isNew() ? 0666 : 0600));
    if (!file && errno != EEXIST) {
      path.clear();
      fail("cannot write {}: {} in {}; choose a folder that exists and is "
           "writable",
           target.path(), errnoText(), target.folder());
    }
    // Before it is locked, another process may remove it as a leftover.  On
    // file systems without locks no process removes leftovers.
    if (file &&
        !(flock(descriptor(), LOCK_EX | LOCK_NB) != 0 &&
          errno == EWOULDBLOCK) &&
        isAt(path, descriptor()))
      break;
  }
  if (!target.isNew())
    takeMode();
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    unlink(path.c_str());
}

void TemporaryFile::takeMode() {
  const struct stat &old = target.status();
  mode_t mode = old.st_mode & 07777;
  // Only root may change a file's owner.  If we cannot set the group, the new
  // group must not get rights that others lack.
  if (fchown(descriptor(), old.st_uid, old.st_gid) != 0 &&
      fchown(descriptor(), static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~mode_t{070} | (mode & 07) << 3;
  // Ignore a failure: such file systems have no modes per file.
  (void)!fchmod(descriptor(), mode);
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
