//===- LowerMatmuls.cpp - Turns every contraction into nn.matmul ----------===//
//
// A contraction is a generic whose body is acc + a * b.  Its loops fall into
// four groups by the operands that they index:
//
//            a   b   c
//   batch    x   x   x
//   m        x       x
//   n            x   x
//   k        x   x
//
// The last three have at least one loop each; without m or n it is a product
// with a vector, which stays a row kernel.  Upstream knows the groups, but not
// the order of their loops in the operands.
//
// It is one matmul when in every operand each group's loops stand
// together, in one order, and the batch leads; then a group collapses into one
// dimension and only the order of the two groups of an operand matters: that is
// the transpose.  A result stored n x m is computed as its transpose, by
// exchanging a and b.  If copies of operands bring them into that form, as in a
// convolution, FitContraction.cpp makes them.  (`linalg-specialize-generic-ops`
// loses transposes here: it turned a square x W^T into x W.)
//===----------------------------------------------------------------------===//

#include "passes/kernels/FitContraction.h"
#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-lower-matmuls"

namespace mlir::zero {
#define GEN_PASS_DEF_LOWERMATMULS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

using Group = SmallVector<unsigned>;

struct Contraction {
  Group batch, m, n, k;
  Value a, b, c; // c: the initial value, or null when it is zero
  bool transposeA = false, transposeB = false, swapped = false;
};

/// Whether `dims` is batch followed by two groups in either order; `swapped`
/// tells which.
bool splits(ArrayRef<unsigned> dims, const Group &batch, const Group &first,
            const Group &second, bool &swapped) {
  auto matches = [&](const Group &x, const Group &y) {
    Group all(batch);
    llvm::append_range(all, x);
    llvm::append_range(all, y);
    return ArrayRef<unsigned>(all) == dims;
  };
  swapped = false;
  if (matches(first, second))
    return true;
  swapped = true;
  return matches(second, first);
}

Group dimsOf(AffineMap map) {
  Group dims;
  for (AffineExpr expr : map.getResults())
    dims.push_back(cast<AffineDimExpr>(expr).getPosition());
  return dims;
}

/// The loops of `group`, in the order of `dims`.
Group pick(const Group &dims, ArrayRef<unsigned> group) {
  return llvm::filter_to_vector(
      dims, [&](unsigned dim) { return llvm::is_contained(group, dim); });
}

FailureOr<Contraction> matchContraction(linalg::GenericOp op) {
  // Upstream's contractions may also be of integers, or convert a and b.
  if (!linalg::isaContractionOpInterface(op) ||
      !llvm::hasNItems(*op.getBody(), 3) ||
      !isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0])))
    return failure();
  FailureOr<linalg::ContractionDimensions> loops =
      linalg::inferContractionDims(op);
  // A product with a vector is bound by memory: better fused into a row kernel.
  if (failed(loops) || loops->m.empty() || loops->n.empty() || loops->k.empty())
    return failure();
  // A sum over a loop that only one operand has is no matmul.
  if (loops->batch.size() + loops->m.size() + loops->n.size() +
          loops->k.size() !=
      op.getNumLoops())
    return failure();
  Group a = dimsOf(op.getIndexingMapsArray()[0]),
        b = dimsOf(op.getIndexingMapsArray()[1]),
        c = dimsOf(op.getIndexingMapsArray()[2]);
  Contraction result;
  result.batch = pick(c, loops->batch);
  result.m = pick(c, loops->m);
  result.n = pick(c, loops->n);
  result.k = pick(a, loops->k);
  bool swapC = false;
  if (!splits(a, result.batch, result.m, result.k, result.transposeA) ||
      !splits(b, result.batch, result.k, result.n, result.transposeB) ||
      !splits(c, result.batch, result.m, result.n, swapC))
    return failure();
  result.a = op.getDpsInputs()[0];
  result.b = op.getDpsInputs()[1];
  Value init = op.getDpsInits()[0];
  result.c = nn::isZeros(init) ? Value() : init;
  result.swapped = swapC;
  return result;
}

/// Collapses or expands `value` to `shape`; groups of dimensions stay together,
/// so this is a view.
Value reshape(OpBuilder &b, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto target = RankedTensorType::get(shape, type.getElementType());
  if (auto grouping = getReassociationIndicesForReshape(type, target)) {
    if (type.getRank() > target.getRank())
      return tensor::CollapseShapeOp::create(b, loc, target, value, *grouping);
    if (type.getRank() < target.getRank())
      return tensor::ExpandShapeOp::create(b, loc, target, value, *grouping);
  }
  // Reshapes through one dimension if ranks are equal, or if sizes of one make
  // the grouping ambiguous.
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        ReassociationIndices(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)))};
  };
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, loc, flat, value,
                                            all(type.getRank()));
  if (shape.size() > 1)
    value =
        tensor::ExpandShapeOp::create(b, loc, target, value, all(shape.size()));
  return value;
}

