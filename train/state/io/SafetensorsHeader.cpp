//===- SafetensorsHeader.cpp - Parses a safetensors header ----------------===//
//
//   {                                       Header
//     "__metadata__": {                     Metadata
//       "format": "pt"
//     },
//     "w": {                                Tensor
//       "dtype": "F32",                       Dtype
//       "shape": [2, 3],                      Shape, Sizes
//       "data_offsets": [0, 24]               Offsets, Bounds
//     }
//   }
//
// The parser reports brackets, keys and values one by one, and each is valid
// only at some places of this grammar.  The first invalid one ends the parse.
// So the handler stores only values that it needs, and nesting is bounded.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/SafetensorsHeader.h"

#include "runtime/text/Error.h"

#include <nlohmann/json.hpp>
#include <utility>

using namespace zrt;
using nlohmann::json;

namespace {

/// Far more than any model has; a message can print them all.
constexpr size_t kMaxDimensions = 32;

class Handler final : public json::json_sax_t {
public:
  std::vector<StatedTensor> tensors;
  std::string problem;    ///< why the parse ended early
  size_t invalidByte = 0; ///< counted from 1; 0: the text is JSON

  bool start_object(size_t) override {
    switch (place) {
    case Place::Start:
      return go(Place::Header);
    case Place::MetadataValue:
      return go(Place::Metadata);
    case Place::TensorValue:
      return go(Place::Tensor);
    default:
      return misplaced();
    }
  }

  bool key(std::string &name) override {
    switch (place) {
    case Place::Header:
      if (name == kMetadataName)
        return go(Place::MetadataValue);
      tensors.emplace_back().name = std::move(name);
      seen = 0;
      return go(Place::TensorValue);
    case Place::Metadata:
      return true;
    default: // only Tensor is left among the objects
      return field(name);
    }
  }

  bool end_object() override {
    if (place == Place::Header)
      return go(Place::Start);
    if (place == Place::Tensor && seen != (kDtype | kShape | kOffsets))
      return misplaced();
    return go(Place::Header);
  }

  bool start_array(size_t) override {
    if (place == Place::Shape)
      return go(Place::Sizes);
    if (place == Place::Offsets)
      return go(Place::Bounds);
    return misplaced();
  }

  bool end_array() override {
    if (place == Place::Bounds && bounds != 2)
      return misplaced();
    return go(Place::Tensor);
  }

  bool number_unsigned(uint64_t value) override {
    if (value > uint64_t{INT64_MAX})
      return misplaced();
    if (place == Place::Sizes) {
      std::vector<int64_t> &shape = tensors.back().shape;
      if (shape.size() == kMaxDimensions)
        return stop(fmt::format("tensor {}: its shape has more than {} sizes",
                                shown(tensors.back().name), kMaxDimensions));
      shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (place == Place::Bounds && bounds < 2) {
      (bounds == 0 ? tensors.back().begin : tensors.back().end) = value;
      ++bounds;
      return true;
    }
    return misplaced();
  }

  bool string(std::string &value) override {
    if (place == Place::Metadata)
      return true;
    if (place != Place::Dtype)
      return misplaced();
    tensors.back().dtype = std::move(value);
    return go(Place::Tensor);
  }

  bool null() override { return misplaced(); }
  bool boolean(bool) override { return misplaced(); }
  bool number_integer(int64_t) override { return misplaced(); }
  bool number_float(double, const std::string &) override {
    return misplaced();
  }
  bool binary(json::binary_t &) override { return misplaced(); }
  bool parse_error(size_t byte, const std::string &,
                   const json::exception &) override {
    invalidByte = byte;
    return false;
  }

private:
  enum class Place {
    Start,
    Header,
    MetadataValue,
    Metadata,
    TensorValue,
    Tensor,
    Dtype,
    Shape,
    Sizes,
    Offsets,
    Bounds
  };
  enum Field : unsigned { kDtype = 1, kShape = 2, kOffsets = 4 };

  bool go(Place next) {
    place = next;
    return true;
  }

  bool stop(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool field(const std::string &name) {
    for (const auto &[known, bit, value] :
         {std::tuple("dtype", kDtype, Place::Dtype),
          std::tuple("shape", kShape, Place::Shape),
          std::tuple("data_offsets", kOffsets, Place::Offsets)}) {
      if (name != known)
        continue;
      if (seen & bit)
        return stop(fmt::format("tensor {}: \"{}\" appears twice",
                                shown(tensors.back().name), known));
      seen |= bit;
      bounds = 0;
      return go(value);
    }
    return misplaced();
  }

  bool misplaced() {
    if (place == Place::Start)
      return stop("its header is not a JSON object");
    if (place == Place::MetadataValue || place == Place::Metadata)
      return stop("its __metadata__ is not an object of strings");
    const std::string where = "tensor " + shown(tensors.back().name);
    switch (place) {
    case Place::Dtype:
      return stop(where + ": its dtype is not a string");
    case Place::Shape:
    case Place::Sizes:
      return stop(where + ": its shape is not a list of sizes below 2^63");
    case Place::Offsets:
    case Place::Bounds:
      return stop(where + ": its data_offsets are not two offsets below 2^63");
    default:
      return stop(where + ": its entry is not {dtype, shape, data_offsets}");
    }
  }

  Place place = Place::Start;
  unsigned seen = 0; ///< fields of the tensor seen so far, as bits
  int bounds = 0;    ///< number of the tensor's offsets seen so far
};

} // namespace

std::vector<StatedTensor> zrt::parseSafetensorsHeader(std::string_view text) {
  // The parser would take a zero byte as the end of the text.
  if (const size_t at = text.find('\0'); at != std::string_view::npos)
    fail("its header has a zero byte at {}; the file is damaged", at);
  Handler handler;
  if (!json::sax_parse(text.begin(), text.end(), &handler)) {
    if (handler.invalidByte == 0)
      fail("{}", handler.problem);
    fail("its header is not valid JSON at byte {}; the file is damaged or not "
         "a safetensors file",
         handler.invalidByte);
  }
  return std::move(handler.tensors);
}
