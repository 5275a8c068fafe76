//===- PackParameters.h - The packed form of parameters ---------*- C++ -*-===//
#pragma once

#include "runtime/io/Parameters.h"

#include <functional>
#include <span>

namespace zrt {

/// Writes elements [first, first + count) of a parameter to `to`.
using ElementSource =
    std::function<void(uint64_t first, uint64_t count, float *to)>;

/// The bytes of the packed form of `parameter` from `first` on, as many as `to`
/// has: a rank's slice of a bucket ends anywhere.  Throws zrt::Error for an element
/// of their groups that is not finite.
void packBytes(const Parameter &parameter, uint64_t first,
               const ElementSource &source, std::span<std::byte> to);

} // namespace zrt
