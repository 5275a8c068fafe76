//===- Windows.h - Operands that are read at computed positions -*- C++ -*-===//
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::zero {

/// Whether each position of `map` is a sum of loops times constants, and a
/// constant.
bool isLinear(AffineMap map);

/// Whether `map` reads each element of `type` at most once, and each position
/// is a loop, or the only one of its dimension.
bool isPlainRead(AffineMap map, RankedTensorType type);

/// The loop of position `expr` that is computed from the position and its other
/// loops: the longest, so that the fewest positions are tried; none if it has
/// no loop.
std::optional<unsigned> longestLoop(AffineExpr expr, ArrayRef<int64_t> extents);

/// The adjoint of a tensor of `type` that is read at `map`, which is linear;
/// `read` holds the adjoints of the reads, in the order of the map's loops.
///
///   %y = linalg.generic {maps = [(o, k) -> (2 * o + k), ...]} ins(%x, ...)
///
///   dx[p] = sum over k of read[o, k], where o = (p - k) / 2 is a whole number
///                                     within its loop
///
/// For each position the sum goes over the other loops in their order, so its
/// bits depend on shapes alone, and no element is written twice.
Value foldWindows(OpBuilder &b, Location loc, Value read, AffineMap map,
                  RankedTensorType type);

} // namespace mlir::zero
