//===- OutputFile.cpp - Writes files whole or not at all ------------------===//
//
//   open a file without a name in the target's folder, write it, fsync it, give
//   it a random name, rename that to the target
//
// The data must be on disk before the rename: after a power cut, a renamed file
// without its data would have replaced a good one.  An unnamed file disappears
// with its process, however that ends.  File systems without unnamed files get
// the random name from the start, and signals that can be caught remove it.
//
//===----------------------------------------------------------------------===//
#include "frontend/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace mlir;
namespace fs = llvm::sys::fs;

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

static std::error_code writeAll(int file, StringRef text) {
  while (!text.empty()) {
    // Linux writes at most 2 GiB per call.
    ssize_t count =
        ::write(file, text.data(), std::min(text.size(), size_t{1} << 30));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return lastError();
    text = text.drop_front(count);
  }
  return {};
}

static llvm::Error cannotWrite(StringRef path, std::error_code error) {
  return llvm::createStringError("cannot write " + path + ": " +
                                 error.message());
}

/// Returns true for a pipe or a device, which cannot be replaced by a rename.
static bool isWrittenThrough(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

static std::error_code writeThrough(const std::string &path,
                                    StringRef content) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return lastError();
  std::error_code error = writeAll(file, content);
  if (::close(file) != 0 && !error)
    error = lastError();
  return error;
}

/// Resolves links to the final target, which need not exist: renaming onto a
/// link would replace the link.
static std::string followLinks(StringRef path) {
  std::filesystem::path target = path.str();
  std::error_code error;
  // Linux follows as many links.
  for (int i = 0; i < 40; ++i) {
    std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error)
      break;
    target = target.parent_path() / next;
  }
  return target.string();
}

static std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

namespace {

/// A file that does not have its final name yet.
class Draft {
public:
  Draft(std::string target, bool executable)
      : target(std::move(target)), executable(executable) {}
  ~Draft() {
    if (file >= 0)
      ::close(file);
    if (!name.empty()) {
      ::unlink(name.c_str());
      llvm::sys::DontRemoveFileOnSignal(name);
    }
  }

  std::error_code open() {
    mode_t mode = executable ? 0777 : 0666; // less umask
    if (::access("/proc/self/fd", X_OK) == 0)
      file = ::open(folderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC,
                    mode);
    if (file >= 0)
      return {};
    return tryNames([&](const char *free) {
      file = ::open(free, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
      return file >= 0;
    });
  }

  std::error_code write(StringRef content) {
    if (std::error_code error = writeAll(file, content))
      return error;
    if (std::error_code error = takeAfterOlder())
      return error;
    return ::fsync(file) == 0 ? std::error_code() : lastError();
  }

  std::error_code putInPlace() {
    if (name.empty()) {
      std::string self = "/proc/self/fd/" + std::to_string(file);
      if (std::error_code error = tryNames([&](const char *free) {
            return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, free,
                            AT_SYMLINK_FOLLOW) == 0;
          }))
        return error;
    }
    // Network file systems report a full disk only here.
    if (::close(std::exchange(file, -1)) != 0)
      return lastError();
    if (::rename(name.c_str(), target.c_str()) != 0)
      return lastError();
    llvm::sys::DontRemoveFileOnSignal(name);
    name.clear();
    return {};
  }

private:
  std::string target;
  bool executable;
  int file = -1;
  std::string name; ///< "" while the file has none

  /// Calls `make` with random names in the target's folder until one is free.
  std::error_code tryNames(llvm::function_ref<bool(const char *)> make) {
    std::random_device random;
    for (int i = 0; i < 100; ++i) {
      uint64_t number = uint64_t(random()) << 32 | random();
      std::string free = target + ".tmp." + llvm::utohexstr(number, true, 16);
      // Registered before the file exists: a signal may arrive in between.
      llvm::sys::RemoveFileOnSignal(free);
      if (make(free.c_str())) {
        name = free;
        return {};
      }
      std::error_code error = lastError();
      llvm::sys::DontRemoveFileOnSignal(free);
      if (error != std::errc::file_exists)
        return error;
    }
    return std::make_error_code(std::errc::file_exists);
  }

  /// Copies the owner and the mode of the file that this one replaces.
  std::error_code takeAfterOlder() {
    struct stat older, mine;
    if (::stat(target.c_str(), &older) != 0)
      return {};
    if (::fstat(file, &mine) != 0)
      return lastError();
    // Without the right to change the owner, the file keeps its own.
    if ((older.st_uid != mine.st_uid || older.st_gid != mine.st_gid) &&
        ::fchown(file, older.st_uid, older.st_gid) != 0 && errno != EPERM)
      return lastError();
    mode_t mode = older.st_mode & 0777;
    if (executable)
      mode |= (mode & 0444) >> 2;
    return ::fchmod(file, mode) == 0 ? std::error_code() : lastError();
  }
};

} // namespace

llvm::Error frontend::checkOutput(StringRef path) {
  if (path == "-")
    return llvm::Error::success();
  if (fs::is_directory(path))
    return llvm::createStringError("cannot write " + path +
                                   ": it is a folder; name a file in it");
  std::string target = followLinks(path);
  std::string needed = isWrittenThrough(target) ? target : folderOf(target);
  if (::access(needed.c_str(), W_OK) != 0)
    return cannotWrite(path, lastError());
  return llvm::Error::success();
}

llvm::Error frontend::writeOutput(StringRef path, StringRef content,
                                  bool executable) {
  if (path == "-") {
    std::error_code error = writeAll(STDOUT_FILENO, content);
    return error ? cannotWrite("to the standard output", error)
                 : llvm::Error::success();
  }
  if (llvm::Error error = checkOutput(path))
    return error;
  std::string target = followLinks(path);
  std::error_code error;
  if (isWrittenThrough(target)) {
    error = writeThrough(target, content);
  } else {
    Draft draft(target, executable);
    error = draft.open();
    if (!error)
      error = draft.write(content);
    if (!error)
      error = draft.putInPlace();
  }
  return error ? cannotWrite(path, error) : llvm::Error::success();
}
