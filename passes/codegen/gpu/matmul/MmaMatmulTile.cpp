//===- MmaMatmulTile.cpp - A tile of a product on tensor cores ------------===//

#include "passes/codegen/gpu/matmul/MmaMatmulTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/codegen/gpu/threads/Warp.h"

using namespace mlir;
using namespace mlir::zero;

MmaMatmulTile::MmaMatmulTile(const BlockCode &code, Value thread)
    : BlockCode(code), thread(thread) {
  Value number = toI32(thread), warp = div(number, kWarpThreads);
  inWarp = rem(number, kWarpThreads);
  firstRow = mul(div(warp, 2), kWarpLines);
  firstColumn = mul(rem(warp, 2), kWarpLines);
}

/// The pieces of a thread lie whole rows of shared memory apart.
MmaMatmulTile::Side MmaMatmulTile::sideOf(const MatmulStrip &strip,
                                          Value firstLine) {
  const bool along = strip.alongDepth;
  const int64_t perRow = (along ? kStep : kLines) / kPiece,
                rowBytes = along ? kAlongBytes : kAcrossBytes,
                pieces = kLines * kStep / kPiece / kThreads,
                apart = kThreads / perRow; // rows
  Value row = div(thread, perRow), inRow = mul(rem(thread, perRow), kPiece);
  Side side{strip, {}, {}, {}, {}, {}};
  side.place = toI32(add(mul(row, rowBytes), mul(inRow, 2)));
  side.firstDepth = along ? inRow : row;
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, strip.view);
  for (int64_t i = 0; i < pieces; ++i) {
    Value mine = add(row, i * apart), line = along ? mine : inRow;
    Value at = add(add(strip.first, mul(mine, strip.stride)), inRow);
    side.addresses.push_back(add(base, mul(at, 2)));
    side.isThere.push_back(isLess(line, strip.lines));
  }
  // The lanes of a warp address 16 rows of two pieces each.
  Value lane = rem(inWarp, 16), half = div(inWarp, 16);
  side.fragments = add(mul(lane, rowBytes), mul(half, 2 * kPiece));
  side.fragments =
      add(side.fragments, mul(firstLine, along ? rowBytes : int64_t{2}));
  return side;
}

/// Starts to copy the thread's pieces of a step to a tile at `at`.
void MmaMatmulTile::copy(const Side &side, Value at, Value depth, Value end) {
  const MatmulStrip &strip = side.strip;
  const bool along = strip.alongDepth;
  const int64_t rowBytes = along ? kAlongBytes : kAcrossBytes,
                apart = kThreads * kPiece / (along ? kStep : kLines);
  Value offset = mul(depth, 2 * (along ? 1 : strip.stride)),
        mine = add(depth, side.firstDepth);
  for (auto [i, address] : llvm::enumerate(side.addresses)) {
    const auto rows = int64_t(i) * apart;
    Value isThere =
        both(side.isThere[i], isLess(along ? mine : add(mine, rows), end));
    startCopy(b, loc, add(at, side.place), rows * rowBytes,
              add(address, offset), select(isThere, i32(16), i32(0)));
  }
}

/// 16 lines of the warp, from `line` on, and the 16 depths of a step.
Values MmaMatmulTile::fragment(const Side &side, Value at, int64_t line) {
  const bool along = side.strip.alongDepth;
  ValueRange words = callWarp(
      b, loc, along ? kFragment : kTransposed,
      {add(at, side.fragments), i32(line * (along ? kAlongBytes : 2))});
  // Transposed, lines lie in the second direction.
  return along ? Values(words) : Values{words[0], words[2], words[1], words[3]};
}

Values MmaMatmulTile::addStep(ArrayRef<Side> sides, Value at,
                              ArrayRef<Value> before) {
  Values sums(before);
  SmallVector<Values> rows;
  for (int64_t row = 0; row < kWarpLines; row += 16)
    rows.push_back(fragment(sides[0], at, row));
  Value ofB = add(at, kTileBytes);
  for (int64_t column = 0; column < kWarpLines; column += 16) {
    Values two = fragment(sides[1], ofB, column);
    for (auto [i, row] : llvm::enumerate(rows))
      for (int64_t half = 0; half < 2; ++half)
        addWarpProduct(
            b, loc, element, row, two[half], two[half + 2],
            MutableArrayRef<Value>(sums).slice(
                (int64_t(i) * (kWarpLines / 8) + column / 8 + half) * 4, 4));
  }
  return sums;
}

Values MmaMatmulTile::multiply(const MatmulStrip &left,
                               const MatmulStrip &right, Value depth) {
  element = cast<MemRefType>(left.view.getType()).getElementType();
  const Side sides[] = {sideOf(left, firstRow), sideOf(right, firstColumn)};
  auto copyStep = [&](Value at, Value step) {
    when(isLess(step, depth), [&] {
      copy(sides[0], at, step, depth);
      copy(sides[1], add(at, kTileBytes), step, depth);
    });
    callWarp(b, loc, kEndCopies, {});
  };
  static_assert(kNewerCopies == kSteps - 2);
  for (int64_t i = 0; i < kSteps - 1; ++i)
    copyStep(i32(i * 2 * kTileBytes), index(i * kStep));
  auto next = [&](Value at) {
    Value after = add(at, 2 * kTileBytes);
    return select(isLess(after, kSharedBytes), after, i32(0));
  };
  // Carries where the step is, and where the step is copied to that is kSteps
  // - 1 further: the one that was multiplied last.
  Values all{i32(0), i32((kSteps - 1) * 2 * kTileBytes)};
  all.append(zeros());
  all = loop(index(0), depth, kStep, all, [&](Value at, ArrayRef<Value> now) {
    callWarp(b, loc, kWaitForOlderCopies, {});
    barrier();
    copyStep(now[1], add(at, (kSteps - 1) * kStep));
    Values result{next(now[0]), now[0]};
    result.append(addStep(sides, now[0], now.drop_front(2)));
    return result;
  });
  return Values(ArrayRef<Value>(all).drop_front(2));
}

/// Two numbers of type `to`, of 16 bits.
Value MmaMatmulTile::packed(Type to, Value low, Value high) {
  Value word =
      callWarp(b, loc, to.isBF16() ? kPackBF16 : kPackF16, {low, high})[0];
  return vector::BitCastOp::create(b, loc, VectorType::get({2}, to),
                                   vectorOf({word}));
}

void MmaMatmulTile::store(ArrayRef<Value> sums, Value view, Value first,
                          int64_t stride, Value rows, Value columns) {
  Type to = cast<MemRefType>(view.getType()).getElementType();
  Value row = toIndex(add(firstRow, div(inWarp, 4))),
        column = toIndex(add(firstColumn, mul(rem(inWarp, 4), 2)));
  for (int64_t r = 0; r < kWarpLines / 8; ++r) {
    Value mine = add(row, 8 * r),
          start = add(first, add(mul(mine, stride), column));
    when(isLess(mine, rows), [&] {
      for (int64_t c = 0; c < kWarpLines / 8; ++c)
        when(isLess(add(column, 8 * c), columns), [&] {
          const Value *pair =
              &sums[(r / 2 * (kWarpLines / 8) + c) * 4 + r % 2 * 2];
          Value both = to.isF32() ? vectorOf({pair[0], pair[1]})
                                  : packed(to, pair[0], pair[1]);
          auto store =
              vector::StoreOp::create(b, loc, both, view, add(start, 8 * c));
          store.setAlignment(to.getIntOrFloatBitWidth() / 4);
        });
    });
  }
}
