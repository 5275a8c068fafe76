//===- OutputFile.cpp - Text that appears whole or not at all -------------===//
//
//   write PATH.tmp.XXXXXX, fsync it, rename it to PATH
//
// The data must be on disk before the name: after a power cut a renamed file
// without its data would have replaced a good one.
//
//===----------------------------------------------------------------------===//
#include "frontend/OutputFile.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unistd.h>

using namespace mlir;
namespace fs = llvm::sys::fs;

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

static std::error_code writeAll(int file, StringRef text) {
  while (!text.empty()) {
    // Linux takes at most 2 GiB at once.
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

/// A pipe or a device cannot be renamed onto.
static llvm::Error writeInPlace(StringRef path, StringRef text) {
  int file = -1;
  if (std::error_code error =
          fs::openFileForWrite(path, file, fs::CD_OpenExisting))
    return cannotWrite(path, error);
  std::error_code error = writeAll(file, text);
  if (::close(file) != 0 && !error)
    error = lastError();
  return error ? cannotWrite(path, error) : llvm::Error::success();
}

/// The file that `path` names in the end, which need not exist: a rename onto a
/// link would replace the link.
static std::string followLinks(StringRef path) {
  std::filesystem::path target = path.str();
  std::error_code error;
  // As many links as Linux follows.
  for (int i = 0; i < 40; ++i) {
    std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error)
      break;
    target = target.parent_path() / next;
  }
  return target.string();
}

llvm::Error frontend::writeOutput(StringRef path, StringRef text) {
  if (path == "-") {
    std::error_code error = writeAll(STDOUT_FILENO, text);
    return error ? cannotWrite("to the standard output", error)
                 : llvm::Error::success();
  }
  if (fs::is_directory(path))
    return llvm::createStringError("cannot write " + path +
                                   ": it is a folder; name a file in it");
  fs::file_status status;
  if (!fs::status(path, status) && fs::exists(status) &&
      !fs::is_regular_file(status))
    return writeInPlace(path, text);

  std::string target = followLinks(path);
  auto temporary = fs::TempFile::create(target + ".tmp.%%%%%%");
  if (!temporary)
    return cannotWrite(path, llvm::errorToErrorCode(temporary.takeError()));
  std::error_code error = writeAll(temporary->FD, text);
  if (!error && ::fsync(temporary->FD) != 0)
    error = lastError();
  if (error) {
    llvm::consumeError(temporary->discard());
    return cannotWrite(path, error);
  }
  if (llvm::Error failure = temporary->keep(target))
    return cannotWrite(path, llvm::errorToErrorCode(std::move(failure)));
  return llvm::Error::success();
}
