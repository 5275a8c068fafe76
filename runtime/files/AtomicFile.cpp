//===- AtomicFile.cpp - Replaces a file atomically ------------------------===//
//
//   write a temporary file, fsync it, rename it to PATH, fsync the folder
//
// The data must be on disk before the rename: otherwise a file without its data
// could replace a good one after a power cut.
//
//===----------------------------------------------------------------------===//
#include "runtime/files/AtomicFile.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <fcntl.h>
#include <unistd.h>

using namespace zrt;

AtomicFile::AtomicFile(const std::string &path) : target(path) {
  if (target.isStream())
    stream = OpenFile(target.open(/*awaitReader=*/true));
  else
    temporary.emplace(target);
}

void AtomicFile::failWith(const char *what) {
  fail("cannot {} {}: {}{}", what, target.path(), errnoText(),
       temporary && !target.isNew() ? "; the old file is unchanged" : "");
}

void AtomicFile::reserve(uint64_t bytes) {
  // Ignore other errors: some file systems have no fallocate.
  if (fallocate(descriptor(), 0, 0, static_cast<off_t>(bytes)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    failWith(fmt::format("find room for the {} of", shownBytes(bytes)).c_str());
}

void AtomicFile::write(const void *data, size_t size) {
  if (!writeAll(descriptor(), data, size))
    failWith("write");
}

void AtomicFile::commit() {
  // Pipes, and devices that cannot sync, return EINVAL.
  if (fsync(descriptor()) != 0 && !(target.isStream() && errno == EINVAL))
    failWith("write");
  if (!temporary) {
    // The reader waits for the close.
    if (!stream.close())
      failWith("write");
    return;
  }
  temporary->replaceTarget();
  const std::string folder = target.folder();
  if (!syncFolder(folder))
    fail("{} is written, but its folder {} could not be synced: {}",
         target.path(), folder, errnoText());
}

void zrt::replaceFile(const std::string &path, std::string_view text) {
  AtomicFile file(path);
  file.reserve(text.size());
  file.write(text.data(), text.size());
  file.commit();
}

void zrt::checkWritable(const std::string &path, uint64_t bytes) {
  // The reader of a FIFO would see the close as the end.
  if (!OutputPath(path).isStream())
    AtomicFile(path).reserve(bytes);
}
