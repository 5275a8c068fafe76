//===- SampleText.h - Samples as they are shown -----------------*- C++ -*-===//
#pragma once

#include "runtime/main/Sampling.h"

#include <string>
#include <vector>

namespace zrt {

/// For a terminal, of samples that `when` says the time of ("after step 99"):
///
///     --- sample 1 of 2, after step 99
///     ROMEO: What, ho!
///     --- sample 2 of 2, after step 99
///     ROMEO: \xc3nd so
///     --- end of samples
///
/// Bytes that are no text are escaped.  Of a prompt of ids: the ids, with "|" after the prompt.
std::string samplesText(const SampleOptions &options,
                        const std::vector<int64_t> &prompt,
                        const std::vector<Sample> &samples,
                        const std::string &when);

/// {"step":99,"prompt":[82,79],"samples":[{"ids":[58,32],"text":": "}]} without a
/// newline; "text" where the prompt was one, with U+FFFD for bytes that are no UTF-8.
std::string samplesLine(const SampleOptions &options,
                        const std::vector<int64_t> &prompt,
                        const std::vector<Sample> &samples, int64_t step);

/// `text` with what a terminal would not show, or obey, as \xNN.  Newlines and tabs stay,
/// a backslash is doubled.
std::string printable(const std::string &text);

} // namespace zrt
