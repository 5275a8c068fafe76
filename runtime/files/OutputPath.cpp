//===- OutputPath.cpp - Classifies the path of an output ------------------===//
#include "runtime/files/OutputPath.h"

#include "runtime/files/OpenFile.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <poll.h>
#include <tuple>
#include <unistd.h>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string &path, const char *why) {
  fail("cannot write {}: {}", path, why);
}

std::string folderOf(const std::string &path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Opens an existing file for writing.  The kernel applies its rules about
/// other users' links in shared folders; errno if it denies access.
int openOld(const std::string &path, bool awaitReader) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY |
                               (awaitReader ? 0 : O_NONBLOCK));
  // From here on, writes to a FIFO block until the reader reads.
  if (file >= 0)
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

std::string whyNot(const struct stat &info) {
  // open() fails with ENXIO for a FIFO without a reader.
  if (errno == ENXIO && S_ISFIFO(info.st_mode))
    return "nobody reads this FIFO";
  return errnoText();
}

bool isSame(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Identifies a file, even one that does not exist yet.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identityOf(const std::string &path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISCHR(info.st_mode))
      return std::nullopt;
    return Identity(info.st_dev, info.st_ino, "");
  }
  if (stat(folderOf(path).c_str(), &info) != 0)
    return std::nullopt;
  return Identity(info.st_dev, info.st_ino, fs::path(path).filename().string());
}

} // namespace

OutputPath::OutputPath(const std::string &path) : real(path) {
  if (path.empty() || path.back() == '/')
    fail("cannot write \"{}\": it names no file", path);
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT)
      refuse(path, errnoText().c_str());
    if (struct stat link = {}; lstat(path.c_str(), &link) == 0)
      refuse(path, "it is a link to a file that does not exist; name the file "
                   "itself");
    return;
  }
  exists = true;
  if (S_ISDIR(info.st_mode))
    refuse(path, "it is a folder");
  if (S_ISSOCK(info.st_mode))
    refuse(path, "it is a socket");
  if (isStream()) {
    if (access(path.c_str(), W_OK) != 0)
      refuse(path, errnoText().c_str());
    return;
  }
  const OpenFile file(openOld(path, /*awaitReader=*/false));
  if (!file)
    refuse(path, errnoText().c_str());
  fstat(file.number(), &info);
  const std::unique_ptr<char, decltype(&std::free)> resolved(
      realpath(path.c_str(), nullptr), std::free);
  struct stat found = {};
  if (!resolved || stat(resolved.get(), &found) != 0 || !isSame(found, info))
    refuse(path, "it cannot be found a second time");
  real = resolved.get();
}

std::string OutputPath::folder() const { return folderOf(real); }

std::string OutputPath::name() const {
  return fs::path(real).filename().string();
}

int OutputPath::open(bool awaitReader) const {
  const int file =
      isNew() ? ::open(real.c_str(),
                       O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
              : openOld(real, awaitReader);
  if (file >= 0)
    return file;
  if (isNew())
    fail("cannot write {}: {}; choose a folder that exists and is writable",
         real, errnoText());
  refuse(real, whyNot(info).c_str());
}

bool zrt::isSameFile(const std::string &path, const std::string &other) {
  const auto one = identityOf(path), two = identityOf(other);
  return one && two && *one == *two;
}

bool zrt::isOpenAs(const std::string &path, int descriptor) {
  struct stat named = {}, opened = {};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         S_ISREG(named.st_mode) && isSame(named, opened);
}

bool zrt::syncFolder(const std::string &folder) {
  const OpenFile handle(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder (EINVAL).
  return handle && (fsync(handle.number()) == 0 || errno == EINVAL);
}

bool zrt::writeAll(int descriptor, const void *data, size_t size) {
  const auto *bytes = static_cast<const char *>(data);
  while (size > 0) {
    // Linux writes at most 2 GiB per call.
    const ssize_t count =
        ::write(descriptor, bytes, std::min(size, size_t{1} << 30));
    if (count < 0 && errno == EINTR)
      continue;
    // A nonblocking pipe is full.
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd room = {descriptor, POLLOUT, 0};
      if (poll(&room, 1, -1) >= 0 || errno == EINTR)
        continue;
    }
    if (count < 0)
      return false;
    bytes += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}
