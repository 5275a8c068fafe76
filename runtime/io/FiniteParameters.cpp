//===- FiniteParameters.cpp - Is every weight a number? -------------------===//
#include "runtime/io/Parameters.h"

#include "runtime/Error.h"
#include "runtime/HalfFloats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace zrt;

namespace {

/// Elements that are read at once.
constexpr uint64_t kAtOnce = uint64_t{64} << 10;

/// The index of the first of `count` values that is not finite, or `count`.
template <typename T>
uint64_t firstNonfiniteOf(const T *values, uint64_t count) {
  // Whole blocks at once, which takes vectors: x - x is 0 for a finite x alone.
  constexpr uint64_t kBlock = 1024;
  for (uint64_t at = 0; at < count; at += kBlock) {
    const uint64_t end = std::min(count, at + kBlock);
    bool all = true;
    for (uint64_t i = at; i < end; ++i)
      all &= values[i] - values[i] == T(0);
    for (uint64_t i = at; !all && i < end; ++i)
      if (!std::isfinite(values[i]))
        return i;
  }
  return count;
}

/// `values` holds elements of `dtype`, which are 16-bit floats or T.
template <typename T>
void widenInPlace(zrt_dtype dtype, std::vector<T> &values) {
  if (dtype != ZRT_BF16 && dtype != ZRT_F16)
    return;
  std::vector<uint16_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), bits.size() * sizeof(uint16_t));
  for (size_t i = 0; i < bits.size(); ++i)
    values[i] = dtype == ZRT_BF16 ? widenBrain(bits[i]) : widenHalf(bits[i]);
}

template <typename T>
std::string firstNonfiniteIn(const Parameter &parameter,
                             const ParameterMemory &memory) {
  std::vector<T> values;
  for (const ParameterPiece &piece : parameter.pieces)
    for (uint64_t at = 0; piece.here() && at < piece.count; at += kAtOnce) {
      values.resize(std::min(kAtOnce, piece.count - at));
      memory.read(elementsOf(piece, parameter.dtype, at, values.size()),
                  values.data());
      widenInPlace(parameter.dtype, values);
      if (const uint64_t i = firstNonfiniteOf(values.data(), values.size());
          i < values.size())
        return fmt::format("parameter {} is {} at element {}",
                           shown(parameter.name), values[i],
                           piece.first + at + i);
    }
  return "";
}

} // namespace

std::string zrt::firstNonfinite(const std::vector<Parameter> &parameters,
                                const ParameterMemory &memory) {
  for (const Parameter &parameter : parameters) {
    std::string found = parameter.dtype == ZRT_F64
                            ? firstNonfiniteIn<double>(parameter, memory)
                            : firstNonfiniteIn<float>(parameter, memory);
    if (!found.empty())
      return found;
  }
  return "";
}
