//===- DataWeights.h - How much of each source a run reads ------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// "0.7,0.2,0.1" as 7, 2 and 1: whole numbers in the same proportions, with no
/// common factor.  Throws UsageError for what is no number above 0, and where the
/// whole numbers sum up to more than SampleMix::kMaxSum.
std::vector<uint64_t> readWeights(const std::string &text);

} // namespace zrt
