//===- AtomicFile.cpp - A file that appears whole or not at all -----------===//
//
//   write a temporary file, fsync it, rename it to PATH, fsync the folder
//
// The data must be on disk before the name: after a power cut a renamed file
// without its data would have replaced a good one.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/AtomicFile.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

using namespace zrt;

AtomicFile::AtomicFile(const std::string &path) : target(path) {
  if (target.isStream())
    stream = target.open(/*awaitReader=*/true);
  else
    temporary.emplace(target);
}

AtomicFile::~AtomicFile() {
  if (stream >= 0)
    close(stream);
}

void AtomicFile::failWith(const char *what) {
  fail("cannot {} {}: {}{}", what, target.path(), errnoText(),
       temporary && !target.isNew() ? "; the old file is unchanged" : "");
}

void AtomicFile::reserve(uint64_t bytes) {
  // Some file systems cannot tell.
  if (fallocate(descriptor(), 0, 0, static_cast<off_t>(bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    failWith(fmt::format("find room for the {} of", shownBytes(bytes)).c_str());
}

void AtomicFile::write(const void *data, size_t size) {
  if (!writeAll(descriptor(), data, size))
    failWith("write");
}

void AtomicFile::overwrite(uint64_t offset, const void *data, size_t size) {
  if (!temporary)
    fail("cannot write the beginning of {} again: it is a device or a FIFO",
         target.path());
  const off_t end = lseek(descriptor(), 0, SEEK_CUR);
  if (end < 0 || lseek(descriptor(), off_t(offset), SEEK_SET) < 0 ||
      !writeAll(descriptor(), data, size) ||
      lseek(descriptor(), end, SEEK_SET) < 0)
    failWith("write");
}

void AtomicFile::commit() {
  // Devices that have nothing to sync say EINVAL, as pipes do.
  if (fsync(descriptor()) != 0 && !(target.isStream() && errno == EINVAL))
    failWith("write");
  if (!temporary) {
    // Its reader waits for this.
    if (close(std::exchange(stream, -1)) != 0)
      failWith("write");
    return;
  }
  temporary->replaceTarget();
  const std::string folder = target.folder();
  const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot sync a folder (EINVAL); the file itself is safe.
  const bool synced = handle >= 0 && (fsync(handle) == 0 || errno == EINVAL);
  const int number = errno;
  if (handle >= 0)
    close(handle);
  if (!synced)
    fail("{} is written, but its folder {} could not be synced: {}",
         target.path(), folder, errnoText(number));
}

void zrt::checkWritable(const std::string &path, uint64_t bytes) {
  // A reader would take an open and a close for the end.
  if (!OutputPath(path).isStream())
    AtomicFile(path).reserve(bytes);
}
