//===- Magnitudes.h - Initial magnitudes of adapters ------------*- C++ -*-===//
//
// Magnitudes (Liu et al., "DoRA", 2024) begin as the norms of the rows of the
// weight that they belong to, as the run stores it: rounded, or packed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/PackParameters.h"

#include <functional>
#include <vector>

namespace zrt {

/// Sets the magnitudes among `adapters` from the elements, by `sourceOf`, of
/// their weights among `base`.  A weight is stored
/// [inputs, outputs] if its shape says so, or `isSquareTransposed`.  Throws
/// zrt::Error.
void initializeMagnitudes(
    const std::vector<Parameter> &adapters, const std::vector<Parameter> &base,
    bool isSquareTransposed,
    const std::function<ElementSource(const Parameter &)> &sourceOf,
    const ParameterMemory &memory);

} // namespace zrt
