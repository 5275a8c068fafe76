//===- Comparisons.h - What operations of a plan have shown -----*- C++ -*-===//
//
// A plan has many equal operations: layers are alike.  One of a kind is compared,
// the first that is executed; the others are counted.  Of a kind are operations of
// one kernel, or product, with operands of the same sizes, types and alignments.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/check/Differences.h"
#include "runtime/check/Findings.h"
#include "runtime/zrt.h"

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace zrt::check {

/// How often each is executed on the same bytes.
constexpr int kRuns = 3;

/// Of all operations of a kind.
struct Comparison {
  uint32_t kind;         ///< ZRT_LAUNCH, ...
  std::string name;      ///< of the first
  std::string shape;     ///< sizes and types
  std::string how;       ///< the device does it, where it says so
  bool wantsBits = true; ///< else each element has a bound
  uint64_t operations = 1;
  Difference difference; ///< from the processors
  std::string operand;   ///< the first that is wrong
  Difference wrong;      ///< of that
  int otherRuns = 0;     ///< of kRuns - 1 that differ from the first
  std::string failure;   ///< it could not be compared
  bool isDone = false;   ///< it has been compared

  bool holds() const {
    return isDone && failure.empty() && difference.wrong == 0 && otherRuns == 0;
  }
};

/// Filled by the threads of all streams.
class Comparisons {
public:
  /// `op`'s kind of operation if it is the first of it, else nullptr.
  Comparison *begin(const zrt_plan &plan, const zrt_op &op);

  /// Between programs.
  bool empty() const { return all.empty(); }
  /// "kernels", "attention", "products", "updates", "copies", as far as there are
  /// any.
  std::vector<Section> sections() const;

private:
  std::mutex mutex;
  std::map<std::string, Comparison *> known;
  std::list<Comparison> all; ///< in the order of execution
};

} // namespace zrt::check
