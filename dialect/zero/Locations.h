//===- Locations.h - The names that users give ------------------*- C++ -*-===//
//
// Messages, certificates, profiles and traces name what the user wrote by its
// location.  Front ends name operations, such as loc("h.0.attn"); a
// hand-written operation has a name and a place in a file:
//
//   loc("h.0.attn")                          h.0.attn
//   loc("model.py":12:3)                     model.py:12
//   loc("y"("mlp.mlir":47:8))                y (mlp.mlir:47)
//   loc("b3"("h.1"))                         b3 (h.1)
//   loc(fused["h.0.mlp", "h.0", "h.0.mlp"])  h.0.mlp, h.0
//   loc(fused["a", "b", "c", "d"])           a, b and 2 more
//   loc(fused["m.py":7:1, "m.py":9:1])       m.py:7,9
//   loc(callsite("a" at "b"))                a
//
// Passes keep the locations of operations that they rewrite, and fuse those of
// operations that they merge.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::zero {

/// The user's name for the operation at `loc`; empty if it has none.
std::string describeLocation(Location loc);

/// The first name in `loc`, without a place; empty if it has none.
StringRef getLocationName(Location loc);

/// An operation of a plan and its object, as profiles and traces show it:
/// "all_gather of b0", "spill of clip", "matmul of h.0.attn.c_attn", "kernel.3
/// of mlp.mlir:46", "adamw of b1".
std::string nameOperation(Operation *op);

/// Gives every operation inside of `op`, a kernel or an optimizer, the location
/// of `op`.  Equal kernels are merged, so an inner location would name one of
/// many users.
void inheritLocation(Operation *op);

} // namespace mlir::zero
