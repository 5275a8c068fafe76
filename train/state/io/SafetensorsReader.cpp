//===- SafetensorsReader.cpp - Reads safetensors files --------------------===//
//
// The header is untrusted input.  Before anything of it is used, all of it is
// compared with the file: the length, each dtype, each shape against its bytes,
// and whether the ranges tile the data without holes or overlaps.
//
//===----------------------------------------------------------------------===//
#include "runtime/text/Bytes.h"
#include "train/state/io/Safetensors.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/state/io/SafetensorsHeader.h"

#include <algorithm>
#include <type_traits>
#include <utility>

using namespace zrt;

namespace {

constexpr std::pair<std::string_view, uint64_t> kDtypes[] = {
    {"BOOL", 1},    {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
    {"F8_E8M0", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},     {"BF16", 2},
    {"I32", 4},     {"U32", 4}, {"F32", 4}, {"F64", 8},     {"I64", 8},
    {"U64", 8},     {"C64", 8},
};

std::string readHeader(const InputFile &file) {
  uint64_t length = 0;
  if (file.size() < sizeof(length))
    fail("not a safetensors file: it has {}, its header length alone "
         "takes 8",
         shownBytes(file.size()));
  file.read(0, &length, sizeof(length));
  if (length > file.size() - sizeof(length))
    fail("not a safetensors file, or cut short: it says its header has "
         "{}, but only {} follow",
         shownBytes(length), shownBytes(file.size() - sizeof(length)));
  if (length > kMaxHeaderBytes)
    fail("its header has {}, more than the {} that it may have",
         shownBytes(length), shownBytes(kMaxHeaderBytes));
  std::string text(length, '\0');
  file.read(sizeof(length), text.data(), length);
  return text;
}

/// Checks `stated` for consistency with itself and with the data, which are
/// `dataBytes` bytes from `dataBegin` on.
TensorEntry checkedEntry(StatedTensor &stated, uint64_t dataBegin,
                         uint64_t dataBytes) {
  const auto where = [&] { return "tensor " + shown(stated.name); };
  uint64_t size = 0;
  for (const auto &[known, bytes] : kDtypes)
    if (stated.dtype == known)
      size = bytes;
  if (size == 0)
    fail("{}: unknown dtype \"{}\"", where(), shown(stated.dtype));
  const auto elements = countElements(stated.shape);
  uint64_t needed = 0;
  if (!elements || __builtin_mul_overflow(*elements, size, &needed))
    fail("{}: shape {} of {} has more bytes than any file", where(),
         shown(shapeText(stated.shape)), stated.dtype);
  if (stated.begin > stated.end || stated.end > dataBytes)
    fail("{}: its bytes {} to {} are not inside the {} of data; the file "
         "is cut short or damaged",
         where(), withCommas(stated.begin), withCommas(stated.end),
         shownBytes(dataBytes));
  if (stated.end - stated.begin != needed)
    fail("{}: shape {} of {} needs {}, but its offsets span {}", where(),
         shown(shapeText(stated.shape)), stated.dtype, shownBytes(needed),
         shownBytes(stated.end - stated.begin));
  return {std::move(stated.name),
          std::move(stated.dtype),
          std::move(stated.shape),
          dataBegin + stated.begin,
          needed,
          *elements};
}

/// Throws unless `entries`, in the order of their data, tile [begin, end).
void checkTiles(const std::vector<TensorEntry> &entries, uint64_t begin,
                uint64_t end) {
  uint64_t expected = begin;
  for (const TensorEntry &entry : entries) {
    if (entry.offset != expected)
      fail("tensor {}: its data starts at byte {}, but the tensors before it "
           "end at {}; tensors must follow each other without holes",
           shown(entry.name), entry.offset - begin, expected - begin);
    expected += entry.bytes;
  }
  if (expected != end)
    fail("{} follow the last tensor; the file is damaged",
         shownBytes(end - expected));
}

} // namespace

SafetensorsFile::SafetensorsFile(const std::string &path) : file(path) {
  try {
    readEntries();
  } catch (const Error &error) {
    fail("{}: {}", path, error.what());
  }
}

void SafetensorsFile::readEntries() {
  const std::string header = readHeader(file);
  const uint64_t begin = sizeof(uint64_t) + header.size();
  for (StatedTensor &stated : parseSafetensorsHeader(header))
    entries.push_back(checkedEntry(stated, begin, file.size() - begin));
  std::ranges::sort(entries, {}, [](const TensorEntry &entry) {
    return std::pair(entry.offset, entry.bytes);
  });
  for (size_t i = 0; i < entries.size(); ++i)
    if (!byName.emplace(entries[i].name, i).second)
      fail("\"{}\" appears twice in the header", shown(entries[i].name));
  checkTiles(entries, begin, file.size());
}

const TensorEntry *SafetensorsFile::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &entries[found->second];
}

void SafetensorsFile::read(const TensorEntry &tensor, uint64_t first, void *to,
                           uint64_t bytes) const {
  file.read(tensor.offset + first, to, bytes);
}

template <typename T>
void SafetensorsFile::readElements(const TensorEntry &tensor, uint64_t first,
                                   uint64_t count, T *to) const {
  const zrt_dtype dtype = elementType(tensor.dtype);
  const uint64_t size = dtypeBytes(dtype);
  if (size == sizeof(T))
    return read(tensor, first * size, to, count * size);
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<std::byte> bytes(count * size);
    read(tensor, first * size, bytes.data(), bytes.size());
    std::vector<float> values(count);
    widen(bytes.data(), dtype, count, values.data());
    std::copy(values.begin(), values.end(), to);
  }
}

template void SafetensorsFile::readElements(const TensorEntry &, uint64_t,
                                            uint64_t, float *) const;
template void SafetensorsFile::readElements(const TensorEntry &, uint64_t,
                                            uint64_t, double *) const;
template void SafetensorsFile::readElements(const TensorEntry &, uint64_t,
                                            uint64_t, std::byte *) const;
