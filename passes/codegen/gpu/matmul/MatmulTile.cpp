//===- MatmulTile.cpp - A tile of a matmul by a block ---------------------===//
//
// Loads beyond an edge are clamped to the last line or depth.  Their values are
// not multiplied, or the products are not stored.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/matmul/MatmulTile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::zero;

static constexpr int64_t kQuad = 4;
/// Padding of a row of a tile, in lines, so that stores have fewer bank
/// conflicts.
static constexpr int64_t kPadding = 4;

static Type elementOfTile(Value view) {
  return cast<MemRefType>(view.getType()).getElementType();
}

MatmulTile::Side MatmulTile::sideOf(const MatmulStrip &strip, int64_t lines,
                                    int64_t place) const {
  const int64_t bits = elementOfTile(strip.view).getIntOrFloatBitWidth(),
                most = std::min(128 / bits, lines * kStep / kThreads);
  return {strip, lines, place, std::gcd(strip.stride, most)};
}

/// The number of vectors that a thread loads for a step.
int64_t MatmulTile::vectorsOf(const Side &side) const {
  return side.lines * kStep / kThreads / side.width;
}

/// Line and depth of the thread's vector `i` in a step.
std::pair<Value, Value> MatmulTile::placeOf(const Side &side, int64_t i) {
  Value at = add(thread, i * kThreads);
  const int64_t perLine = kStep / side.width,
                perDepth = side.lines / side.width;
  if (side.strip.alongDepth)
    return {div(at, perLine), mul(rem(at, perLine), side.width)};
  return {mul(rem(at, perDepth), side.width), div(at, perDepth)};
}

/// Loads the thread's vectors of the step at `depth`, below `end`.
void MatmulTile::load(const Side &side, Value depth, Value end, Values &to) {
  const MatmulStrip &strip = side.strip;
  Type element = elementOfTile(strip.view);
  for (int64_t i = 0; i < vectorsOf(side); ++i) {
    auto [line, inStep] = placeOf(side, i);
    const int64_t lineWidth = strip.alongDepth ? 1 : side.width,
                  depthWidth = strip.alongDepth ? side.width : 1;
    line = min(line, sub(strip.lines, lineWidth));
    inStep = min(add(depth, inStep), sub(end, depthWidth));
    Value across = strip.alongDepth ? line : inStep,
          along = strip.alongDepth ? inStep : line;
    Value at = add(add(strip.first, mul(across, strip.stride)), along);
    auto loaded = vector::LoadOp::create(
        b, loc, VectorType::get({side.width}, element), strip.view, at);
    loaded.setAlignment(side.width * element.getIntOrFloatBitWidth() / 8);
    to.push_back(loaded);
  }
}

Value MatmulTile::tileOf(const Side &side, Value buffer) {
  const int64_t row = side.lines + kPadding;
  auto type = MemRefType::get({kStep, row}, b.getF32Type());
  return memref::ViewOp::create(b, loc, type, shared,
                                add(mul(buffer, kStep * row * 4), side.place),
                                ValueRange());
}

Value MatmulTile::vectorOf(Value vector, int64_t first) {
  if (cast<VectorType>(vector.getType()).getNumElements() == kQuad)
    return vector;
  return vector::ExtractStridedSliceOp::create(
      b, loc, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{kQuad},
      ArrayRef<int64_t>{1});
}

/// Stores loaded vectors in buffer `buffer` of shared memory.
void MatmulTile::keep(const Side &side, ArrayRef<Value> vectors, Value buffer) {
  Value tile = tileOf(side, buffer);
  for (int64_t i = 0; i < vectorsOf(side); ++i) {
    auto [line, inStep] = placeOf(side, i);
    Value vector = vectors[i];
    if (!elementOfTile(side.strip.view).isF32())
      vector = arith::ExtFOp::create(
          b, loc, VectorType::get({side.width}, b.getF32Type()), vector);
    if (!side.strip.alongDepth && side.width % kQuad == 0) {
      for (int64_t e = 0; e < side.width; e += kQuad)
        storeShared(vectorOf(vector, e), tile, inStep, add(line, e));
      continue;
    }
    for (int64_t e = 0; e < side.width; ++e) {
      Value row = side.strip.alongDepth ? add(inStep, e) : inStep,
            column = side.strip.alongDepth ? line : add(line, e);
      memref::StoreOp::create(b, loc, lane(vector, e), tile,
                              ValueRange{row, column});
    }
  }
}

Values MatmulTile::fill(float value) {
  return Values(16, spread(f32(value), kQuad));
}

