//===- SampleFile.cpp - Reads samples of an input from a file -------------===//
#include "train/state/io/SampleFile.h"

#include "abi/Counts.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/state/io/Npy.h"

#include <cstring>
#include <string_view>
#include <utility>

using namespace zrt;

namespace {

constexpr std::string_view kSafetensors = ".safetensors";

/// The position of the tensor's name in `place`, after a colon; npos if there
/// is none.
size_t tensorName(const std::string &place) {
  const size_t at = place.find(std::string(kSafetensors) + ":");
  return at == std::string::npos ? at : at + kSafetensors.size() + 1;
}

template <typename T>
T loadSamples(const std::byte *data, uint64_t i) {
  T value;
  std::memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

/// Passes the C++ type of a file's values as an argument.
template <typename T>
struct As {
  using Type = T;
};

/// Calls `work` with the integer type of `dtype`; returns false if `dtype` is
/// not an integer.
template <typename Work>
bool withIntegers(std::string_view dtype, Work work) {
  if (dtype == "BOOL" || dtype == "U8")
    work(As<uint8_t>());
  else if (dtype == "I8")
    work(As<int8_t>());
  else if (dtype == "I16")
    work(As<int16_t>());
  else if (dtype == "U16")
    work(As<uint16_t>());
  else if (dtype == "I32")
    work(As<int32_t>());
  else if (dtype == "U32")
    work(As<uint32_t>());
  else if (dtype == "I64")
    work(As<int64_t>());
  else if (dtype == "U64")
    work(As<uint64_t>());
  else
    return false;
  return true;
}

bool isInteger(std::string_view dtype) {
  return withIntegers(dtype, [](auto) {});
}

/// Returns true if f32 represents every value of `dtype`.
bool fitsF32(std::string_view dtype) {
  if (dtype == "F32" || dtype == "F16" || dtype == "BF16")
    return true;
  bool fits = false;
  withIntegers(
      dtype, [&](auto as) { fits = sizeof(typename decltype(as)::Type) <= 2; });
  return fits;
}

void copyFloats(std::string_view dtype, const std::byte *from, uint64_t count,
                std::byte *to) {
  auto *out = reinterpret_cast<float *>(to);
  if (!isInteger(dtype))
    widen(from, elementType(dtype), count, out);
  else
    withIntegers(dtype, [&](auto as) {
      for (uint64_t i = 0; i < count; ++i)
        out[i] = float(loadSamples<typename decltype(as)::Type>(from, i));
    });
}

} // namespace

std::string zrt::fileOfPlace(const std::string &place) {
  const size_t name = tensorName(place);
  return name == std::string::npos ? place : place.substr(0, name - 1);
}

SampleFile::SampleFile(const std::string &aPlace, const zrt_input &anInput)
    : place(aPlace), input(anInput), elements(sampleElements(anInput)) {
  find();
  check();
}

void SampleFile::find() {
  const size_t name = tensorName(place);
  if (name == std::string::npos) {
    npy = std::make_unique<const InputFile>(place);
    if (isNpy(*npy)) {
      entry = readNpy(*npy);
      return;
    }
    npy.reset();
  }
  safetensors = std::make_unique<const SafetensorsFile>(fileOfPlace(place));
  const std::vector<TensorEntry> &tensors = safetensors->tensors();
  if (name != std::string::npos) {
    const TensorEntry *found = safetensors->find(place.substr(name));
    if (!found)
      fail("{} has no tensor \"{}\"", safetensors->path(), place.substr(name));
    entry = *found;
    return;
  }
  if (tensors.size() != 1)
    fail("{} has {} tensors; say which one feeds \"{}\", --input {}={}:TENSOR",
         place, tensors.size(), input.name, input.name, place);
  entry = tensors.front();
}

void SampleFile::check() const {
  const std::vector<int64_t> shape = sampleShape(input);
  const bool isFloat = input.dtype == ZRT_F32;
  if (entry.shape.empty() ||
      std::vector<int64_t>(entry.shape.begin() + 1, entry.shape.end()) != shape)
    fail(
        "input \"{}\" is {}, a batch of {}, but {} is {}; its dimensions after "
        "the first must be those of the input",
        input.name, shapeText({input.shape, input.shape + input.rank}),
        input.shape[0], place, shapeText(entry.shape));
  if (entry.shape[0] == 0)
    fail("{} has no samples", place);
  if (isFloat ? !fitsF32(entry.dtype) : !isInteger(entry.dtype))
    fail("input \"{}\" is {}, but {} is {}, whose values need not be; write it "
         "as {}",
         input.name, dtypeName(input.dtype), place, entry.dtype,
         isFloat ? "F32, x.astype('float32')" : "integers, x.astype('int64')");
}

std::string SampleFile::text() const {
  const std::vector<int64_t> shape = sampleShape(input);
  return fmt::format("{}, {}, {}{}", place, entry.dtype,
                     plural(samples(), "sample"),
                     shape.empty() ? "" : " of " + shapeText(shape));
}

void SampleFile::fetch(uint64_t sample, std::byte *to) const {
  const uint64_t bytes = entry.bytes / samples();
  if (npy)
    npy->read(entry.offset + sample * bytes, to, bytes);
  else
    safetensors->read(entry, sample * bytes, to, bytes);
}

template <typename From>
void SampleFile::copyIntegers(uint64_t sample, const std::byte *from,
                              std::byte *to) const {
  for (uint64_t i = 0; i < elements; ++i) {
    const From value = loadSamples<From>(from, i);
    const std::string problem =
        std::in_range<int64_t>(value)
            ? problemWith(input, int64_t(value), i)
            : fmt::format(", which is not {}", allowedText(input));
    if (!problem.empty())
      fail("{}: sample {} holds {}{}", place, sample, value, problem);
    putInteger(input, to, i, int64_t(value));
  }
}

void SampleFile::read(uint64_t sample, std::byte *to) const {
  std::vector<std::byte> bytes(entry.bytes / samples());
  fetch(sample, bytes.data());
  if (input.dtype == ZRT_F32) {
    copyFloats(entry.dtype, bytes.data(), elements, to);
    const auto *floats = reinterpret_cast<const float *>(to);
    for (uint64_t i = 0; areWeights(input) && i < elements; ++i)
      if (const std::string problem = problemWith(input, floats[i]);
          !problem.empty())
        fail("{}: sample {} holds {}{}", place, sample, floats[i], problem);
  } else
    withIntegers(entry.dtype, [&](auto as) {
      copyIntegers<typename decltype(as)::Type>(sample, bytes.data(), to);
    });
}
