//===- DecodedTables.cpp - Values that depend on no token -----------------===//
//
// What rows are combined with and no token leads to: initial values and
// broadcasts, which are the same for all rows and get another size; and tables
// of positions, of which a slot reads the rows of its positions.
//
//===----------------------------------------------------------------------===//

#include "passes/model/DecodedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

Value DecodedRows::resize(Value old, const Rows &like) {
  Operation *def = old.getDefiningOp();
  if (!def)
    return {};
  RankedTensorType type = resized(old, like.dim);
  if (isa<tensor::EmptyOp>(def))
    return tensor::EmptyOp::create(b, old.getLoc(), type.getShape(),
                                   type.getElementType());
  if (auto fill = dyn_cast<linalg::FillOp>(def)) {
    Value init = resize(fill.getOutputs()[0], like);
    return init ? linalg::FillOp::create(b, old.getLoc(), fill.getInputs()[0],
                                         init)
                      .getResult(0)
                : Value();
  }
  // A broadcast, which is the same for all rows.
  if (auto generic = dyn_cast<linalg::GenericOp>(def);
      generic && generic->getNumResults() == 1 &&
      !generic.hasIndexSemantics()) {
    auto loop = dyn_cast<AffineDimExpr>(
        generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
            .getResult(like.dim));
    if (!loop ||
        llvm::any_of(generic.getDpsInputOperands(), [&](OpOperand *in) {
          return generic.getMatchingIndexingMap(in).isFunctionOfDim(
              loop.getPosition());
        }))
      return {};
    SmallVector<Value> operands(generic.getDpsInputs());
    operands.push_back(resize(generic.getDpsInits()[0], like));
    if (!operands.back())
      return {};
    Operation *copy = b.clone(*def);
    copy->setOperands(operands);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }
  DenseElementsAttr splat;
  if (auto constant = dyn_cast<arith::ConstantOp>(def))
    splat = dyn_cast<DenseElementsAttr>(constant.getValue());
  return splat && splat.isSplat()
             ? arith::ConstantOp::create(b, old.getLoc(),
                                         splat.resizeSplat(type))
                   .getResult()
             : Value();
}

Value DecodedRows::pull(Value old, unsigned dim) {
  RankedTensorType type = tensorTypeOf(old);
  if (dim > 1 || type.getDimSize(dim) != in.positions)
    return {};
  if (dim == 1)
    if (Value fresh = resize(old, {{}, 1, 1}))
      return fresh;
  Operation *def = old.getDefiningOp();
  SmallVector<int64_t> shape(type.getShape());
  if (dim == 0)
    shape.insert(shape.begin(), tensorTypeOf(in.tokens).getDimSize(0));
  shape[1] = in.step;
  // Casts, and other work of one operand.
  if (def && OpTrait::hasElementwiseMappableTraits(def) &&
      def->getNumOperands() == 1) {
    Value operand = pull(def->getOperand(0), dim);
    if (!operand)
      return {};
    Operation *copy = b.clone(*def);
    copy->setOperands(operand);
    copy->getResult(0).setType(type.clone(shape));
    return copy->getResult(0);
  }
  // Broadcasts of [T, ...] or [B, T, ...] over the rows.
  auto generic = def ? dyn_cast<linalg::GenericOp>(def) : linalg::GenericOp();
  if (generic && dim == 1 && generic->getNumResults() == 1 &&
      generic.getNumReductionLoops() == 0 && !generic.hasIndexSemantics()) {
    AffineMap out =
        generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
    AffineExpr slot = out.getResult(0), row = out.getResult(1);
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps(generic.getIndexingMapsArray());
    auto loop = dyn_cast<AffineDimExpr>(row);
    bool isKnown = loop && isa<AffineDimExpr>(slot);
    for (auto [i, operand] : llvm::enumerate(generic.getDpsInputs())) {
      AffineMap &map = maps[i];
      if (isKnown && map.isFunctionOfDim(loop.getPosition())) {
        auto at = llvm::find(map.getResults(), row);
        const auto place = unsigned(at - map.getResults().begin());
        isKnown = at != map.getResults().end() &&
                  (place == 0 || (place == 1 && map.getResult(0) == slot));
        Value pulled = isKnown ? pull(operand, place) : Value();
        if (!pulled)
          return {};
        if (place == 0) {
          SmallVector<AffineExpr> all(map.getResults());
          all.insert(all.begin(), slot);
          map = AffineMap::get(map.getNumDims(), 0, all, b.getContext());
        }
        operands.push_back(pulled);
      } else {
        operands.push_back(operand);
      }
    }
    Value init =
        isKnown ? resize(generic.getDpsInits()[0], {{}, 1, 1}) : Value();
    if (!init)
      return {};
    operands.push_back(init);
    Operation *copy = b.clone(*def);
    copy->setOperands(operands);
    cast<linalg::GenericOp>(copy).setIndexingMapsAttr(
        b.getAffineMapArrayAttr(maps));
    copy->getResult(0).setType(type.clone(shape));
    return copy->getResult(0);
  }
  // A table of positions.
  if (dim != 0 || type.getRank() > 2 || !type.getElementType().isFloat())
    return {};
  Value table = old;
  Location loc = old.getLoc();
  if (type.getRank() == 1)
    table = tensor::ExpandShapeOp::create(
        b, loc, type.clone({type.getDimSize(0), int64_t{1}}), table,
        SmallVector<ReassociationIndices>{{0, 1}});
  SmallVector<int64_t> wide(tensorTypeOf(in.tokens).getShape());
  wide[1] = in.step;
  wide.push_back(tensorTypeOf(table).getDimSize(1));
  Value found = nn::EmbeddingOp::create(b, loc, type.clone(wide), getPlaces(),
                                        table, /*padding=*/IntegerAttr());
  if (type.getRank() == 1)
    found = tensor::CollapseShapeOp::create(
        b, loc, type.clone(shape), found,
        SmallVector<ReassociationIndices>{{0}, {1, 2}});
  return found;
}
