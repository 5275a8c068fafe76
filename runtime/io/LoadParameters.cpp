//===- LoadParameters.cpp - Weights from a file ---------------------------===//
//
// Loading is two passes: the first finds and checks every tensor, the second
// copies.  A file that does not fit changes nothing.
//
// The file is mapped, so a rank that copies its own pieces reads their pages
// and the header, no others.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Parameters.h"

#include "runtime/Error.h"
#include "runtime/io/Safetensors.h"

#include <bit>
#include <cstring>
#include <set>
#include <string_view>

using namespace zrt;

namespace {

constexpr std::string_view kPrefix = "transformer.";

std::string withoutPrefix(const std::string &name) {
  return name.rfind(kPrefix, 0) == 0 ? name.substr(kPrefix.size()) : name;
}

/// The tensor of `file` for parameter `name`, or nullptr.
const TensorEntry *match(const SafetensorsFile &file, const std::string &name) {
  if (const TensorEntry *exact = file.find(name))
    return exact;
  const std::string bare = withoutPrefix(name);
  return file.find(bare != name ? bare : std::string(kPrefix) + name);
}

bool canConvert(const std::string &from, zrt_dtype to) {
  return from == "F32" || from == "BF16" || from == "F16" ||
         (from == "F64" && to == ZRT_F64);
}

/// The value of IEEE half-precision `bits`, which f32 holds exactly.
float widenHalf(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0) {
    // Zero and subnormals: mantissa x 2^-24.
    const float value = float(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

template <typename From, typename To, typename Widen>
void convert(const std::byte *from, uint64_t count, std::byte *data,
             Widen widen) {
  auto *out = reinterpret_cast<To *>(data);
  for (uint64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    out[i] = widen(value);
  }
}

template <typename To>
void convertTo(const std::string &dtype, const std::byte *from, uint64_t count,
               std::byte *data) {
  if (dtype == "BF16")
    convert<uint16_t, To>(from, count, data, [](uint16_t bits) {
      return std::bit_cast<float>(uint32_t(bits) << 16);
    });
  else if (dtype == "F16")
    convert<uint16_t, To>(from, count, data, widenHalf);
  else
    convert<float, To>(from, count, data, [](float value) { return value; });
}

void copyPiece(const TensorEntry &tensor, zrt_dtype dtype,
               const ParameterPiece &piece) {
  const uint64_t size = tensor.bytes / tensor.elements;
  const std::byte *from = tensor.data + piece.first * size;
  if (tensor.dtype == (dtype == ZRT_F32 ? "F32" : "F64"))
    std::memcpy(piece.data, from, piece.count * size);
  else if (dtype == ZRT_F32)
    convertTo<float>(tensor.dtype, from, piece.count, piece.data);
  else
    convertTo<double>(tensor.dtype, from, piece.count, piece.data);
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

/// Buffers that Hugging Face's GPT-2 files carry besides parameters: the causal
/// mask, and the output layer where it is the embedding.
bool isKnownExtra(const std::string &name) {
  return endsWith(name, ".attn.bias") || endsWith(name, ".attn.masked_bias") ||
         withoutPrefix(name) == "lm_head.weight";
}

std::string warnOfExtras(const SafetensorsFile &file,
                         const std::set<const TensorEntry *> &used) {
  std::string names;
  size_t count = 0;
  for (const TensorEntry &tensor : file.tensors()) {
    if (used.count(&tensor) || isKnownExtra(tensor.name))
      continue;
    if (++count <= 5)
      names += (count > 1 ? ", " : "") + tensor.name;
  }
  if (count == 0)
    return "";
  if (count > 5)
    names += fmt::format(" and {} more", count - 5);
  return fmt::format("{}: {} tensor{} not in the model, left out: {}",
                     file.path(), count, count == 1 ? " is" : "s are", names);
}

} // namespace

std::string zrt::loadParameters(const std::vector<Parameter> &parameters,
                                const std::string &path) {
  const SafetensorsFile file(path);
  std::vector<const TensorEntry *> sources;
  std::set<const TensorEntry *> used;
  for (const Parameter &parameter : parameters) {
    const std::string &name = parameter.name;
    const TensorEntry *tensor = match(file, name);
    if (!tensor)
      fail("{}: tensor {} is missing; the file has {} tensors of another model",
           path, name, file.tensors().size());
    if (tensor->shape != parameter.shape)
      fail("{}: tensor {} is {}, but the model's is {}; compile the model with "
           "the sizes of this file",
           path, tensor->name, shapeText(tensor->shape),
           shapeText(parameter.shape));
    if (!canConvert(tensor->dtype, parameter.dtype))
      fail("{}: tensor {} is {}, which cannot become {} exactly; convert it to "
           "F32, BF16 or F16",
           path, tensor->name, tensor->dtype,
           parameter.dtype == ZRT_F32 ? "f32" : "f64");
    if (!used.insert(tensor).second)
      fail("{}: tensor {} would fill two parameters", path, tensor->name);
    sources.push_back(tensor);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    for (const ParameterPiece &piece : parameters[i].pieces)
      if (piece.data)
        copyPiece(*sources[i], parameters[i].dtype, piece);
  return warnOfExtras(file, used);
}
