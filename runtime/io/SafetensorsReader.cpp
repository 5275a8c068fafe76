//===- SafetensorsReader.cpp - Reading weights ----------------------------===//
//
// The header is data of a stranger.  Nothing in it is believed before all of it
// has been compared with the file: the length, each dtype, each shape against
// its bytes, and that the ranges tile the data without holes or overlaps.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Safetensors.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

using namespace zrt;
using nlohmann::json;

namespace {

constexpr std::pair<std::string_view, uint64_t> kDtypes[] = {
    {"BOOL", 1},    {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1},
    {"F8_E8M0", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},     {"BF16", 2},
    {"I32", 4},     {"U32", 4}, {"F32", 4}, {"F64", 8},     {"I64", 8},
    {"U64", 8},     {"C64", 8},
};

/// The header of the file, its JSON keys known to be unique.
json parseHeader(const MappedFile &file) {
  if (file.size() < 8)
    fail("{}: not a safetensors file: it has {} bytes, its header length alone "
         "takes 8",
         file.path(), file.size());
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  if (length > file.size() - 8)
    fail("{}: not a safetensors file, or cut short: it says its header has {} "
         "bytes, but only {} follow",
         file.path(), length, file.size() - 8);
  const char *text = reinterpret_cast<const char *>(file.data()) + 8;

  // The parser keeps the last of two equal keys: look for them on the way.
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && twice.empty() &&
             !keys.back().insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
    return true;
  };
  json header;
  try {
    header = json::parse(text, text + length, watch);
  } catch (const json::parse_error &error) {
    fail("{}: its header is not valid JSON at byte {}; the file is damaged or "
         "not a safetensors file",
         file.path(), error.byte);
  } catch (const json::exception &) {
    fail("{}: its header is not valid JSON; the file is damaged or not a "
         "safetensors file",
         file.path());
  }
  if (!twice.empty())
    fail("{}: \"{}\" appears twice in the header", file.path(), twice);
  if (!header.is_object())
    fail("{}: its header is not a JSON object", file.path());
  return header;
}

bool isCount(const json &value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <= uint64_t{INT64_MAX};
}

TensorEntry readEntry(const MappedFile &file, const std::string &name,
                      const json &value, const std::byte *data,
                      uint64_t dataBytes) {
  const auto where = [&] { return file.path() + ": tensor " + name; };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets"))
    fail("{}: its entry is not {{dtype, shape, data_offsets}}", where());
  TensorEntry entry;
  entry.name = name;

  const json &dtype = value["dtype"];
  uint64_t size = 0;
  if (dtype.is_string())
    for (const auto &[known, bytes] : kDtypes)
      if (dtype.get_ref<const std::string &>() == known)
        size = bytes;
  if (size == 0)
    fail("{}: unknown dtype {}", where(), dtype.dump());
  entry.dtype = dtype.get<std::string>();

  const json &shape = value["shape"];
  entry.elements = 1;
  bool fits = shape.is_array();
  if (fits)
    for (const json &extent : shape) {
      fits = fits && isCount(extent);
      if (!fits)
        break;
      entry.shape.push_back(extent.get<int64_t>());
      fits = !__builtin_mul_overflow(entry.elements, extent.get<uint64_t>(),
                                     &entry.elements);
    }
  uint64_t needed = 0;
  if (!fits || __builtin_mul_overflow(entry.elements, size, &needed))
    fail("{}: {} is not a shape", where(), shape.dump());

  const json &offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !isCount(offsets[0]) ||
      !isCount(offsets[1]))
    fail("{}: {} are not two offsets", where(), offsets.dump());
  const auto begin = offsets[0].get<uint64_t>();
  const auto end = offsets[1].get<uint64_t>();
  if (begin > end || end > dataBytes)
    fail("{}: its bytes {} to {} are not inside the {} bytes of data; the file "
         "is cut short or damaged",
         where(), begin, end, dataBytes);
  if (end - begin != needed)
    fail("{}: shape {} of {} needs {} bytes, but its offsets span {}", where(),
         shapeText(entry.shape), entry.dtype, needed, end - begin);
  entry.data = data + begin;
  entry.bytes = needed;
  return entry;
}

} // namespace

std::string zrt::shapeText(const std::vector<int64_t> &shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

SafetensorsFile::SafetensorsFile(const std::string &path) : file(path) {
  const json header = parseHeader(file);
  uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  const std::byte *data = file.data() + 8 + length;
  const uint64_t dataBytes = file.size() - 8 - length;
  for (const auto &[name, value] : header.items())
    if (name != "__metadata__")
      entries.push_back(readEntry(file, name, value, data, dataBytes));

  std::sort(entries.begin(), entries.end(), [](const auto &x, const auto &y) {
    return std::pair(x.data, x.bytes) < std::pair(y.data, y.bytes);
  });
  const std::byte *expected = data;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TensorEntry &entry = entries[i];
    if (entry.data != expected)
      fail("{}: tensor {}: its data starts at byte {}, but the tensors before "
           "it end at {}; tensors must follow each other without holes",
           path, entry.name, entry.data - data, expected - data);
    expected += entry.bytes;
    byName.emplace(entry.name, i);
  }
  if (expected != data + dataBytes)
    fail("{}: {} bytes follow the last tensor; the file is damaged", path,
         data + dataBytes - expected);
}

const TensorEntry *SafetensorsFile::find(const std::string &name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &entries[found->second];
}
