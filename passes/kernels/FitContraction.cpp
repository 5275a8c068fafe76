//===- FitContraction.cpp - Operands that fit a matmul --------------------===//
//
// A convolution is a matmul of its filters and all windows of its
// image, once the windows are laid out ("im2col").  Its gradients are matrix
// products, once the loops of each operand are grouped into rows and columns:
//
//   y[n, f, h, w] += x[n, c, h + i, w + j] * k[f, c, i, j]
// becomes
//   windows[c, i, j, n, h, w] = x[n, c, h + i, w + j]
//   z[f, n, h, w] += windows[c, i, j, n, h, w] * k[f, c, i, j]
//   y[n, f, h, w] = z[f, n, h, w]
//
// 1. Sort the loops into batch, m, n and k (LowerMatmuls.cpp), as if windows
//    were tensors of their own.
// 2. An operand is copied if it is read through windows, or if its groups do
//    not stand together.  The group that goes along memory comes last, so
//    copies go along memory, too.
// 3. Copy only if each element of a copy takes part in kMinUses products or
//    more: with few filters the loops are as fast.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/FitContraction.h"
#include "passes/model/LoopsOfGeneric.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;
using linalg::GenericOp;

namespace {

constexpr int64_t kMinUses = 8;

using LoopNumbers = SmallVector<unsigned>;

/// Whether the body is acc + a * b, of floats.
bool sumsProducts(GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || !llvm::hasNItems(*op.getBody(), 3) ||
      llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return false;
  Block &body = *op.getBody();
  auto product = dyn_cast<arith::MulFOp>(body.front());
  auto sum = dyn_cast<arith::AddFOp>(*std::next(body.begin()));
  if (!product || !sum)
    return false;
  auto reads = [](Operation *inner, Value x, Value y) {
    return (inner->getOperand(0) == x && inner->getOperand(1) == y) ||
           (inner->getOperand(0) == y && inner->getOperand(1) == x);
  };
  return reads(product, body.getArgument(0), body.getArgument(1)) &&
         reads(sum, body.getArgument(2), product) &&
         body.getTerminator()->getOperand(0) == sum.getResult();
}

/// The loops that `map` depends on, in the order of its positions.
LoopNumbers loopsOf(AffineMap map) {
  llvm::SmallSetVector<unsigned, 8> loops;
  for (AffineExpr expr : map.getResults())
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (expr.isFunctionOfDim(loop))
        loops.insert(loop);
  return loops.takeVector();
}

LoopNumbers selectLoops(ArrayRef<unsigned> order, ArrayRef<unsigned> group) {
  return llvm::filter_to_vector(
      order, [&](unsigned loop) { return llvm::is_contained(group, loop); });
}

/// One operand of the product, with the current and the wanted order of its
/// loops.
struct Layout {
  AffineMap map;
  LoopNumbers batch, first, second;

  LoopNumbers joined(const LoopNumbers &x, const LoopNumbers &y) const {
    LoopNumbers all(batch);
    llvm::append_range(all, x);
    llvm::append_range(all, y);
    return all;
  }
  bool readsWindows() const { return !map.isProjectedPermutation(); }
  bool fits() const {
    LoopNumbers own = loopsOf(map);
    return !readsWindows() &&
           (own == joined(first, second) || own == joined(second, first));
  }
  /// The group with the longest loop along memory comes last.
  LoopNumbers wanted(ArrayRef<int64_t> extents) const {
    std::optional<unsigned> along;
    for (unsigned loop : loopsOf(map.getMinorSubMap(1)))
      if (!along || extents[loop] > extents[*along])
        along = loop;
    return along && llvm::is_contained(first, *along) ? joined(second, first)
                                                      : joined(first, second);
  }
};

int64_t countOf(ArrayRef<unsigned> loops, ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (unsigned loop : loops)
    count *= extents[loop];
  return count;
}

/// `map` over the loops `order` alone, in that order.
AffineMap over(AffineMap map, ArrayRef<unsigned> order) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> places(map.getNumDims(),
                                 getAffineConstantExpr(0, context));
  for (auto [i, loop] : llvm::enumerate(order))
    places[loop] = getAffineDimExpr(i, context);
  return map.replaceDimsAndSymbols(places, {}, order.size(), 0);
}

RankedTensorType typeOver(ArrayRef<unsigned> order, ArrayRef<int64_t> extents,
                          Type element) {
  return RankedTensorType::get(
      llvm::map_to_vector(order, [&](unsigned loop) { return extents[loop]; }),
      element);
}

