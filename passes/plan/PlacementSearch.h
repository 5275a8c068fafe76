//===- PlacementSearch.h - Layouts in the order of offsets ------*- C++ -*-===//
//
// One search for a layout of a given height.  Rectangles are placed from the
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
// Points that failed last are tested first: they often fail again.  Each
// failure also blames the rectangles that did not fit, for the next search.
// (The order of offsets and the checks of points are as in Moffitt, MiniMalloc,
// ASPLOS 2023.)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::zero {

/// A rectangle from one of the fullest points to another, the last not
/// included.
struct PlacedItem {
  unsigned first, last;
  int64_t size;
  unsigned length; ///< in program points
  bool isLow;
};

class PlacementSearch {
public:
  PlacementSearch(llvm::ArrayRef<PlacedItem> items, int64_t height,
                  int64_t limit);

  /// The bytes that are alive at the fullest of the item's points.
  int64_t getFullest(unsigned item) const;

  /// Searches at most `nodes` nodes; items of a lower rank are tried first.
  /// Adds to the blame of items that did not fit.
  bool run(std::vector<unsigned> ranks, int64_t nodes,
           std::vector<int64_t> &blame);

  /// Below zero if the search was stopped.
  int64_t getNodesLeft() const { return nodesLeft; }
  /// Of the items, after a search that found a layout.
  const std::vector<int64_t> &getOffsets() const { return offsets; }

private:
  /// The last one that was placed: the next ones are above it, or beside it and
  /// of a higher rank.
  struct Last {
    int64_t offset, item;
  };
  struct Change {
    unsigned item;
    int64_t floor;
  };
  using List = llvm::ArrayRef<unsigned>; ///< in the order of first points

  bool mayBeNext(unsigned item, Last last) const;
  int64_t lowestOffset(unsigned item, Last last) const;
  bool isTooHigh(unsigned item, int64_t offset) const;
  bool isTooFull(unsigned point, int64_t lowest, int64_t lowestLow) const;
  bool fitsAt(unsigned point, Last last);
  std::optional<unsigned> findFailure(List list, unsigned end, Last last);
  bool canFit(List list, Last last);
  void blameAllAt(unsigned point);
  void addLeft(const PlacedItem &item, int64_t sign);
  void place(unsigned item, int64_t offset);
  void takeBack(List list, size_t changesBefore);
  bool placeAll(List list, Last last);
  bool placeConnected(List list, Last last);

  const llvm::ArrayRef<PlacedItem> items;
  const int64_t height, limit;
  int64_t nodesLeft = 0;
  /// By item: the end of what is placed below it.
  std::vector<int64_t> floor, offsets;
  std::vector<char> placed;
  std::vector<llvm::SmallVector<unsigned>> meets;
  std::vector<unsigned> rank;
  std::vector<int64_t> *blamed = nullptr;
  /// By point: its items, the bytes of those that are not placed, and the
  /// lowest offset of any of them; the same of low ones.
  std::vector<llvm::SmallVector<unsigned>> itemsAt;
  std::vector<int64_t> left, lowest, lowLeft, lowestLow;
  std::vector<Change> changes; ///< of floors
  /// Points that failed, the last first.
  std::array<unsigned, 4> failed{};
};

} // namespace mlir::zero
