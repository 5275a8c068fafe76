//===- Packing.h - Places rectangles of bytes by time -----------*- C++ -*-===//
//
// A search for a layout of a given height.  Rectangles are placed from the
// bottom up, in the order of their offsets, each as low as those below it
// allow:
//
//   height  ----------------------------
//              +--+     +------+            the next one is d or e, whichever
//              |d?|     |  e?  |            is tried first
//            +-+--+-----+-+----+
//            |     c      |  +---+
//            +----+-------+--+ b |
//            | a  |          |   |
//   0        +----+----------+---+---> program order
//
// A partial layout is given up if
//   * a rectangle, or all that are left at a point, no longer fit between the
//     lowest offset that is possible for any of them and the height
//   * one that is left would fit below the one that is placed
// Stretches of time that no rectangle connects any more are searched apart.
//
// What is tried first is a matter of preference: long ones, those at the
// fullest points, large ones.  A search that has not ended after so many nodes
// starts again with another preference, and later with more nodes; preferences
// are varied by random numbers of a fixed seed.  So it is repeatable.  (The
// order of offsets and the checks of points are as in Moffitt, MiniMalloc,
// ASPLOS 2023.)
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
