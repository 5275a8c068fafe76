//===- Diagnostics.h - Descriptions of values and operations in errors ----===//
#pragma once

#include "dialect/zero/Zero.h"
#include <string>

namespace mlir::zero::judge {

/// Whether `value` lies in an arena.
bool isInArena(Value value);

/// `state @b0 "m"`, `'h.0.fc'`, `a result of 'zero.launch'`
std::string describe(Value value);
/// `device bytes [64, 128)`
std::string describe(Tier tier, int64_t begin, int64_t end);
std::string describe(BytesAttr range);
/// `zero.launch @gelu`, `zero.all_gather of @b0`, `nn.matmul`
std::string describe(Operation *op);

/// A stream, and its rank if there are several.
struct StreamOfRank {
  Stream stream;
  int64_t rank = -1;  ///< -1: there is one rank
  int64_t group = -1; ///< of the rank; -1: there are no groups
};
/// `stream compute`, `stream compute of rank 1`, `... of rank 3 in group 1`
std::string describe(StreamOfRank where);

} // namespace mlir::zero::judge
