//===- ProgramBuilder.h - A program of a training step in the making -----===//
//
// All programs of a plan take the same arguments: state of all buckets (slot by
// slot; of frozen buckets parameters alone), inputs, scalars.  They return the next
// state in the arguments' order, then their outputs.
//
//   @count   one exchange per average, nothing else
//   @micro   forward, backward; per bucket: pack, then accumulate or scatter
//   @step    the same; then norm, factor, and an update per bucket, or, where
//            the factor is always one, each update as early as it can be
//   @eval    forward, loss, and what it is averaged over; state stays as it is
//   @predict forward, rows of logits, of a function of its own
//
// Where a step is layered (LayerMicroSteps.h) @count and @step have all
// micro-steps, there is no @micro, and sums of gradients begin and end in @step.
//
// The model's operations move over unchanged, so its arithmetic does not depend
// on how state is kept.  What a stage adds around them, per bucket, on N ranks:
//
//   stage       0               1               2               3
//   before use  -               -               -               all_gather
//   gradient    reduce_scatter  reduce_scatter  reduce_scatter  reduce_scatter
//               in place        in place        to a shard      to a shard
//   norm        of the slice    of the slice    of the shard    of the shard
//               all_gather
//   update      whole           slice           slice           shard
//   after it    -               all_gather      all_gather      -
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/partition/BucketLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::zero {

/// What is the same in all programs of a plan.
struct Partition {
  int64_t stage, microSteps;
  double weightDecay, maxNorm; ///< 0: none
  /// Whether a step whose gradients are not finite changes nothing.
  bool skipNonfinite = false;
  /// Whether updates work on a copy of the parameters in f32, which those are
  /// the roundings of, or equal.
  bool masters = false;
  /// What parameters are made of, gradients as they travel, their sums over
  /// micro-steps, and the optimizer's slots.
  Type element = {}, gradElement = {}, sumElement = {}, slotElement = {};
  AxisOp axis = {};
  OptimizerOp rule = {};
  BucketLayout layout = {};
  SmallVector<BucketOp> buckets = {};   ///< of the layout
  SmallVector<unsigned> arguments = {}; ///< of @step, by parameter

  /// Whether a program has all micro-steps.
  bool isLayered = false;
  /// Whether there is no program but @predict, and no state but parameters.
  bool predictsOnly = false;
  /// What a micro-step averages over: its type, and where.
  SmallVector<std::pair<Type, Location>> averages = {};

  /// Whether sums of gradients are state, from one program to the next.
  bool hasSums() const { return microSteps > 1 && !isLayered; }
  /// The micro-steps of a program.
  int64_t microStepsAtOnce() const { return isLayered ? microSteps : 1; }
  int64_t ranks() const { return AxisOp(axis).getSize(); }
  /// Whether gradients are summed into the owner's slice as they come, rather
  /// than kept whole until the update.
  bool scattersAtOnce() const { return ranks() > 1 && stage >= 2; }
  /// Whether state of that slot lies whole on every rank.
  bool isWhole(StringRef slot, const LayoutBucket &bucket) const;
  bool hasMasters() const { return masters; }
  /// Whether gradients are scaled, and the factor of zero.clip undoes that.
  bool scalesLoss = false;
  /// Whether updates depend on the norm of all gradients.
  bool clips() const { return maxNorm > 0 || skipNonfinite || scalesLoss; }
  /// Whether updates round parameters by chance.
  bool roundsByChance() const { return !Type(element).isF32() && !masters; }
  /// What state of that slot is made of.
  Type elementOf(StringRef slot, const LayoutBucket &bucket) const;
};

/// Rewrites a function from parameters and inputs to loss and gradients.  What
/// is emitted between the constructor and `finish` says which program it
/// becomes.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, const Partition &partition);

  /// Leaves the loss alone.
  void dropBackward();

  // Averages.cpp
  /// Leaves the averages alone, exchanged, as outputs.
  void exchangeAverages();
  /// Puts what the averages are by then in their place.
  void replaceAverages();
  /// Puts those over ranks in their place, and leaves them as outputs.
  void averageOverRanks();
  void emitLoss();
  /// Leaves what the function returns as the rows of logits.
  void emitLogits();

  // ParameterViews.cpp
  /// Makes each parameter a view of its bucket.
  void placeParameters();

  // PackedParameters.cpp
  /// Makes each packed parameter, wherever it is read, a copy to compute with.
  void placePacked();

  // GradientReductions.cpp
  /// Packs a bucket's gradients where the last is finished, and what follows at
  /// once.
  void emitGradients(bool isLast);

  // StateUpdates.cpp
  /// The norm of the gradients, and an update of each bucket: at the end, or
  /// where nothing clips, beside the rest of the backward.
  void emitUpdates();

  void finish();

private:
  func::FuncOp function;
  const Partition &partition;
  ArrayRef<LayoutBucket> buckets;
  OpBuilder b;
  Block &block;
  /// Of the loss and a gradient per parameter, each of all micro-steps.
  func::ReturnOp returned;
  unsigned oldCount; ///< of arguments
  SmallVector<StringRef> slots;
  SmallVector<Attribute> argAttrs;
  /// By slot, then bucket: what a program starts with, and its next value; null
  /// for slots that a frozen bucket lacks.
  SmallVector<SmallVector<Value>> state, next;
  llvm::StringMap<Value> scalars;
  struct Output {
    Value value;
    std::string name;
    /// Of what there is one in each micro-step: which, if there are several.
    IntegerAttr micro;
  };
  SmallVector<Output> outputs;
  /// By bucket: what the update reads, and sums of squares; null for frozen
  /// ones.
  SmallVector<Value> gradients, partials;

  void addArguments();
  Value addArgument(Type type, Location loc, StringRef attr, Attribute value);
  Value average(Value value, Location loc);
  void replaceAverage(AverageOp op, Value mean);
  void eraseUnused();
  void placeWhole();
  void placeSharded();
  Value view(size_t parameter, ArrayRef<Value> flat);
  Value gather(size_t k);
  StringRef blockOf(size_t parameter);
  bool isPacked(size_t parameter);
  Value dequantize(size_t parameter, SmallVectorImpl<Value> &flat);
  Value gradientOf(unsigned parameter, int64_t micro);
  Operation *findLastGradient(const LayoutBucket &bucket, int64_t micro);
  Value pack(size_t k, int64_t micro);
  Value beginSum(size_t k);
  Value reduce(size_t k, Value sum, Value flat, bool isLast);
  void finishGradient(size_t k, Value flat);
  Value emitClip();
  Operation *findReady(size_t k);
  SmallVector<Operation *> findUpdatePlaces();

  /// Null where a program has one micro-step.
  IntegerAttr microAttr(int64_t micro) {
    return partition.isLayered ? b.getI64IntegerAttr(micro) : IntegerAttr();
  }
  FlatSymbolRefAttr symbol(size_t k) const {
    return FlatSymbolRefAttr::get(BucketOp(partition.buckets[k]));
  }
  FlatSymbolRefAttr axis() const {
    return FlatSymbolRefAttr::get(AxisOp(partition.axis));
  }
  RankedTensorType flatType(size_t k, Type element) {
    return RankedTensorType::get({buckets[k].elements}, element);
  }
  Type shardType(size_t k, Type element, bool whole) {
    return ShardType::get(b.getContext(), buckets[k].elements, element,
                          whole ? 1 : partition.ranks());
  }
  RankedTensorType scalarType() {
    return RankedTensorType::get({}, b.getF32Type());
  }
  Location name(const Twine &name) {
    return NameLoc::get(b.getStringAttr(name));
  }
  /// "b2 (h.0)", or as a part of it, "b2.grad (h.0)".
  Location name(const LayoutBucket &bucket, const Twine &part = "") {
    return NameLoc::get(b.getStringAttr(bucket.name + part),
                        name(bucket.label));
  }
};

} // namespace mlir::zero
