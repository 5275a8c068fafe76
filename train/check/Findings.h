//===- Findings.h - The findings of a device check --------------*- C++ -*-===//
//
// A line shows the verdict, the operation with its operands, and a number:
//
//   products: cuBLASLt against the processors
//     ok    c_fc: 32 x 192 x 48, bf16     algorithm 66; error 0.04 of tolerance
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
  Measured, ///< a number without a requirement
  Left      ///< not checked; the line tells the reason
};

struct Finding {
  Verdict verdict = Verdict::Holds;
  std::string what;  ///< the operation and its operands
  std::string found; ///< the number, or the error
  /// The numbers for JSON, with their names.
  std::vector<std::pair<std::string, double>> numbers;
  /// Whether the page shows it even if it holds; JSON always contains it.
  bool isShown = true;
};

/// The findings on one topic.
struct Section {
  std::string name;  ///< "products"
  std::string title; ///< "cuBLASLt against the processors, 3 runs each"
  std::vector<Finding> findings;
};

/// The number of failures.
size_t failuresOf(const std::vector<Section> &sections);
/// The number of findings that hold or fail.
size_t comparedIn(const std::vector<Section> &sections);

/// The findings as one page of text.
std::string pageText(const std::string &heading,
                     const std::vector<Section> &sections);
/// {"check": heading, "holds": false, "sections": [{"name": ..., "title": ...,
///  "findings": [{"verdict": "fails", "what": ..., "found": ...,
///                NAME: number}]}]}
std::string pageJson(const std::string &heading,
                     const std::vector<Section> &sections);

} // namespace zrt::check
