//===- StateUpdates.cpp - Emits the norm and the updates ------------------===//
//
// An update takes the factor of zero.clip, and so comes after the backward.  If
// that factor is always one, the update comes as soon as its gradient is
// finished and nothing reads its parameters any more.  On several ranks it
// comes one bucket later, since the gradient is being reduced until then.
//
//   the norm limits it               nothing clips, on one rank
//
//   backward of @b1                  backward of @b1
//   flatten @b1                      flatten @b1
//   backward of @b0                  update @b1
//   flatten @b0                      backward of @b0
//   clip                             flatten @b0
//   update @b0                       update @b0
//   update @b1                       clip
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

/// Adds up the squares of all buckets; with virtual shards those of each, and
/// then neighbours first.
Value ProgramBuilder::emitTotal(ArrayRef<Value> squares) {
  auto total = [&](ValueRange values) -> Value {
    return TotalOp::create(b, name("grad_norm"),
                           RankedTensorType::get({}, b.getF64Type()), values);
  };
  const int64_t segments = partition.numSegments();
  if (segments == 1)
    return total(squares);
  SmallVector<Value> totals;
  for (int64_t i = 0; i < segments; ++i) {
    SmallVector<Value> parts;
    for (Value all : squares) {
      const int64_t blocks =
          cast<RankedTensorType>(all.getType()).getNumElements() / segments;
      parts.push_back(SplitOp::create(
          b, all.getLoc(), RankedTensorType::get({blocks}, b.getF64Type()), all,
          i * blocks));
    }
    totals.push_back(total(parts));
  }
  while (totals.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < totals.size(); i += 2)
      pairs.push_back(total({totals[i], totals[i + 1]}));
    totals = std::move(pairs);
  }
  return totals.front();
}

/// Emits the factor that limits the norm of all gradients.
Value ProgramBuilder::emitClip() {
  SmallVector<Value> squares;
  for (Value partial : partials)
    if (partial)
      squares.push_back(partial);
  if (partition.ranks() > 1 || partition.virtualShards)
    squares = {emitTotal(squares)};
  if (partition.ranks() > 1)
    squares = {AllReduceOp::create(
        b, name("grad_norm"), squares.front().getType(), squares.front(),
        axis(), b.getF64FloatAttr(1.0), inTree(), inTree())};
  SmallVector<Value> within;
  if (partition.skipNonfinite) {
    within = {scalars.lookup(kNormLimit), scalars.lookup(kLossLimit)};
    for (const Output &output : outputs)
      if (output.name == "loss")
        within.push_back(output.value);
  }
  auto clip = ClipOp::create(b, name("clip"), scalarType(), scalarType(),
                             squares, scalars.lookup(kLossScale), within,
                             partition.maxNorm > 0
                                 ? b.getF64FloatAttr(partition.maxNorm)
                                 : FloatAttr());
  outputs.push_back({clip.getNorm(), "grad_norm", {}});
  return clip.getFactor();
}

static Operation *later(Operation *a, Operation *b) {
  return a && (!b || b->isBeforeInBlock(a)) ? a : b;
}

/// The operations that read `value`, or what is gathered of it.
static SmallVector<Operation *> findReaders(Value value) {
  auto readers = llvm::to_vector(value.getUsers());
  for (Operation *user : value.getUsers())
    if (isCollective(user) || changesFormat(user))
      llvm::append_range(readers, findReaders(user->getResult(0)));
  return readers;
}

/// The operation after which bucket `k` can be updated.
Operation *ProgramBuilder::findReady(size_t k) {
  Operation *ready =
      later(gradients[k].getDefiningOp(), partials[k].getDefiningOp());
  return later(ready, findLastReader(findReaders(state[0][k])));
}

/// By bucket: the operation before which it is updated.
SmallVector<Operation *> ProgramBuilder::findUpdatePlaces() {
  SmallVector<Operation *> places(buckets.size(), returned);
  if (partition.clips())
    return places;
  SmallVector<std::pair<Operation *, size_t>> ready;
  for (size_t k = 0; k < buckets.size(); ++k)
    if (!buckets[k].frozen)
      ready.push_back({findReady(k), k});
  llvm::sort(ready, [](const auto &a, const auto &b) {
    return a.first == b.first ? a.second < b.second
                              : a.first->isBeforeInBlock(b.first);
  });
  size_t ahead = partition.ranks() > 1 ? 1 : 0;
  for (auto [i, one] : llvm::enumerate(ready))
    if (i + ahead < ready.size() && ready[i + ahead].first != returned)
      places[one.second] = ready[i + ahead].first->getNextNode();
  return places;
}

void ProgramBuilder::emitUpdates() {
  OptimizerOp rule = partition.rule;
  SmallVector<Operation *> places = findUpdatePlaces();
  b.setInsertionPoint(returned);
  scalars[kClipFactor] = emitClip();
  SmallVector<Value> scalarValues;
  for (StringRef scalar : rule.getScalars().getAsValueRange<StringAttr>())
    if (scalar != "decay") // Members say which of them decay.
      scalarValues.push_back(scalars.lookup(scalar));
  size_t slotCount = rule.getSlots().size();
  size_t updated = 1 + slotCount + (partition.masters ? 1 : 0);
  for (auto [k, bucket] : llvm::enumerate(buckets)) {
    if (bucket.frozen)
      continue;
    Location loc = name(bucket, ".next");
    b.setInsertionPoint(places[k]);
    SmallVector<Value> values;
    for (size_t s = 0; s < updated; ++s)
      values.push_back(state[s][k]);
    auto update = UpdateOp::create(
        b, loc, ValueRange(values).getTypes(), FlatSymbolRefAttr::get(rule),
        symbol(k), values.front(), gradients[k],
        ArrayRef(values).slice(1, slotCount),
        partition.masters ? values.back() : Value(), scalarValues,
        scalars.lookup(kRounding), b.getF64FloatAttr(partition.weightDecay),
        partition.skipNonfinite ? b.getUnitAttr() : UnitAttr());
    for (size_t s = 0; s < updated; ++s)
      next[s][k] = update.getNext()[s];
    // The update wrote the rank's slice of a whole parameter, or of a part.
    if (partition.ranks() > 1 && partition.stage > 0 &&
        partition.extentOf("param", bucket) != Extent::Slice)
      next[0][k] = gatherInPlace(k, next[0][k], loc);
    // A tree's sums may end as anything: the next micro-step overwrites them.
    if (partition.hasSums() && partition.virtualShards)
      next[firstSum][k] = sums[k];
    else if (partition.hasSums())
      next.back()[k] =
          ClearOp::create(b, loc, sums[k].getType(), sums[k], symbol(k));
  }
}