/// The value that the product may read in place of `value`: the 16-bit value
/// that it was widened from, or itself.
Value unwidened(Value value) {
  Value narrow = nn::getWidened(value);
  return narrow ? narrow : value;
}

/// Replaces factors, both or none, by the values that they were widened from.
void unwiden(Value &a, Value &b) {
  Value narrowA = unwidened(a), narrowB = unwidened(b);
  if (getElementTypeOrSelf(narrowA) != getElementTypeOrSelf(narrowB))
    return;
  a = narrowA;
  b = narrowB;
}

/// Lets a product round its sum, if the sum is only rounded.
void roundResult(nn::MatmulOp op) {
  if (!nn::isHalf(op.getA().getType()) || op.getInit())
    return;
  SmallVector<Operation *> views;
  Value value = op.getResult();
  while (value.hasOneUse() &&
         isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
             *value.user_begin())) {
    views.push_back(*value.user_begin());
    value = views.back()->getResult(0);
  }
  auto rounded = value.hasOneUse()
                     ? dyn_cast<arith::TruncFOp>(*value.user_begin())
                     : arith::TruncFOp();
  if (!rounded || getElementTypeOrSelf(rounded.getType()) !=
                      op.getA().getType().getElementType())
    return;
  auto narrow = [&](Value result) {
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(op.getA().getType().getElementType()));
  };
  narrow(op.getResult());
  for (Operation *view : views)
    narrow(view->getResult(0));
  rounded.replaceAllUsesWith(value);
  rounded.erase();
}

void lowerContraction(linalg::GenericOp op, Contraction c) {
  unwiden(c.a, c.b);
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  auto extent = [&](const Group &group) {
    int64_t size = 1;
    for (unsigned dim : group)
      size *= loops[dim];
    return size;
  };
  int64_t m = extent(c.m), n = extent(c.n), k = extent(c.k);
  LDBG() << "product of " << m << " x " << n << " x " << k << " at " << loc;
  SmallVector<int64_t> batch;
  if (!c.batch.empty())
    batch.push_back(extent(c.batch));
  auto shape = [&](int64_t rows, int64_t cols) {
    SmallVector<int64_t> sizes(batch);
    sizes.append({rows, cols});
    return sizes;
  };
  Value a = reshape(b, loc, c.a, c.transposeA ? shape(k, m) : shape(m, k));
  Value bb = reshape(b, loc, c.b, c.transposeB ? shape(n, k) : shape(k, n));
  SmallVector<int64_t> result = c.swapped ? shape(n, m) : shape(m, n);
  auto type = RankedTensorType::get(
      result,
      cast<RankedTensorType>(op.getResult(0).getType()).getElementType());
  Value init = c.c ? reshape(b, loc, c.c, result) : Value();
  // c^T = b^T a^T
  Value product = c.swapped
                      ? nn::MatmulOp::create(b, loc, type, bb, a, Value(), init,
                                             !c.transposeB, !c.transposeA)
                      : nn::MatmulOp::create(b, loc, type, a, bb, Value(), init,
                                             c.transposeA, c.transposeB);
  auto original = cast<RankedTensorType>(op.getResult(0).getType());
  op.getResult(0).replaceAllUsesWith(
      reshape(b, loc, product, original.getShape()));
  op.erase();
}

void lowerLinear(nn::LinearOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType x = op.getX().getType(), y = op.getResult().getType();
  int64_t in = x.getShape().back(), out = y.getShape().back();
  int64_t rows = x.getNumElements() / in;
  Value left = op.getX(), weight = op.getWeight(), bias = op.getBias();
  unwiden(left, weight);
  if (nn::isHalf(left.getType()))
    bias = unwidened(bias);
  Value flat = reshape(b, loc, left, {rows, in});
  Value product = nn::MatmulOp::create(
      b, loc, RankedTensorType::get({rows, out}, y.getElementType()), flat,
      weight, bias, /*init=*/Value(), /*transposeA=*/false,
      !op.getTransposed());
  op.getResult().replaceAllUsesWith(reshape(b, loc, product, y.getShape()));
  op.erase();
}

struct LowerMatmulsPass : zero::impl::LowerMatmulsBase<LowerMatmulsPass> {
  void runOnOperation() override {
    SmallVector<nn::LinearOp> linears;
    SmallVector<linalg::GenericOp> generics;
    zero::walkFunctions(getOperation(), [&](Operation *op) {
      if (auto linear = dyn_cast<nn::LinearOp>(op))
        linears.push_back(linear);
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        generics.push_back(generic);
    });
    for (nn::LinearOp op : linears)
      lowerLinear(op);
    for (linalg::GenericOp op : generics) {
      // Named products are generalised first by DifferentiateLoss.
      op = zero::fitContraction(op);
      if (FailureOr<Contraction> match = matchContraction(op); succeeded(match))
        lowerContraction(op, *match);
    }
    SmallVector<nn::MatmulOp> products;
    zero::walkFunctions(getOperation(),
                        [&](nn::MatmulOp op) { products.push_back(op); });
    llvm::for_each(products, roundResult);
  }
};

} // namespace
