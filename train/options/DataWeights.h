//===- DataWeights.h - Parses --data-weights --------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// Parses "0.7,0.2,0.1" as 7, 2 and 1: whole numbers in the same proportions,
/// without a common factor.  Throws UsageError for a part that is not a number
/// above 0, and if the whole numbers sum up to more than SampleMix::kMaxSum.
std::vector<uint64_t> readWeights(const std::string &text);

} // namespace zrt
