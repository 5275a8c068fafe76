//===- GradientReductions.cpp - From gradients to what updates read -------===//
//
// Buckets are packed where the last of their gradients is finished, so that
// they are reduced while the backward goes on.  Gradients are computed inside
// the pack, or are cut without a copy.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::zero;

/// The operation that finishes the last of a bucket's gradients; null where one
/// is no operation's.
Operation *ProgramBuilder::findLastGradient(const LayoutBucket &bucket) {
  Operation *last = nullptr;
  for (const LayoutMember &member : bucket.members) {
    // Gradients follow the loss in parameter order.
    Operation *def = returned.getOperand(1 + member.parameter).getDefiningOp();
    if (!def)
      return nullptr;
    if (!last || last->isBeforeInBlock(def))
      last = def;
  }
  return last;
}

Value ProgramBuilder::pack(size_t k) {
  SmallVector<Value> parts;
  for (const auto &[parameter, member] : buckets[k].members) {
    Value gradient = returned.getOperand(1 + parameter);
    if (member.isPiece()) {
      auto type = cast<RankedTensorType>(gradient.getType());
      gradient = SplitOp::create(
          b, name(member.getName().getValue() + ".grad"),
          RankedTensorType::get(member.getShape(), type.getElementType()),
          gradient, member.getFirstRow());
    }
    parts.push_back(gradient);
  }
  return PackOp::create(b, name(buckets[k].label),
                        flatType(k, partition.gradElement), parts, symbol(k));
}

/// What the update reads of a pack, or the sum so far.
Value ProgramBuilder::reduce(size_t k, Value flat, bool isLast) {
  Location loc = name(buckets[k].label);
  int64_t ranks = partition.ranks(), microSteps = partition.microSteps;
  auto scale = [&](int64_t parts) { return b.getF64FloatAttr(1.0 / parts); };
  Value sum = microSteps > 1 ? state.back()[k] : Value();
  if (partition.scattersAtOnce())
    return ReduceScatterOp::create(
        b, loc,
        sum ? sum.getType()
            : shardType(k, partition.gradElement, /*whole=*/false),
        flat, symbol(k), sum, scale(ranks * microSteps));
  if (sum)
    flat = AccumulateOp::create(b, loc, sum.getType(), sum, flat, symbol(k),
                                scale(ranks == 1 ? microSteps : 1));
  if (ranks == 1 || !isLast)
    return flat;
  return ReduceScatterOp::create(b, loc, flat.getType(), flat, symbol(k),
                                 Value(), scale(ranks * microSteps));
}

void ProgramBuilder::emitGradients(bool isLast) {
  SmallVector<Operation *> finished =
      llvm::map_to_vector(buckets, [&](const LayoutBucket &bucket) {
        return findLastGradient(bucket);
      });
  for (auto [k, bucket] : llvm::enumerate(buckets)) {
    // A piece goes after the one before it.
    if (!bucket.continuesParameter()) {
      b.setInsertionPoint(returned);
      if (finished[k])
        b.setInsertionPointAfter(finished[k]);
    }
    Value flat = reduce(k, pack(k), isLast);
    if (!isLast) {
      next.back()[k] = flat;
      continue;
    }
    Location loc = name(bucket.label);
    auto type = RankedTensorType::get(
        {SumSquaresOp::getNumBlocks(partition.buckets[k], partition.ranks())},
        b.getF64Type());
    partials.push_back(SumSquaresOp::create(b, loc, type, flat, symbol(k)));
    if (partition.ranks() > 1 && partition.stage == 0)
      flat = AllGatherOp::create(b, loc, flat.getType(), flat, symbol(k));
    gradients.push_back(flat);
  }
}
