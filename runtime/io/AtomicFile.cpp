//===- AtomicFile.cpp - A file that appears whole or not at all -----------===//
//
//   write PATH.tmp.<pid>, fsync it, rename it to PATH, fsync the folder
//
// The data must be on disk before the name: after a power cut a renamed file
// without its data would have replaced a good one.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/AtomicFile.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

std::string folderOf(const std::string &path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// `path` with symbolic links followed: a rename onto a link would replace the
/// link and leave the file it names as it was.
std::string resolve(const std::string &path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored))
    return path;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  return ignored ? path : resolved.string();
}

} // namespace

AtomicFile::AtomicFile(const std::string &path) : target(resolve(path)) {
  struct stat info = {};
  // A rename would replace a device by a file.
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    fail("cannot write {}: it exists and is not a regular file", target);
  if (target.empty() || target.back() == '/')
    fail("cannot write \"{}\": it names no file", target);
  temporary = target + ".tmp." + std::to_string(getpid());
  // Left behind by a killed process that had our number.
  unlink(temporary.c_str());
  file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    temporary.clear();
    fail("cannot write {}: {} in {}; choose a folder that exists and is "
         "writable",
         target, errnoText(), folderOf(target));
  }
}

AtomicFile::~AtomicFile() {
  if (file >= 0)
    close(file);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void AtomicFile::failWith(const char *what) {
  const std::string reason = errnoText();
  struct stat info = {};
  const bool old = stat(target.c_str(), &info) == 0;
  fail("cannot {} {}: {}{}", what, target, reason,
       old ? "; the old file is unchanged" : "");
}

void AtomicFile::write(const void *data, size_t size) {
  const auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    // Linux takes at most 2 GiB at once.
    const ssize_t count = ::write(file, bytes, std::min(size, size_t{1} << 30));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      failWith("write");
    bytes += count;
    size -= static_cast<size_t>(count);
  }
}

void AtomicFile::commit() {
  if (fsync(file) != 0)
    failWith("write");
  const int closing = file;
  file = -1;
  // Network file systems report a full disk here.
  if (close(closing) != 0)
    failWith("write");
  if (std::rename(temporary.c_str(), target.c_str()) != 0)
    failWith("rename the finished file to");
  temporary.clear();
  const std::string folder = folderOf(target);
  const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync a folder (EINVAL); the file itself is safe.
  const bool synced = handle >= 0 && (fsync(handle) == 0 || errno == EINVAL);
  const int number = errno;
  if (handle >= 0)
    close(handle);
  if (!synced)
    fail("{} is written, but its folder {} could not be synced: {}", target,
         folder, errnoText(number));
}

void zrt::checkWritable(const std::string &path) { AtomicFile probe(path); }
