//===- Placement.h - Places rectangles of bytes by time ---------*- C++ -*-===//
//
// Searches (PlacementSearch.h) for a layout of a given height, one after
// another.  They differ in what they try first, which is a matter of
// preference: long rectangles, those at the fullest points, large ones.  A
// search that has not ended after so many nodes starts again with another
// preference, and later with more nodes.
//
// Two things vary the preferences
//   * blame: rectangles that did not fit in searches before come earlier.  So
//     one that is placed too late again and again moves to the front, until the
//     first descent nearly fits.
//   * random numbers of a fixed seed, so that the result is repeatable
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::zero {

/// Bytes that are alive from one program point to another, both included.
struct BufferShape {
  unsigned birth, death;
  int64_t size;
  /// Whether it must end at or below a limit, which is lower than the height.
  bool isLow = false;
};

/// The most bytes that are alive at once: no layout is lower.
int64_t getLeastHeight(llvm::ArrayRef<BufferShape> rectangles);

/// Offsets at which `rectangles` do not overlap and end at or below `height`,
/// low ones at or below `limit`; nothing if a search of at most `mostNodes`
/// nodes finds none.
std::optional<std::vector<int64_t>>
packInto(llvm::ArrayRef<BufferShape> rectangles, int64_t height,
         int64_t mostNodes, int64_t limit = 0);

} // namespace mlir::zero
