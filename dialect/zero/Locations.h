//===- Locations.h - The names that users give ----------------*- C++ -*-===//
//
// What the user wrote is known by its location, and messages, certificates,
// profiles and traces call it by that.  Front ends name operations, as
// loc("h.0.attn"); one that somebody wrote has a name and a place in a file:
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
// Passes keep the locations of what they rewrite, and fuse those of operations
// that become one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace mlir::zero {

/// What the user calls that which is at `loc`; empty if nobody said.
std::string describeLocation(Location loc);

/// The first name in `loc`, without a place; empty if it has none.
StringRef getLocationName(Location loc);

/// Gives all that is inside of a kernel or an optimizer its own location.  Equal
/// kernels are one, so that of an operation in it would be one user's of many.
void inheritLocation(Operation *op);

} // namespace mlir::zero
