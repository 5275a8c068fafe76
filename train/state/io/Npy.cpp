//===- Npy.cpp - Reads NumPy's file format --------------------------------===//
//
// The header is a Python dictionary of three keys, in any order.  The parser
// accepts only the Python syntax that NumPy writes.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/Npy.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

using namespace zrt;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMaxNpyHeaderBytes = 65536;

struct Dtype {
  std::string_view numpy, name;
  uint64_t bytes;
};
constexpr Dtype kNpyDtypes[] = {
    {"<f4", "F32", 4}, {"<f8", "F64", 8}, {"<f2", "F16", 2}, {"|b1", "BOOL", 1},
    {"|i1", "I8", 1},  {"|u1", "U8", 1},  {"<i2", "I16", 2}, {"<u2", "U16", 2},
    {"<i4", "I32", 4}, {"<u4", "U32", 4}, {"<i8", "I64", 8}, {"<u8", "U64", 8},
};

/// Reads a header from its front.
class Header {
public:
  explicit Header(std::string_view text) : rest(text) {}

  bool take(std::string_view token) {
    skipSpace();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string_view> takeString() {
    if (!take("'"))
      return std::nullopt;
    const size_t end = rest.find('\'');
    if (end == std::string_view::npos)
      return std::nullopt;
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return text;
  }

  /// (), (3,) or (3, 4)
  std::optional<std::vector<int64_t>> takeShape() {
    std::vector<int64_t> shape;
    if (!take("("))
      return std::nullopt;
    while (!take(")")) {
      if (!shape.empty() && !take(","))
        return std::nullopt;
      if (take(")"))
        break;
      skipSpace();
      int64_t extent = 0;
      const auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc() || extent < 0)
        return std::nullopt;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      shape.push_back(extent);
    }
    return shape;
  }

  bool isOver() {
    skipSpace();
    return rest.empty();
  }

private:
  void skipSpace() {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n'))
      rest.remove_prefix(1);
  }

  std::string_view rest;
};

struct Described {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<int64_t>> shape;
};

struct Array {
  std::string_view descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// Parses a header; nullopt if it is not such a dictionary.
std::optional<Array> parse(std::string_view text) {
  Header header(text);
  Described found;
  if (!header.take("{"))
    return std::nullopt;
  while (!header.take("}")) {
    const auto key = header.takeString();
    if (!key || !header.take(":"))
      return std::nullopt;
    if (*key == "descr" && !found.descr) {
      found.descr = header.takeString();
    } else if (*key == "fortran_order" && !found.fortran) {
      found.fortran = header.take("True");
      if (!*found.fortran && !header.take("False"))
        return std::nullopt;
    } else if (*key == "shape" && !found.shape) {
      found.shape = header.takeShape();
    } else {
      return std::nullopt;
    }
    if (!header.take(",")) {
      if (!header.take("}"))
        return std::nullopt;
      break;
    }
  }
  if (!header.isOver() || !found.descr || !found.fortran || !found.shape)
    return std::nullopt;
  return Array{*found.descr, *found.fortran, std::move(*found.shape)};
}

const Dtype &findDtype(const std::string &path, std::string_view descr) {
  for (const Dtype &dtype : kNpyDtypes)
    if (dtype.numpy == descr)
      return dtype;
  // Other descriptions belong to records.
  const bool plain = descr.size() <= 8 &&
                     std::all_of(descr.begin(), descr.end(),
                                 [](char c) { return c > ' ' && c < 127; });
  fail("{}: its elements are {}; write numbers of up to 64 bits, little endian "
       "(x.astype('<f4'))",
       path, plain ? descr : "not numbers");
}

} // namespace

bool zrt::isNpy(const InputFile &file) {
  char start[kMagic.size()];
  if (file.size() < sizeof start)
    return false;
  file.read(0, start, sizeof start);
  return std::string_view(start, sizeof start) == kMagic;
}

TensorEntry zrt::readNpy(const InputFile &file) {
  const std::string &path = file.path();
  unsigned char bytes[12];
  const uint64_t size = file.size();
  if (!isNpy(file) || size < sizeof bytes)
    fail("{}: not a NumPy file, or cut short", path);
  file.read(0, bytes, sizeof bytes);
  const unsigned version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0)
    fail("{}: NumPy format {}.{} is unknown; the known ones are 1.0 to 3.0",
         path, version, unsigned(bytes[7]));
  uint64_t begin = 10, length = bytes[8] | uint64_t(bytes[9]) << 8;
  if (version > 1) {
    length |= uint64_t(bytes[10]) << 16 | uint64_t(bytes[11]) << 24;
    begin = 12;
  }
  if (length > kMaxNpyHeaderBytes || length > size - begin)
    fail("{}: not a NumPy file, or cut short: it says its header has {}, "
         "but {} follow",
         path, shownBytes(length), shownBytes(size - begin));
  std::string text(length, '\0');
  file.read(begin, text.data(), length);
  const std::optional<Array> found = parse(text);
  if (!found)
    fail("{}: its NumPy header is not {{'descr': ..., 'fortran_order': ..., "
         "'shape': ...}} of an array of numbers",
         path);
  if (found->fortran)
    fail("{}: its elements are stored by columns (fortran_order); write "
         "numpy.ascontiguousarray(x)",
         path);
  const Dtype &dtype = findDtype(path, found->descr);
  TensorEntry entry;
  entry.dtype = dtype.name;
  entry.shape = found->shape;
  const auto elements = countElements(entry.shape);
  const uint64_t present = size - begin - length;
  if (!elements ||
      __builtin_mul_overflow(*elements, dtype.bytes, &entry.bytes) ||
      entry.bytes != present)
    fail("{}: its header says {} of {}, but {} follow; the file is cut "
         "short or damaged",
         path, shapeText(entry.shape), entry.dtype, shownBytes(present));
  entry.elements = *elements;
  entry.offset = begin + length;
  return entry;
}
