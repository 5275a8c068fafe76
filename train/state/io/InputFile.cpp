//===- InputFile.cpp - Reads a file in pieces -----------------------------===//
#include "train/state/io/InputFile.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

InputFile::InputFile(const std::string &path)
    : name(path), // without O_NONBLOCK, open() would wait for a FIFO's writer
      file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (!file)
    fail("cannot read {}: {}", path, errnoText());
  struct stat info = {};
  if (fstat(file.number(), &info) != 0)
    fail("cannot read {}: {}", path, errnoText());
  if (!S_ISREG(info.st_mode))
    fail("cannot read {}: it is not a regular file", path);
  bytes = static_cast<uint64_t>(info.st_size);
}

void InputFile::read(uint64_t offset, void *to, uint64_t count) const {
  auto *out = static_cast<char *>(to);
  while (count > 0) {
    // Linux reads at most 2 GiB per call.
    const ssize_t got =
        pread(file.number(), out, std::min(count, uint64_t{1} << 30),
              static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail("cannot read {} at byte {}: {}", name, offset, errnoText());
    if (got == 0) {
      struct stat now = {};
      fail("{} ends at byte {}, but had {} when it was opened; leave it "
           "as it is while it is read",
           name,
           fstat(file.number(), &now) == 0 ? withCommas(uint64_t(now.st_size))
                                           : withCommas(offset),
           shownBytes(bytes));
    }
    out += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<uint64_t>(got);
  }
}
