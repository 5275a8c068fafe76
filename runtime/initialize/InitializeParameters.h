//===- InitializeParameters.h - Initial values of a model -------*- C++ -*-===//
#pragma once

#include "runtime/io/Parameters.h"

#include <vector>

namespace zrt {

/// Gives what this rank holds of every parameter its initial values for `seed`,
/// on `threads` threads.
void initializeParameters(const std::vector<Parameter> &parameters,
                          uint64_t seed, int threads,
                          const ParameterMemory &memory);

} // namespace zrt
