//===- FiniteParameters.cpp - Finds weights that are not finite -----------===//
#include "train/state/io/Parameters.h"

#include "runtime/numbers/HalfFloats.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace zrt;

namespace {

/// Elements per read.
constexpr uint64_t kAtOnce = uint64_t{64} << 10;

/// The index of the first of `count` values whose absolute value is not below
/// `limit` (NaN included), or `count`.
template <typename T>
uint64_t firstNotBelow(const T *values, uint64_t count, T limit) {
  // Test whole blocks first: the compiler vectorizes this loop.
  constexpr uint64_t kBlock = 1024;
  for (uint64_t at = 0; at < count; at += kBlock) {
    const uint64_t end = std::min(count, at + kBlock);
    bool all = true;
    for (uint64_t i = at; i < end; ++i)
      all &= values[i] < limit && values[i] > -limit;
    for (uint64_t i = at; !all && i < end; ++i)
      if (!(values[i] < limit && values[i] > -limit))
        return i;
  }
  return count;
}

/// Widens the elements of `values` to T; they are 16-bit floats or T.
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
std::string firstNotBelowIn(const Parameter &parameter,
                            const ParameterMemory &memory, double limit) {
  std::vector<T> values;
  for (const ParameterPiece &piece : parameter.pieces)
    for (uint64_t at = 0; piece.here() && at < piece.count; at += kAtOnce) {
      values.resize(std::min(kAtOnce, piece.count - at));
      memory.read(elementsOf(piece, parameter.dtype, at, values.size()),
                  values.data());
      widenInPlace(parameter.dtype, values);
      if (const uint64_t i =
              firstNotBelow(values.data(), values.size(), T(limit));
          i < values.size())
        return fmt::format("parameter {} is {} at element {}",
                           shown(parameter.name), values[i],
                           piece.first + at + i);
    }
  return "";
}

std::string firstNotBelow(const std::vector<Parameter> &parameters,
                          const ParameterMemory &memory, double limit) {
  for (const Parameter &parameter : parameters) {
    if (parameter.packing != ZRT_UNPACKED)
      continue;
    std::string found = parameter.dtype == ZRT_F64
                            ? firstNotBelowIn<double>(parameter, memory, limit)
                            : firstNotBelowIn<float>(parameter, memory, limit);
    if (!found.empty())
      return found;
  }
  return "";
}

} // namespace

std::string zrt::firstNonfinite(const std::vector<Parameter> &parameters,
                                const ParameterMemory &memory) {
  return firstNotBelow(parameters, memory,
                       std::numeric_limits<double>::infinity());
}

double zrt::limitOf(zrt_dtype dtype) {
  // Half a unit in the last place above the largest finite value.
  constexpr double kBrain = 0x1.ffp127, kHalf = 65520;
  return dtype == ZRT_F16 ? kHalf : kBrain;
}

std::string zrt::firstBeyond(const std::vector<Parameter> &parameters,
                             const ParameterMemory &memory, zrt_dtype dtype) {
  return firstNotBelow(parameters, memory, limitOf(dtype));
}
