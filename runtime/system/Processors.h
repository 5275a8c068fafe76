//===- Processors.h - The processors that a thread may use ------*- C++ -*-===//
#pragma once

#include <vector>

namespace zrt {

/// Returns the numbers of the processors that the calling thread may use (its
/// affinity mask), in ascending order; never empty.
std::vector<int> availableProcessors();

/// Restricts the calling thread, and threads that it starts later, to these
/// processors.  Returns false if the system refuses.
bool useProcessors(const std::vector<int> &processors);

} // namespace zrt
