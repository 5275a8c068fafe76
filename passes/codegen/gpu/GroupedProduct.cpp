//===- GroupedProduct.cpp - Products of groups of rows on a GPU -----------===//
//
// zrt_grouped_FROM_TO_FORM_GROUPSxNxK(x, y, offsets, w, table, units) computes
// the same bits as ZRT_GROUPED_MATMUL on the host.  `table` has the number of
// rows, and for each group the element of `w` where its matrix begins.  A part
// of a unit is 64 columns of the result, which a block computes
// (ProductTile.h).
//
//   sums   a unit is a group, and a part one of its tiles
//   else   a unit is a slot, for 128 rows of a group, and a part 64 columns.
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

#include "passes/codegen/gpu/GroupedProduct.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/VectorLoops.h"
#include "passes/codegen/gpu/GroupBuffers.h"
#include "passes/codegen/gpu/ProductTile.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::zero;

static_assert(ProductTile::kThreads == kBlockThreads &&
              ProductTile::kSharedBytes <= kMaxSharedBytes);

namespace {

class GroupedBuilder {
public:
  GroupedBuilder(OpBuilder &builder, Location loc,
                 const GroupedProduct &product, func::FuncOp function)
      : code(builder, loc), b(builder), loc(loc), product(product),
        offsets(code.viewAll(function.getArgument(2),
                             code.index(product.groups + 1))),
        table(code.viewAll(function.getArgument(4),
                           code.index(product.groups + 1))),
        rows(numberOf(code.index(0))),
        x(code.viewAll(function.getArgument(0), rows)),
        y(code.viewAll(function.getArgument(1), rows)),
        w(function.getArgument(3)), unit(function.getArgument(7)),
        part(function.getArgument(8)),
        tile(code, function.getArgument(5), function.getArgument(6)) {}

  /// y = x W[g], for a slot.
  void multiplyRows() {
    Value group = findGroup(), begin = rowAt(group),
          end = code.max(rowAt(code.add(group, 1)), begin),
          slot = code.sub(unit, firstSlot(group)),
          row = code.add(begin, code.mul(slot, kRows)),
          column = code.mul(part, kColumns);
    const auto [n, k] = std::pair(product.n, product.k);
    // Offsets that do not rise select no rows, and lead to no other memory.
    Value isOfGroup =
        code.both(code.isLess(row, end), code.isLess(code.sub(begin, 1), row));
    code.when(isOfGroup, [&] {
      Value ofW = matrixOf(group), count = code.sub(end, row),
            columns = code.sub(code.index(n), column), depth = code.index(k);
      ProductStrip a{x, code.mul(row, k), count, k, /*alongDepth=*/true},
          w{viewW(ofW), code.add(ofW, code.mul(column, product.transW ? k : 1)),
            columns, product.transW ? k : n, product.transW};
      tile.store(tile.multiply(a, w, depth, k), y,
                 code.add(code.mul(row, n), column), n, count, columns);
    });
  }

  /// W[g] = x^T y, for a group.
  void addRows() {
    const auto [n, k] = std::pair(product.n, product.k);
    const int64_t across = llvm::divideCeil(n, kColumns);
    Value begin = rowAt(unit),
          depth = code.sub(code.max(rowAt(code.add(unit, 1)), begin), begin),
          row = code.mul(code.div(part, across), kRows),
          column = code.mul(code.rem(part, across), kColumns),
          height = code.sub(code.index(k), row),
          width = code.sub(code.index(n), column);
    ProductStrip ofX{x, code.add(code.mul(begin, k), row), height, k, false},
        ofY{y, code.add(code.mul(begin, n), column), width, n, false};
    Values sums =
        code.ifThen(code.isLess(code.index(0), depth), tile.zeros(),
                    [&] { return tile.multiply(ofX, ofY, depth, -1); });
    Value ofW = matrixOf(unit);
    tile.store(sums, viewW(ofW),
               code.add(code.add(ofW, code.mul(row, n)), column), n, height,
               width);
  }

private:
  static constexpr int64_t kRows = ProductTile::kRows,
                           kColumns = ProductTile::kColumns;

  Value toIndex(Value number) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  }
  Value numberOf(Value at) {
    return toIndex(memref::LoadOp::create(b, loc, table, at));
  }
  /// The first row of `group`; the number of rows if there is no such group.
  Value rowAt(Value group) {
    Value at = toIndex(memref::LoadOp::create(b, loc, offsets, group));
    return code.max(code.min(at, rows), 0);
  }
  Value firstSlot(Value group) {
    return code.add(code.div(rowAt(group), kRows), group);
  }
  /// The last group whose first slot is at most the unit.
  Value findGroup() {
    Value group = code.index(0);
    for (auto step = llvm::bit_floor(static_cast<uint64_t>(product.groups));
         step > 0; step /= 2) {
      Value other = code.min(code.add(group, static_cast<int64_t>(step)),
                             product.groups - 1);
      group = code.select(code.isLess(unit, firstSlot(other)), group, other);
    }
    return group;
  }
  Value matrixOf(Value group) { return numberOf(code.add(group, 1)); }
  Value viewW(Value first) {
    return code.viewAll(w, code.add(first, product.n * product.k));
  }

  BlockCode code;
  OpBuilder &b;
  Location loc;
  const GroupedProduct &product;
  Value offsets, table, rows, x, y, w, unit, part;
  ProductTile tile;
};

std::string nameOf(const GroupedProduct &product) {
  const char *form = product.sums ? "sums" : product.transW ? "xwt" : "xw";
  return "zrt_grouped_" + debugString(product.from) + "_" +
         debugString(product.to) + "_" + form + "_" +
         std::to_string(product.groups) + "x" + std::to_string(product.n) +
         "x" + std::to_string(product.k);
}

} // namespace

void zero::emitGroupedProduct(ModuleOp module, const GroupedProduct &product) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type index = b.getIndexType();
  auto first = [](Type type) { return MemRefType::get({}, type); };
  Type ofY = product.sums ? product.from : product.to,
       ofW = product.sums ? product.to : product.from;
  auto function = func::FuncOp::create(
      b, loc, nameOf(product),
      b.getFunctionType(
          {first(product.from), first(ofY), first(b.getI32Type()), first(ofW),
           first(b.getI64Type()), index,
           MemRefType::get({ProductTile::kSharedBytes}, b.getI8Type()), index,
           index},
          {}));
  function.setPrivate();
  const int64_t across = llvm::divideCeil(product.n, ProductTile::kColumns),
                down = llvm::divideCeil(product.k, ProductTile::kRows);
  function->setAttr(kUnitPartsAttr,
                    b.getI64IntegerAttr(product.sums ? across * down : across));
  function->setAttr(kUnitElementsAttr, b.getI64IntegerAttr(1));
  function->setAttr(kSharedBytesAttr,
                    b.getI64IntegerAttr(ProductTile::kSharedBytes));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&function.front());
  GroupedBuilder builder(b, loc, product, function);
  product.sums ? builder.addRows() : builder.multiplyRows();
}
