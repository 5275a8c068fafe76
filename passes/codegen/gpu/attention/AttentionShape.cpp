//===- AttentionShape.cpp - Sizes and options of an attention -------------===//

#include "passes/codegen/gpu/attention/Attention.h"

#include "numerics/AttentionSizes.h"

using namespace mlir;
using namespace mlir::zero;

template <typename OpT>
static AttentionShape describe(OpT op) {
  RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
  AttentionShape shape;
  shape.queries = q.getDimSize(1);
  shape.keys = k.getDimSize(1);
  shape.width = q.getDimSize(3);
  shape.heads = q.getDimSize(2);
  shape.keyHeads = k.getDimSize(2);
  shape.scale = static_cast<float>(op.getScale().convertToDouble());
  shape.softCap = op.getSoftCap()
                      ? static_cast<float>(op.getSoftCap()->convertToDouble())
                      : 0;
  shape.causal = op.getCausal();
  shape.window = op.getWindow().value_or(0);
  shape.rate = op.getRate() ? op.getRate()->convertToDouble() : 0;
  shape.place = op.getPlace().value_or(0);
  const int64_t filled = ::zrt::Sizes::filledUp(shape.width);
  shape.chunk = std::min(filled, AttentionCode::kChunk);
  shape.chunks = llvm::divideCeil(filled, AttentionCode::kChunk);
  // More sums do not fit into a thread's registers.
  shape.held = std::min<int64_t>(shape.chunks, 2);
  return shape;
}

static void setBlocks(AttentionShape &shape, const ::zrt::Sizes &sizes) {
  shape.queryBlock = sizes.queries;
  shape.keyBlock = sizes.keys;
}

AttentionShape zero::shapeOf(nn::AttentionOp op) {
  AttentionShape shape = describe(op);
  setBlocks(shape, ::zrt::forwardSizes(shape));
  return shape;
}

AttentionShape zero::shapeOf(nn::CachedAttentionOp op) {
  RankedTensorType q = op.getQ().getType();
  AttentionShape shape = {};
  shape.queries = shape.keys = op.getKeys().getType().getDimSize(2);
  shape.width = q.getDimSize(3);
  shape.heads = q.getDimSize(2);
  shape.keyHeads = op.getK().getType().getDimSize(2);
  shape.scale = static_cast<float>(op.getScale().convertToDouble());
  shape.softCap = op.getSoftCap()
                      ? static_cast<float>(op.getSoftCap()->convertToDouble())
                      : 0;
  shape.causal = true;
  shape.window = op.getWindow().value_or(0);
  setBlocks(shape, ::zrt::forwardSizes(shape));
  return shape;
}

AttentionShape zero::shapeOf(nn::AttentionBackwardOp op) {
  AttentionShape shape = describe(op);
  setBlocks(shape, ::zrt::backwardSizes(shape, shape.softCap > 0));
  shape.addsToKeys =
      op.getQ().getType().getElementType().isF32() && !shape.oneKeyBlock();
  return shape;
}
