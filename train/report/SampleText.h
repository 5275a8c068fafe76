//===- SampleText.h - Formats samples ---------------------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// Tokens after the prompt; fewer than requested if logits were not finite.
using Sample = std::vector<int64_t>;

/// Formats samples for a terminal; `when` is a text like "after step 99":
///
///     --- sample 1 of 2, after step 99
///     ROMEO: What, ho!
///     --- sample 2 of 2, after step 99
///     ROMEO: \xc3nd so
///     --- end of samples
///
/// A line says if a sample ends because it fills the model's `positions`, or
/// because logits are not finite.  Bytes that are not text are escaped.  For a
/// prompt of ids without --pieces, prints ids, with "|" after the prompt.
std::string samplesText(const SampleOptions &options,
                        const std::vector<int64_t> &prompt,
                        const std::vector<Sample> &samples,
                        const std::string &when, size_t positions);

/// {"step":99,"prompt":[82,79],"samples":[{"ids":[58,32],"text":": "}]} without
/// a newline; has "text" if the prompt was a text, or with --pieces, with
/// U+FFFD for bytes that are not UTF-8.
std::string samplesLine(const SampleOptions &options,
                        const std::vector<int64_t> &prompt,
                        const std::vector<Sample> &samples, int64_t step);

/// Escapes control characters and invalid UTF-8 as \xNN.  Keeps newlines and
/// tabs, and doubles backslashes.
std::string printable(const std::string &text);

} // namespace zrt
