//===- TextFile.cpp - A file that is read sequentially --------------------===//
#include "tools/tokenize/TextFile.h"

#include "runtime/Error.h"

#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

using namespace zrt;

constexpr size_t kBlockBytes = size_t{256} << 10;
/// A byte order mark, which some editors write before a text.
constexpr std::string_view kMark = "\xef\xbb\xbf";

TextFile::TextFile(const std::string &aPath) : path(aPath) {
  descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail("cannot read {}: {}", path, errnoText());
  if (!path.ends_with(".gz"))
    return;
  packed = gzdopen(descriptor, "rb");
  if (!packed)
    fail("cannot read {}: out of memory", path);
  gzbuffer(packed, kBlockBytes);
  if (gzdirect(packed))
    fail("{} is not packed by gzip; give it another name", path);
}

TextFile::~TextFile() {
  if (packed)
    gzclose(packed);
  else if (descriptor >= 0)
    close(descriptor);
}

size_t TextFile::readInto(char *to, size_t size) {
  if (packed) {
    const int bytes = gzread(packed, to, unsigned(size));
    int status = Z_OK;
    const std::string what = gzerror(packed, &status);
    if (bytes < 0 || (bytes == 0 && status != Z_OK && status != Z_STREAM_END))
      fail("{} is cut short or damaged: {}", path,
           status == Z_ERRNO ? errnoText() : what);
    return size_t(bytes);
  }
  ssize_t bytes = 0;
  do
    bytes = ::read(descriptor, to, size);
  while (bytes < 0 && errno == EINTR);
  if (bytes < 0)
    fail("cannot read {}: {}", path, errnoText());
  return size_t(bytes);
}

bool TextFile::readMore(std::string &text) {
  const size_t before = text.size();
  text.resize(before + kBlockBytes);
  text.resize(before + readInto(text.data() + before, kBlockBytes));
  const bool isFirst = !std::exchange(isBegun, true);
  if (isFirst && std::string_view(text).substr(before).starts_with(kMark)) {
    text.erase(before, kMark.size());
    return text.size() > before || readMore(text);
  }
  return text.size() > before;
}
