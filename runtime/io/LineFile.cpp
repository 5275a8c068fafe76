//===- LineFile.cpp - A file that grows line by line ----------------------===//
#include "runtime/io/LineFile.h"

#include "runtime/Error.h"

#include <fcntl.h>
#include <unistd.h>

using namespace zrt;

LineFile::~LineFile() {
  if (file >= 0)
    ::close(file);
}

void LineFile::open(const std::string &path) {
  name = path;
  file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    fail("cannot write {} to {}: {}; choose a folder that exists and is "
         "writable",
         content, path, errnoText());
}

void LineFile::write(std::string_view lines, std::string_view part) {
  while (!lines.empty()) {
    const ssize_t count = ::write(file, lines.data(), lines.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail("cannot write {} of {} to {}: {}", content, part, name, errnoText());
    lines.remove_prefix(static_cast<size_t>(count));
  }
}

void LineFile::close() {
  if (file < 0)
    return;
  const int closing = file;
  file = -1;
  if (::close(closing) != 0)
    fail("cannot finish the {} in {}: {}", content, name, errnoText());
}
