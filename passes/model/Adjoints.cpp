//===- Adjoints.cpp - Sums of contributions to adjoints -------------------===//

#include "passes/model/Adjoints.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

bool isZeros(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_PosZeroFloat());
}

/// Slices with constant bounds that were inserted into zeros one after another,
/// last first.
using Chain = SmallVector<tensor::InsertSliceOp>;

bool hasConstantBounds(tensor::InsertSliceOp op) {
  auto constant = [](ArrayRef<int64_t> list) {
    return llvm::none_of(list, ShapedType::isDynamic);
  };
  return constant(op.getStaticOffsets()) && constant(op.getStaticSizes()) &&
         llvm::all_of(op.getStaticStrides(), [](int64_t s) { return s == 1; });
}

/// The chain that made `value`, if its elements are otherwise zero.
FailureOr<Chain> getChain(Value value) {
  Chain chain;
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!hasConstantBounds(insert))
      return failure();
    chain.push_back(insert);
    value = insert.getDest();
  }
  if (chain.empty() || !isZeros(value))
    return failure();
  return chain;
}

bool areDisjoint(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
  for (auto [xLow, xSize, yLow, ySize] :
       llvm::zip_equal(x.getStaticOffsets(), x.getStaticSizes(),
                       y.getStaticOffsets(), y.getStaticSizes()))
    if (xLow + xSize <= yLow || yLow + ySize <= xLow)
      return true;
  return false;
}

/// `op` with another destination.
Value insertInto(OpBuilder &b, tensor::InsertSliceOp op, Value dest) {
  return tensor::InsertSliceOp::create(
      b, op.getLoc(), op.getSource(), dest, op.getMixedOffsets(),
      op.getMixedSizes(), op.getMixedStrides());
}

int64_t countElements(ArrayRef<int64_t> sizes) {
  return llvm::product_of(sizes);
}

/// Inserts a slice into a sum whose elements are zero there; null if they might
/// not be.
Value extendChain(OpBuilder &b, Value sum, tensor::InsertSliceOp slice) {
  FailureOr<Chain> chain = getChain(sum);
  if (failed(chain) || llvm::any_of(*chain, [&](tensor::InsertSliceOp other) {
        return !areDisjoint(slice, other);
      }))
    return {};
  // The chain's own slices are disjoint by induction only if it was built here;
  // a forward pass may hand over any.
  int64_t covered = countElements(slice.getStaticSizes());
  bool disjoint = true;
  for (auto [i, op] : llvm::enumerate(*chain)) {
    covered += countElements(op.getStaticSizes());
    for (tensor::InsertSliceOp other : ArrayRef(*chain).drop_front(i + 1))
      disjoint &= areDisjoint(op, other);
  }
  RankedTensorType type = slice.getDestType();
  if (!disjoint || covered != type.getNumElements())
    return insertInto(b, slice, sum);

  Value whole = tensor::EmptyOp::create(b, slice.getLoc(), type.getShape(),
                                        type.getElementType());
  for (tensor::InsertSliceOp op : llvm::reverse(*chain))
    whole = insertInto(b, op, whole);
  return insertInto(b, slice, whole);
}

} // namespace

void zero::Adjoints::add(Value value, Value contribution) {
  Value &total = sums[value];
  total = total ? sum(contribution.getLoc(), total, contribution)
                : contribution;
}

Value zero::Adjoints::sum(Location loc, Value sum, Value contribution) {
  if (auto scatter = contribution.getDefiningOp<nn::EmbeddingBackwardOp>();
      scatter && isZeros(scatter.getInit()))
    return nn::EmbeddingBackwardOp::create(b, scatter.getLoc(),
                                           scatter.getTokens(),
                                           scatter.getGrad(), sum);

  auto slice = contribution.getDefiningOp<tensor::InsertSliceOp>();
  if (!slice || !isZeros(slice.getDest()))
    return arith::AddFOp::create(b, loc, sum, contribution);
  if (hasConstantBounds(slice))
    if (Value chained = extendChain(b, sum, slice))
      return chained;
  // The sum may hold something there: add on the slice alone.
  Value old = tensor::ExtractSliceOp::create(
      b, loc, slice.getSourceType(), sum, slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
  Value added = arith::AddFOp::create(b, loc, old, slice.getSource());
  return tensor::InsertSliceOp::create(
      b, loc, added, sum, slice.getMixedOffsets(), slice.getMixedSizes(),
      slice.getMixedStrides());
}