/// A generic over `type` that computes `body` of inputs at `maps`.
Value computeAll(OpBuilder &b, Location loc, RankedTensorType type,
                 ValueRange inputs, ArrayRef<AffineMap> maps,
                 nn::ScalarBody body) {
  return emitParallel(b, loc, type, inputs, maps,
                      [&](OpBuilder &nested, Location at, ValueRange args) {
                        linalg::YieldOp::create(
                            nested, at, body({nested, at, args.drop_back()}));
                      });
}

/// A copy of `value`, read at `map`, as a tensor over the loops `order`; the
/// copy is of 16 bits if `value` was widened from them.
Value copyAs(OpBuilder &b, Location loc, Value value, AffineMap map,
             ArrayRef<unsigned> order, ArrayRef<int64_t> extents) {
  Value narrow = nn::getWidened(value), source = narrow ? narrow : value;
  Type element = getElementTypeOrSelf(source);
  Value copy = computeAll(b, loc, typeOver(order, extents, element), source,
                          {over(map, order)}, nn::identity);
  return narrow ? nn::widen(b, loc, copy) : copy;
}

} // namespace

GenericOp zero::fitContraction(GenericOp op) {
  if (!sumsProducts(op))
    return op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[2].isProjectedPermutation())
    return op;
  // Treats each window as a tensor of its own.
  SmallVector<AffineMap> plain;
  for (AffineMap map : maps) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loopsOf(map))
      exprs.push_back(getAffineDimExpr(loop, op.getContext()));
    plain.push_back(
        AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext()));
  }
  FailureOr<linalg::ContractionDimensions> loops =
      linalg::inferContractionDims(plain);
  if (failed(loops) || loops->m.empty() || loops->n.empty() ||
      loops->k.empty() ||
      loops->batch.size() + loops->m.size() + loops->n.size() +
              loops->k.size() !=
          op.getNumLoops())
    return op;

  LoopNumbers result = loopsOf(maps[2]);
  LoopNumbers batch = selectLoops(result, loops->batch),
              m = selectLoops(result, loops->m),
              n = selectLoops(result, loops->n);
  // Sums in the loop order of the operand that is not copied for its windows.
  LoopNumbers k = selectLoops(
      loopsOf(maps[maps[0].isProjectedPermutation() ? 0 : 1]), loops->k);
  Layout layouts[] = {
      {maps[0], batch, m, k}, {maps[1], batch, k, n}, {maps[2], batch, m, n}};
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  const LoopNumbers *others[] = {&n, &m, &k};
  bool anyCopy = false;
  for (auto [layout, other] : llvm::zip_equal(layouts, others)) {
    if (layout.fits())
      continue;
    if (countOf(*other, extents) < kMinUses)
      return op;
    anyCopy = true;
  }
  if (!anyCopy)
    return op;

  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> inputs(op.getDpsInputs());
  auto mapOf = [&](ArrayRef<unsigned> order) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : order)
      exprs.push_back(b.getAffineDimExpr(loop));
    return AffineMap::get(op.getNumLoops(), 0, exprs, b.getContext());
  };
  for (unsigned i = 0; i < 2; ++i) {
    if (layouts[i].fits())
      continue;
    LoopNumbers order = layouts[i].wanted(extents);
    inputs[i] = copyAs(b, loc, inputs[i], maps[i], order, extents);
    maps[i] = mapOf(order);
  }
  Value init = op.getDpsInits()[0];
  AffineMap outMap = maps[2];
  LoopNumbers order = result;
  Type element = getElementTypeOrSelf(init);
  if (!layouts[2].fits()) {
    order = layouts[2].wanted(extents);
    init = nn::zeros(b, loc, typeOver(order, extents, element));
    maps[2] = mapOf(order);
  }
  auto fitted = GenericOp::create(b, loc, init.getType(), inputs, init, maps,
                                  op.getIteratorTypesArray());
  fitted.getRegion().takeBody(op.getRegion());
  Value value = fitted.getResult(0);
  if (order != result) {
    // Brings the result into its own shape, and adds its initial value.
    Value start = op.getDpsInits()[0];
    AffineMap back = over(mapOf(order), result);
    AffineMap same = over(outMap, result);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    value =
        nn::isZeros(start)
            ? computeAll(b, loc, type, value, {back}, nn::identity)
            : computeAll(b, loc, type, {value, start}, {back, same},
                         [](const nn::Scalars &in) { return in[1] + in[0]; });
  }
  op.getResult(0).replaceAllUsesWith(value);
  op.erase();
  return fitted;
}
