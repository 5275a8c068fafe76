//===- Rows.h - Matrices by rows --------------------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// A matrix whose rows are contiguous and `stride` elements apart.
template <typename T>
struct Rows {
  T *at = nullptr;
  int64_t stride = 0;
};

} // namespace zrt
