//===- Expect.h - Helpers for properties of devices -------------*- C++ -*-===//
#pragma once

#include "runtime/text/Error.h"
#include "train/check/HandPlan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt::check {

/// Throws zrt::Error with the text `otherwise` unless `holds`.
inline void expect(bool holds, const std::string &otherwise) {
  if (!holds)
    throw Error(otherwise);
}

/// Throws zrt::Error with the first element that differs.
template <typename T>
void expectEqual(const std::vector<T> &found, const std::vector<T> &expected,
                 const std::string &what) {
  if (found.size() != expected.size())
    fail("{}: {} elements, not {}", what, found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      fail("{}: element {} is {}, not {}", what, i, double(found[i]),
           double(expected[i]));
}

/// A plan with arenas in all tiers.
inline zrt_plan planOf(const Table &step, uint64_t bytes = 1 << 20) {
  zrt_plan plan = handPlan(step, bytes);
  plan.arena_bytes[ZRT_HOST] = plan.arena_bytes[ZRT_NVME] = 1 << 16;
  return plan;
}
inline zrt_plan idle(uint64_t bytes = 1 << 20) {
  return planOf(Table(), bytes);
}

/// The place of array `which` of kUnits integers.
inline constexpr int64_t kUnits = 1000;
inline zrt_ref numbers(uint64_t which, uint32_t tier = ZRT_DEVICE) {
  return {tier, 0, which * 4096, kUnits * 4};
}
/// 1 to kUnits, each multiplied by `times`.
inline std::vector<int32_t> counted(int32_t times) {
  std::vector<int32_t> values(kUnits);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (int32_t(i) + 1) * times;
  return values;
}

/// Reproducible numbers of mixed signs.
template <typename T>
std::vector<T> some(size_t count, uint64_t seed) {
  std::vector<T> values(count);
  for (T &value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = T(int64_t(seed >> 40) - (1 << 23)) / T(1 << 22);
  }
  return values;
}

/// Convert values to the bytes of an operand of `dtype`, and back.
std::vector<std::byte> bytesOf(const std::vector<double> &values,
                               zrt_dtype dtype);
std::vector<double> valuesOf(const std::vector<std::byte> &bytes,
                             zrt_dtype dtype);

} // namespace zrt::check