/// Adds the products of depth `at` of a step.
Values MatmulTile::addStep(ArrayRef<Side> sides, ArrayRef<Value> tiles,
                           Value at, ArrayRef<Value> sums) {
  Values rows, columns, next;
  for (int64_t half = 0; half < 2; ++half) {
    rows.push_back(loadShared(tiles[0], at,
                              add(mul(ty, kQuad), half * sides[0].lines / 2)));
    columns.push_back(loadShared(
        tiles[1], at, add(mul(tx, kQuad), half * sides[1].lines / 2)));
  }
  for (int64_t r = 0; r < 2 * kQuad; ++r) {
    Value x = spread(lane(rows[r / kQuad], r % kQuad), kQuad);
    for (int64_t c = 0; c < 2; ++c)
      next.push_back(fma(x, columns[c], sums[2 * r + c]));
  }
  return next;
}

/// The sums over depths from `begin` to `end`, of `depth` in all.  The operands
/// of the first step are in shared memory already; at the end, those of the
/// step after `end` are.
Values MatmulTile::addRun(ArrayRef<Side> sides, Value begin, Value end,
                          Value depth, int64_t known) {
  auto tilesAt = [&](Value buffer) -> Values {
    return {tileOf(sides[0], buffer), tileOf(sides[1], buffer)};
  };
  Value length = sub(end, begin), rest = rem(length, kStep),
        whole = sub(end, rest);
  Values sums = loop(
      begin, whole, kStep, fill(0), [&](Value at, ArrayRef<Value> carried) {
        Value buffer = bufferAt(at), other = sub(index(1), buffer);
        Values next[2];
        for (int side = 0; side < 2; ++side)
          load(sides[side], add(at, kStep), depth, next[side]);
        Values mine(carried), tiles = tilesAt(buffer);
        for (int64_t e = 0; e < kStep; ++e)
          mine = addStep(sides, tiles, index(e), mine);
        for (int side = 0; side < 2; ++side)
          keep(sides[side], next[side], other);
        barrier();
        return mine;
      });
  if (known >= 0 && known % kStep == 0)
    return sums;
  Values tiles = tilesAt(bufferAt(whole));
  return loop(index(0), rest, 1, sums, [&](Value at, ArrayRef<Value> carried) {
    return addStep(sides, tiles, at, carried);
  });
}

Values MatmulTile::multiply(const MatmulStrip &left, const MatmulStrip &right,
                            Value depth, int64_t known) {
  const Side ofA = sideOf(left, kRows, 0),
             ofB = sideOf(right, kColumns, 2 * kStep * (kRows + kPadding) * 4);
  const Side sides[] = {ofA, ofB};
  for (const Side &side : sides) {
    Values first;
    load(side, index(0), depth, first);
    keep(side, first, index(0));
  }
  barrier();
  if (known >= 0 && known <= kMatmulRun)
    return addRun(sides, index(0), depth, depth, known);
  // The length of a run, as in depthOf of the processors' product.
  auto divideUp = [&](Value x, Value y) { return add(div(sub(x, 1), y), 1); };
  Value runs = divideUp(depth, index(kMatmulRun)),
        run = mul(divideUp(divideUp(depth, runs), index(8)), 8);
  // Adding to -0 changes nothing.
  return loop(index(0), depth, run, fill(-0.0f),
              [&](Value begin, ArrayRef<Value> carried) {
                Value end = min(add(begin, run), depth);
                Values sums = addRun(sides, begin, end, depth, known);
                for (auto [sum, before] : llvm::zip_equal(sums, carried))
                  sum = addf(before, sum);
                return sums;
              });
}

void MatmulTile::store(ArrayRef<Value> sums, Value view, Value first,
                       int64_t stride, Value rows, Value columns) {
  Type to = elementOfTile(view);
  auto rounded = [&](Value x) -> Value {
    if (to.isF32())
      return x;
    auto vector = dyn_cast<VectorType>(x.getType());
    return arith::TruncFOp::create(b, loc, vector ? vector.clone(to) : to, x);
  };
  for (int64_t r = 0; r < 2 * kQuad; ++r) {
    Value row = add(mul(ty, kQuad), r / kQuad * (kRows / 2) + r % kQuad);
    when(isLess(row, rows), [&] {
      for (int64_t c = 0; c < 2; ++c) {
        Value column = add(mul(tx, kQuad), c * (kColumns / 2)),
              at = add(add(first, mul(row, stride)), column),
              sum = sums[2 * r + c];
        if (stride % kQuad == 0) {
          when(isLess(column, columns), [&] {
            auto store =
                vector::StoreOp::create(b, loc, rounded(sum), view, at);
            store.setAlignment(kQuad * to.getIntOrFloatBitWidth() / 8);
          });
          continue;
        }
        for (int64_t e = 0; e < kQuad; ++e)
          when(isLess(add(column, e), columns),
               [&] { storeOne(rounded(lane(sum, e)), view, add(at, e)); });
      }
    });
  }
}
