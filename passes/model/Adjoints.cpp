//===- Adjoints.cpp - Sums of contributions to adjoints -------------------===//

#include "passes/model/Adjoints.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::zero;

static bool isStatic(tensor::InsertSliceOp insert) {
  auto known = [](ArrayRef<int64_t> sizes) {
    return llvm::none_of(sizes, ShapedType::isDynamic);
  };
  return known(insert.getStaticOffsets()) && known(insert.getStaticSizes()) &&
         known(insert.getStaticStrides());
}

/// Whether two static slices share an element; strides count as dense.
static bool overlap(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
  for (size_t d = 0; d < x.getStaticOffsets().size(); ++d) {
    auto range = [&](tensor::InsertSliceOp op) {
      int64_t start = op.getStaticOffsets()[d], size = op.getStaticSizes()[d];
      return std::pair(start,
                       size ? start + (size - 1) * op.getStaticStrides()[d] + 1
                            : start);
    };
    auto [xStart, xEnd] = range(x);
    auto [yStart, yEnd] = range(y);
    if (xEnd <= yStart || yEnd <= xStart)
      return false;
  }
  return true;
}

/// The value that `term` was rounded from, or else `term`, widened.
static Value unround(OpBuilder &b, Location loc, Value term) {
  auto rounded = term.getDefiningOp<arith::TruncFOp>();
  if (rounded && nn::isHalf(term.getType()))
    return rounded.getIn();
  return nn::widen(b, loc, term);
}

/// x + y.  With 16 bits the sum is rounded once, and its terms are not.
static Value addRounded(OpBuilder &b, Location loc, Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!nn::isHalf(type))
    return arith::AddFOp::create(b, loc, x, y);
  Value sum =
      arith::AddFOp::create(b, loc, unround(b, loc, x), unround(b, loc, y));
  return nn::roundTo(b, loc, sum, type);
}

/// A contribution to an adjoint of f32, in f32: without its rounding, if the
/// value before it is known.
static Value asWide(OpBuilder &b, Value contribution) {
  Location loc = contribution.getLoc();
  // The type may change, because nothing reads the contribution yet.
  if (contribution.getDefiningOp<nn::GroupedMatmulBackwardOp>() &&
      contribution.use_empty()) {
    auto type = cast<RankedTensorType>(contribution.getType());
    contribution.setType(type.clone(b.getF32Type()));
    return contribution;
  }
  auto scatter = contribution.getDefiningOp<nn::EmbeddingBackwardOp>();
  if (!nn::isHalf(contribution.getType()) || !scatter ||
      !nn::isZeros(scatter.getInit()))
    return unround(b, loc, contribution);
  auto type = cast<RankedTensorType>(contribution.getType());
  return nn::EmbeddingBackwardOp::create(
      b, loc, scatter.getTokens(), unround(b, loc, scatter.getGrad()),
      nn::zeros(b, loc, type.clone(b.getF32Type())));
}

void Adjoints::add(Value value, Value contribution) {
  if (auto insert = contribution.getDefiningOp<tensor::InsertSliceOp>();
      insert && nn::isZeros(insert.getDest()) && isStatic(insert) &&
      llvm::none_of(slices[value], [&](tensor::InsertSliceOp other) {
        return overlap(insert, other);
      })) {
    slices[value].push_back(insert);
    return;
  }
  if (wide.contains(value))
    contribution = asWide(b, contribution);
  Value &sum = sums[value];
  if (!sum) {
    sum = contribution;
    return;
  }
  auto scatter = contribution.getDefiningOp<nn::EmbeddingBackwardOp>();
  if (scatter && nn::isZeros(scatter.getInit())) {
    scatter.getInitMutable().assign(sum);
    sum = contribution;
    return;
  }
  sum = addRounded(b, value.getLoc(), sum, contribution);
}

Value Adjoints::get(Value value) {
  auto waiting = slices.find(value);
  if (waiting != slices.end() && !waiting->second.empty()) {
    SmallVector<tensor::InsertSliceOp> inserts = std::move(waiting->second);
    slices.erase(waiting);
    auto type = cast<RankedTensorType>(value.getType());
    if (wide.contains(value))
      type = type.clone(b.getF32Type());
    int64_t covered = 0;
    for (tensor::InsertSliceOp insert : inserts)
      covered += insert.getSourceType().getNumElements();
    Value packed =
        covered == type.getNumElements()
            ? tensor::EmptyOp::create(b, value.getLoc(), type.getShape(),
                                      type.getElementType())
                  .getResult()
            : nn::zeros(b, value.getLoc(), type);
    for (tensor::InsertSliceOp insert : inserts)
      packed = tensor::InsertSliceOp::create(
          b, insert.getLoc(),
          wide.contains(value) ? unround(b, insert.getLoc(), insert.getSource())
                               : Value(insert.getSource()),
          packed, insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    Value &sum = sums[value];
    sum = sum ? addRounded(b, value.getLoc(), sum, packed) : packed;
  }
  return sums.lookup(value);
}
