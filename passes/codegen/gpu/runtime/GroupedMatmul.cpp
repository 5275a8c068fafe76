//===- GroupedMatmul.cpp - Products of groups of rows on a GPU ------------===//
//
// zrt_grouped_FROM_TO_FORM_GROUPSxNxK(x, y, offsets, w, table, units): `table`
// has the number of rows, and for each group the element of `w` where its
// matrix begins.  A part of a unit is a tile's columns of the result, which a
// block computes: 128, on tensor cores, of operands of 16 bits whose rows can
// be copied by 16 bytes (MmaMatmulTile.h); else 64, with the same bits as
// ZRT_GROUPED on the host (MatmulTile.h).
//
//   sums   a unit is a group, and a part one of its tiles
//   else   a unit is a slot, for 128 rows of a group, and a part its columns.
//          Only the offsets, on the device, say which rows.  Group g has the
//          slots from offsets[g] / 128 + g on, rounded down:
//
//          rows     0 |---- group 0 ----|- group 1 -|------- group 2 -----| 512
//          offsets  0                   200         330
//          slots    0: 0 to 127         2: 200..    4: 330..   5: 458..
//                   1: 128 to 199       3: 328..    6: none
//
//          So slots rise with groups, and each group has enough.  At most as
//          many slots as groups have no rows, and their blocks end at once.
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/matmul/MmaMatmulTile.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/VectorLoops.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// A tile of `Tile`, on tensor cores or not.
template <typename Tile>
class GroupedBuilder : BlockCode {
  static_assert(Tile::kThreads == kBlockThreads &&
                Tile::kSharedBytes <= kMaxSharedBytes);

public:
  GroupedBuilder(OpBuilder &builder, Location loc, const GroupedMatmul &product,
                 const RuntimeArguments &given)
      : BlockCode(builder, loc), product(product),
        offsets(viewAll(given.operands[2], index(product.groups + 1))),
        table(viewAll(given.operands[4], index(product.groups + 1))),
        rows(numberOf(index(0))), x(viewAll(given.operands[0], rows)),
        y(viewAll(given.operands[1], rows)), w(given.operands[3]),
        unit(given.unit()), part(given.part()), tile(makeTile(given)) {}

  /// y = x W[g], for a slot.
  void multiplyRows() {
    Value group = findGroup(), begin = rowAt(group),
          end = max(rowAt(add(group, 1)), begin),
          slot = sub(unit, firstSlot(group)),
          row = add(begin, mul(slot, kRows)), column = mul(part, kColumns);
    const auto [n, k] = std::pair(product.n, product.k);
    // Offsets that do not rise select no rows, and lead to no other memory.
    Value isOfHalfWarp = both(isLess(row, end), isLess(sub(begin, 1), row));
    when(isOfHalfWarp, [&] {
      Value ofW = matrixOf(group), count = sub(end, row),
            columns = sub(index(n), column), depth = index(k);
      MatmulStrip a{x, mul(row, k), count, k, /*alongDepth=*/true},
          w{viewW(ofW), add(ofW, mul(column, product.transW ? k : 1)), columns,
            product.transW ? k : n, product.transW};
      tile.store(multiply(a, w, depth, k), y, add(mul(row, n), column), n,
                 count, columns);
    });
  }

  /// W[g] = x^T y, for a group.
  void addRows() {
    const auto [n, k] = std::pair(product.n, product.k);
    const int64_t across = llvm::divideCeil(n, kColumns);
    Value begin = rowAt(unit),
          depth = sub(max(rowAt(add(unit, 1)), begin), begin),
          row = mul(div(part, across), kRows),
          column = mul(rem(part, across), kColumns),
          height = sub(index(k), row), width = sub(index(n), column);
    MatmulStrip ofX{x, add(mul(begin, k), row), height, k, false},
        ofY{y, add(mul(begin, n), column), width, n, false};
    Values sums = ifThen(isLess(index(0), depth), tile.zeros(),
                         [&] { return multiply(ofX, ofY, depth, -1); });
    Value ofW = matrixOf(unit);
    tile.store(sums, viewW(ofW), add(add(ofW, mul(row, n)), column), n, height,
               width);
  }

private:
  static constexpr int64_t kRows = Tile::kRows, kColumns = Tile::kColumns;
  static constexpr bool kIsMma = std::is_same_v<Tile, MmaMatmulTile>;

  Tile makeTile(const RuntimeArguments &given) {
    if constexpr (kIsMma)
      return {*this, given.thread};
    else
      return {*this, given.thread, given.shared};
  }
  Values multiply(const MatmulStrip &left, const MatmulStrip &right,
                  Value depth, int64_t known) {
    if constexpr (kIsMma)
      return tile.multiply(left, right, depth);
    else
      return tile.multiply(left, right, depth, known);
  }

  Value numberOf(Value at) { return toIndex(loadOne(table, at)); }
  /// The first row of `group`; the number of rows if there is no such group.
  Value rowAt(Value group) {
    Value at = toIndex(loadOne(offsets, group));
    return max(min(at, rows), 0);
  }
  Value firstSlot(Value group) { return add(div(rowAt(group), kRows), group); }
  /// The last group whose first slot is at most the unit.
  Value findGroup() {
    Value group = index(0);
    for (auto step = llvm::bit_floor(static_cast<uint64_t>(product.groups));
         step > 0; step /= 2) {
      Value other =
          min(add(group, static_cast<int64_t>(step)), product.groups - 1);
      group = select(isLess(unit, firstSlot(other)), group, other);
    }
    return group;
  }
  Value matrixOf(Value group) { return numberOf(add(group, 1)); }
  Value viewW(Value first) {
    return viewAll(w, add(first, product.n * product.k));
  }

  const GroupedMatmul &product;
  Value offsets, table, rows, x, y, w, unit, part;
  Tile tile;
};

template <typename Tile>
RuntimeKernel kernelOf(const GroupedMatmul &product) {
  const auto &[sums, transW, from, to, groups, n, k] = product;
  const int64_t across = llvm::divideCeil(n, Tile::kColumns),
                down = llvm::divideCeil(k, Tile::kRows);
  MLIRContext *context = from.getContext();
  return {zrt::groupedEntry(debugString(from), debugString(to), sums, transW,
                            groups, n, k),
          {from, sums ? from : to, IntegerType::get(context, 32),
           sums ? to : from, IntegerType::get(context, 64)},
          {{kUnitPartsAttr, sums ? across * down : across},
           {kUnitElementsAttr, 1},
           {kSharedBytesAttr, Tile::kSharedBytes}},
          [product](OpBuilder &b, Location loc, const RuntimeArguments &given) {
            GroupedBuilder<Tile> builder(b, loc, product, given);
            product.sums ? builder.addRows() : builder.multiplyRows();
          }};
}

} // namespace

RuntimeKernel zero::getGroupedKernel(const GroupedMatmul &product) {
  const bool isMma = MmaMatmulTile::supports(product.from, product.n) &&
                     MmaMatmulTile::supports(product.from, product.k);
  return isMma ? kernelOf<MmaMatmulTile>(product)
               : kernelOf<MatmulTile>(product);
}
