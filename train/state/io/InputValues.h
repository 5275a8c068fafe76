//===- InputValues.h - The valid values of a plan's inputs ------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// Returns true if `value` is valid for the integer input `input`.
bool mayHold(const zrt_input &input, int64_t value);
/// Describes the valid values, including the ignored one: "0 to 255 or -100,
/// the vocabulary of input ...".
std::string allowedText(const zrt_input &input);
/// The ignored value of `input`, if it has one outside the vocabulary.
std::optional<int64_t> ignoredValue(const zrt_input &input);
/// Writes `value`, which must be valid, as element `i` of `to`.
void putInteger(const zrt_input &input, std::byte *to, uint64_t i,
                int64_t value);

/// Whether `input` weighs the targets of a text; weights are finite and not
/// negative.
bool areWeights(const zrt_input &input);

/// Whether `input` says where the sample of each position of a text starts: at
/// the position or before it.
bool areStarts(const zrt_input &input);

/// Why element `at` of a sample of the integer input `input` must not be
/// `value`: what follows on "... holds 7"; "" if it may.
std::string problemWith(const zrt_input &input, int64_t value, uint64_t at);
/// The same for one of floats.
std::string problemWith(const zrt_input &input, float value);

/// The dimensions after the first, which counts samples.
std::vector<int64_t> sampleShape(const zrt_input &input);
/// The number of values in a sample.
uint64_t sampleElements(const zrt_input &input);

} // namespace zrt
