//===- Comparisons.h - Results of comparing a plan's operations -*- C++ -*-===//
//
// A plan has many equal operations, because layers are alike.  Only the first
// executed operation of a kind is compared; the others are counted.  Operations
// are of the same kind if they have the same kernel or product, and operands of
// the same sizes, types and alignments.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "train/check/Differences.h"
#include "train/check/Findings.h"

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace zrt::check {

/// The number of executions of each operation on the same bytes.
constexpr int kRuns = 3;

/// The comparison of one kind of operation.
struct Comparison {
  uint32_t kind;     ///< ZRT_LAUNCH, ...
  std::string name;  ///< of the first operation
  std::string shape; ///< sizes and types
  std::string how;   ///< the device's description of its method, if any
  bool isMatmul = false;
  bool wantsBits = true; ///< if false, each element has an error bound
  uint64_t operations = 1;
  Difference difference; ///< from the processors
  std::string operand;   ///< the first wrong operand
  Difference wrong;      ///< the difference of that operand
  int otherRuns = 0;     ///< runs that differ from the first, of kRuns - 1
  std::string failure;   ///< the error, if it could not be compared
  bool isDone = false;   ///< it has been compared

  bool holds() const {
    return isDone && failure.empty() && difference.wrong == 0 && otherRuns == 0;
  }
};

/// All comparisons.  The threads of all streams call begin().
class Comparisons {
public:
  /// Returns a new comparison if `op` is the first of its kind, else nullptr.
  Comparison *begin(const zrt_plan &plan, const zrt_op &op);

  /// "kernels", "attention", "products", "updates", "copies", without empty
  /// ones.  Call it between programs only.
  std::vector<Section> sections() const;

private:
  std::mutex mutex;
  std::map<std::string, Comparison *> known;
  std::list<Comparison> all; ///< in the order of execution
};

} // namespace zrt::check
