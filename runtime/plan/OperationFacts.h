//===- OperationFacts.h - Work and sizes of operations ----------*- C++ -*-===//
//
// The facts of an operation that profile, utilization, `--plan` and device
// checks show.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/plan/RankGroups.h"

#include <string>

namespace zrt {

struct OperationFacts {
  double flops = 0; ///< 2 m n k of products, on one rank
  double bytes = 0; ///< that it reads, writes or moves, on one rank
  /// The types of the factors and of the result, of products.
  zrt_dtype factors = 0, result = 0;
  /// "64 x 32 x 16 (batch 3)", "4096 elements of nf4"; "" of most kinds.
  std::string sizes;
  /// The rest: " trans_a accumulate", " 128 by 8", ...
  std::string details;
};

/// Returns the facts of an operation that does work, without `groups` of one
/// rank.
OperationFacts factsOf(const zrt_op &op, const RankGroups &groups = {});

} // namespace zrt
