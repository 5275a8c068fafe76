//===- Findings.h - What a check of a device has found ----------*- C++ -*-===//
//
// A line says what was compared, on what, whether it holds, and the number:
//
//   products: cuBLASLt against the processors
//     ok    c_fc: 32 x 192 x 48, bf16       algorithm 66; error 0.04 of tolerance
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace zrt::check {

enum class Verdict {
  Holds,
  Fails,
  Measured, ///< a number that nothing is asked of
  Left      ///< it was not looked at; the line says why
};

struct Finding {
  Verdict verdict = Verdict::Holds;
  std::string what;  ///< was compared, on what
  std::string found; ///< the number, or what is wrong
  /// The same for programs.
  std::vector<std::pair<std::string, double>> numbers;
  /// Whether the page has it where it holds; JSON always does.
  bool isShown = true;
};

/// Findings of one kind.
struct Section {
  std::string name;  ///< "products"
  std::string title; ///< "cuBLASLt against the processors, 3 runs each"
  std::vector<Finding> findings;
};

/// How many do not hold.
size_t failuresOf(const std::vector<Section> &sections);
/// How many were compared.
size_t comparedIn(const std::vector<Section> &sections);

/// One page.
std::string pageText(const std::string &heading,
                     const std::vector<Section> &sections);
/// {"check": heading, "holds": false, "sections": [{"name": ..., "title": ...,
///  "findings": [{"verdict": "fails", "what": ..., "found": ..., NAME: number}]}]}
std::string pageJson(const std::string &heading,
                     const std::vector<Section> &sections);

} // namespace zrt::check
