//===- PackParameters.h - Packs parameters ----------------------*- C++ -*-===//
#pragma once

#include "runtime/io/Parameters.h"

#include <functional>
#include <span>

namespace zrt {

/// Writes elements [first, first + count) of a parameter to `to`.
using ElementSource =
    std::function<void(uint64_t first, uint64_t count, float *to)>;

/// Computes the bytes [first, first + to.size()) of the packed form of
/// `parameter`; a rank's slice of a bucket can begin and end anywhere.  Throws
/// zrt::Error for a nonfinite element in the groups of these bytes.
void packBytes(const Parameter &parameter, uint64_t first,
               const ElementSource &source, std::span<std::byte> to);

} // namespace zrt
