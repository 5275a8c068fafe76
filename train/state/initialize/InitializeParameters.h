//===- InitializeParameters.h - Initializes parameters ----------*- C++ -*-===//
#pragma once

#include "train/state/io/Parameters.h"

#include <vector>

namespace zrt {

/// Sets this rank's pieces of all parameters to their initial values for
/// `seed`, on `threads` threads.
void initializeParameters(const std::vector<Parameter> &parameters,
                          uint64_t seed, int threads,
                          const ParameterMemory &memory);

} // namespace zrt
