//===- GradientReductions.cpp - Packs and reduces gradients ---------------===//
//
// Buckets are packed where the last of their gradients is finished, so that
// reductions run in parallel with the rest of the backward.  Gradients are
// computed inside the pack, or are cut without a copy.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::zero;

/// The returned values are the loss and the gradients of the trained
/// parameters, in order.
Value ProgramBuilder::gradientOf(unsigned parameter, int64_t micro) {
  auto before = ArrayRef(partition.layout.places).take_front(parameter);
  int64_t place = 1 + llvm::count_if(before, [&](ArrayRef<LayoutPlace> places) {
                    return !buckets[places.front().bucket].frozen;
                  });
  return returned.getOperand(place * partition.microStepsAtOnce() + micro);
}

/// The operation that finishes the last of a bucket's gradients; null if one is
/// an argument.
Operation *ProgramBuilder::findLastGradient(const LayoutBucket &bucket,
                                            int64_t micro) {
  Operation *last = nullptr;
  for (const LayoutMember &member : bucket.members) {
    Operation *def = gradientOf(member.parameter, micro).getDefiningOp();
    if (!def)
      return nullptr;
    if (!last || last->isBeforeInBlock(def))
      last = def;
  }
  return last;
}

Value ProgramBuilder::pack(size_t k, int64_t micro) {
  SmallVector<Value> parts;
  for (const auto &[parameter, member] : buckets[k].members) {
    Value gradient = gradientOf(parameter, micro);
    if (member.isPiece()) {
      auto type = cast<RankedTensorType>(gradient.getType());
      gradient = SplitOp::create(
          b, name(member.getName().getValue() + ".grad"),
          RankedTensorType::get(member.getShape(), type.getElementType()),
          gradient, member.getFirstRow());
    }
    parts.push_back(gradient);
  }
  auto flat =
      PackOp::create(b, name(buckets[k], ".flat"),
                     flatType(k, partition.gradElement), parts, symbol(k));
  if (IntegerAttr attr = microAttr(micro))
    flat->setAttr(kMicroAttr, attr);
  return flat;
}

/// The value to which the first gradient is added; null if there is no sum.
Value ProgramBuilder::beginSum(size_t k) {
  if (partition.hasSums())
    return state.back()[k];
  if (!partition.isLayered)
    return {};
  return ZerosOp::create(
      b, name(buckets[k], ".grad"),
      shardType(k, partition.sumElement, partition.isWhole("grad", buckets[k])),
      symbol(k));
}

/// Adds `flat` to `sum` if there is one, and reduces it over ranks: returns the
/// sum so far, or after the last micro-step the gradient of the update.
Value ProgramBuilder::reduce(size_t k, Value sum, Value flat, bool isLast) {
  Location loc = name(buckets[k], ".grad");
  int64_t ranks = partition.ranks(), microSteps = partition.microSteps;
  auto scale = [&](int64_t parts) { return b.getF64FloatAttr(1.0 / parts); };
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

/// Emits the squares of the gradient `flat`, and gathers it if the update needs
/// all of it.
void ProgramBuilder::finishGradient(size_t k, Value flat) {
  auto type = RankedTensorType::get(
      {SumSquaresOp::getNumBlocks(partition.buckets[k], partition.ranks())},
      b.getF64Type());
  partials[k] = SumSquaresOp::create(b, name(buckets[k], ".squares"), type,
                                     flat, symbol(k));
  if (partition.ranks() > 1 && partition.stage == 0)
    flat = AllGatherOp::create(b, name(buckets[k], ".grad"), flat.getType(),
                               flat, symbol(k));
  gradients[k] = flat;
}

void ProgramBuilder::emitGradients(bool isLast) {
  int64_t microSteps = partition.microStepsAtOnce();
  // By bucket, then micro-step: the operation that finishes the gradients.
  SmallVector<SmallVector<Operation *>> finished;
  for (const LayoutBucket &bucket : buckets) {
    finished.emplace_back();
    if (bucket.frozen)
      continue;
    for (int64_t micro = 0; micro < microSteps; ++micro)
      finished.back().push_back(findLastGradient(bucket, micro));
  }
  // By micro-step: the operation that the next piece of a parameter follows;
  // null: at the end.
  SmallVector<Operation *> after(microSteps);
  partials.resize(buckets.size());
  gradients.resize(buckets.size());
  for (auto [k, bucket] : llvm::enumerate(buckets)) {
    if (bucket.frozen)
      continue;
    // A piece follows the previous one.
    if (!bucket.continuesParameter())
      after = finished[k];
    Value flat;
    for (int64_t micro = 0; micro < microSteps; ++micro) {
      Operation *place = after[micro];
      // Sums add the micro-steps in order.
      if (place && flat && place->isBeforeInBlock(flat.getDefiningOp()))
        place = flat.getDefiningOp();
      b.setInsertionPoint(returned);
      if (place)
        b.setInsertionPointAfter(place);
      Value packed = pack(k, micro), sum = flat ? flat : beginSum(k);
      bool isLastOfAll = isLast && micro + 1 == microSteps;
      flat = reduce(k, sum, packed, isLastOfAll);
      if (isLastOfAll)
        finishGradient(k, flat);
      after[micro] = &*std::prev(b.getInsertionPoint());
    }
    if (!isLast)
      next.back()[k] = flat;
  }
}
