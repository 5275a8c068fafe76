//===- InputValues.h - What an input of a plan may hold ---------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// Whether `input`, of integers, may hold `value`.
bool mayHold(const zrt_input &input, int64_t value);
/// "0 to 255 for input "tokens"", with what is ignored.
std::string allowedText(const zrt_input &input);
/// The value beyond the vocabulary that `input` may hold, too: what is ignored.
std::optional<int64_t> ignoredValue(const zrt_input &input);
/// Writes `value`, which it may hold, as element `i` of `to`.
void putInteger(const zrt_input &input, std::byte *to, uint64_t i,
                int64_t value);

/// The dimensions after the first, which counts samples.
std::vector<int64_t> sampleShape(const zrt_input &input);
/// The values of one sample.
uint64_t sampleElements(const zrt_input &input);

} // namespace zrt
