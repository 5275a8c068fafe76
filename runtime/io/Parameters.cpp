//===- Parameters.cpp - The parameters of a run, by name ------------------===//
//
// Loading is two passes: the first finds and checks every tensor, the second
// copies.  A file that does not fit changes nothing.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Parameters.h"

#include "runtime/Error.h"
#include "runtime/cpu/PlanChecks.h"
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

std::vector<int64_t> shapeOf(const zrt_member &member) {
  return {member.shape, member.shape + member.rank};
}

const zrt_state &paramState(const zrt_plan &plan, uint32_t bucket) {
  const zrt_state *found = nullptr;
  for (uint32_t i = 0; i < plan.state_count; ++i) {
    const zrt_state &state = plan.states[i];
    if (state.bucket != bucket || std::string_view(state.slot) != "param")
      continue;
    if (found)
      fail("bucket {} has two \"param\" states", plan.buckets[bucket].name);
    found = &state;
  }
  if (!found)
    fail("bucket {} has no \"param\" state", plan.buckets[bucket].name);
  if (found->dtype != ZRT_F32 && found->dtype != ZRT_F64)
    fail("bucket {}: parameters are f32 or f64, got dtype {}",
         plan.buckets[bucket].name, found->dtype);
  return *found;
}

void checkMember(const zrt_bucket &bucket, const zrt_member &member) {
  uint64_t elements = 1;
  bool fits = true;
  for (uint32_t i = 0; i < member.rank; ++i)
    fits = fits && member.shape[i] >= 0 &&
           !__builtin_mul_overflow(
               elements, static_cast<uint64_t>(member.shape[i]), &elements);
  if (!fits || elements != member.count)
    fail("parameter {}: shape {} does not have {} elements", member.name,
         shapeText(shapeOf(member)), member.count);
  if (member.offset > bucket.elements ||
      member.count > bucket.elements - member.offset)
    fail("parameter {}: {} elements at {} reach past bucket {} of {} elements",
         member.name, member.count, member.offset, bucket.name,
         bucket.elements);
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
void convert(const TensorEntry &tensor, std::byte *data, Widen widen) {
  auto *out = reinterpret_cast<To *>(data);
  for (uint64_t i = 0; i < tensor.elements; ++i) {
    From value;
    std::memcpy(&value, tensor.data + i * sizeof(From), sizeof(From));
    out[i] = widen(value);
  }
}

template <typename To>
void convertTo(const TensorEntry &tensor, std::byte *data) {
  if (tensor.dtype == "BF16")
    convert<uint16_t, To>(tensor, data, [](uint16_t bits) {
      return std::bit_cast<float>(uint32_t(bits) << 16);
    });
  else if (tensor.dtype == "F16")
    convert<uint16_t, To>(tensor, data, widenHalf);
  else
    convert<float, To>(tensor, data, [](float value) { return value; });
}

void copyTensor(const TensorEntry &tensor, const Parameter &parameter) {
  const std::string same = parameter.dtype == ZRT_F32 ? "F32" : "F64";
  if (tensor.dtype == same)
    std::memcpy(parameter.data, tensor.data, tensor.bytes);
  else if (parameter.dtype == ZRT_F32)
    convertTo<float>(tensor, parameter.data);
  else
    convertTo<double>(tensor, parameter.data);
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

std::vector<Parameter> zrt::findParameters(const zrt_plan &plan,
                                           zrt_context *ctx) {
  std::vector<Parameter> parameters;
  std::set<std::string_view> names;
  for (uint32_t b = 0; b < plan.bucket_count; ++b) {
    const zrt_bucket &bucket = plan.buckets[b];
    const zrt_state &state = paramState(plan, b);
    auto *base = static_cast<std::byte *>(zrt_address(ctx, &state.ref));
    for (uint32_t i = 0; i < bucket.member_count; ++i) {
      const zrt_member &member = bucket.members[i];
      checkMember(bucket, member);
      if (!names.insert(member.name).second)
        fail("two parameters are named {}", member.name);
      parameters.push_back({&member, state.dtype,
                            base + member.offset * dtypeBytes(state.dtype)});
    }
  }
  return parameters;
}

std::string zrt::loadParameters(const std::vector<Parameter> &parameters,
                                const std::string &path) {
  const SafetensorsFile file(path);
  std::vector<const TensorEntry *> sources;
  std::set<const TensorEntry *> used;
  for (const Parameter &parameter : parameters) {
    const std::string name = parameter.member->name;
    const TensorEntry *tensor = match(file, name);
    if (!tensor)
      fail("{}: tensor {} is missing; the file has {} tensors of another model",
           path, name, file.tensors().size());
    const std::vector<int64_t> shape = shapeOf(*parameter.member);
    if (tensor->shape != shape)
      fail("{}: tensor {} is {}, but the model's is {}; compile the model with "
           "the sizes of this file",
           path, tensor->name, shapeText(tensor->shape), shapeText(shape));
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
    copyTensor(*sources[i], parameters[i]);
  return warnOfExtras(file, used);
}

void zrt::saveParameters(const std::vector<Parameter> &parameters,
                         const std::string &path) {
  std::vector<TensorToWrite> tensors;
  tensors.reserve(parameters.size());
  for (const Parameter &parameter : parameters)
    tensors.push_back({parameter.member->name,
                       parameter.dtype == ZRT_F32 ? "F32" : "F64",
                       shapeOf(*parameter.member), parameter.data,
                       parameter.member->count * dtypeBytes(parameter.dtype)});
  writeSafetensors(path, tensors);
}
