//===- Environment.h - Numbers of the environment ---------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// Reads a number from the environment; returns `otherwise` if it is not set.
/// Throws if it is not a number from 1 to `most`.
int64_t environmentNumber(const char *name, int64_t otherwise, int64_t most);

} // namespace zrt
