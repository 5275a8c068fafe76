//===- Shape.h - Sizes of tensors -------------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>

namespace zrt {

/// The number of elements; nullopt if a size is negative or 64 bits are too few
/// to count them.
inline std::optional<uint64_t> countElements(std::span<const int64_t> shape) {
  uint64_t elements = 1;
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, uint64_t(size), &elements))
      return std::nullopt;
  return elements;
}

/// The same, of a shape whose elements were counted before.
inline uint64_t countedElements(std::span<const int64_t> shape) {
  return countElements(shape).value_or(0);
}

/// "2 x 3", or "scalar".
inline std::string shapeText(std::span<const int64_t> shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

} // namespace zrt
