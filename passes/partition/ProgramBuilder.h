//===- ProgramBuilder.h - Builds the programs of a training step ----------===//
//
// All programs of a plan take the same arguments: state of all buckets (slot by
// slot; frozen buckets have only parameters), inputs, scalars.  They return the
// next state in the arguments' order, then their outputs.
//
//   @count   one collective per average, nothing else
//   @micro   forward, backward; per bucket: gradients are added to sums, and
//            flattened; or flatten, then scatter, and with virtual shards
//            add_leaf
//   @step    the same; then norm, factor, and an update per bucket; if the
//            factor is always one, each update comes as early as it can
//   @eval    forward, loss, and the values that it is averaged over; state is
//            unchanged
//   @prefill, @decode
//            forward of some positions of each slot, and rows of logits, from
//            separate functions; caches are their last arguments, and are
//            returned between next states and outputs
//   @score   forward, and values of samples, from a separate function
//
// If a step is layered (LayerMicroSteps.h), @count and @step have all
// micro-steps, there is no @micro, and sums of gradients begin and end in
// @step.
//
// The model's operations are kept unchanged, so its arithmetic does not depend
// on how state is kept.  A stage adds these operations around them, per bucket,
// on N ranks:
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
// Where ranks are in groups (zero.axis), a reduction is one over members and
// one over groups, and a gather one over groups and one over members.  With
// hasPartsAtRest, parameters of stage 3 are gathered over groups after their
// update, rather than before each use, and sums over micro-steps are reduced
// over groups once, after the last of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/partition/BucketLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::zero {

/// The properties that all programs of a plan share.
struct Partition {
  int64_t stage, microSteps;
  double weightDecay, maxNorm; ///< 0: none
  /// Whether a step whose gradients are not finite changes nothing.
  bool skipNonfinite = false;
  /// Whether updates work on f32 copies of the parameters, which are rounded
  /// from the copies or equal to them.
  bool masters = false;
  /// Element types: of parameters, of flat gradients and reductions, of
  /// their sums over micro-steps, and of the optimizer's slots.
  Type element = {}, gradElement = {}, sumElement = {}, slotElement = {};
  AxisOp axis = {};
  OptimizerOp rule = {};
  BucketLayout layout = {};
  SmallVector<BucketOp> buckets = {};   ///< of the layout
  SmallVector<unsigned> arguments = {}; ///< of @step, by parameter

  /// Whether a program has all micro-steps.
  bool isLayered = false;
  /// Whether programs are only forward, and parameters are the only state.
  bool isForward = false;
  /// The type and the location of each average of a micro-step.
  SmallVector<std::pair<Type, Location>> averages = {};

  /// Whether sums of gradients are state that programs pass on to the next.
  bool hasSums() const { return microSteps > 1 && !isLayered; }
  /// The micro-steps of a program.
  int64_t microStepsAtOnce() const { return isLayered ? microSteps : 1; }
  int64_t ranks() const { return AxisOp(axis).getSize(); }
  /// Ranks of a group; all, if there are no groups.
  int64_t members() const { return AxisOp(axis).getGroupSize(); }
  bool hasGroups() const { return members() < ranks(); }
  /// If not 0, sums and the norm are those of a tree with so many leaves: a
  /// micro-step of a rank each.
  int64_t virtualShards = 0;
  /// The parts of a slice whose squares are added up by themselves.
  int64_t numSegments() const {
    return virtualShards ? virtualShards / ranks() : 1;
  }
  /// The sums of gradients that are state.
  int64_t numSums() const {
    return !hasSums()      ? 0
           : virtualShards ? int64_t(llvm::Log2_64(uint64_t(microSteps)))
                           : 1;
  }
  /// With groups, whether parameters and sums that are not whole are parts of
  /// members at the end of a program, rather than slices of all ranks.
  bool hasPartsAtRest = false;
  /// Whether gradients are summed into the owner's slice as they come, rather
  /// than kept whole until the update.
  bool scattersAtOnce() const {
    return ranks() > 1 && (stage >= 2 || virtualShards > 0);
  }
  /// Whether state of that slot lies whole on every rank.
  bool isWhole(StringRef slot, const LayoutBucket &bucket) const;
  /// How much of a bucket the state of that slot is on a rank.
  Extent extentOf(StringRef slot, const LayoutBucket &bucket) const;
  /// Whether gradients are scaled, and the factor of zero.clip undoes that.
  bool scalesLoss = false;
  /// Whether updates depend on the norm of all gradients.
  bool clips() const { return maxNorm > 0 || skipNonfinite || scalesLoss; }
  /// The elements in which ranks gather parameters, and reduce gradients; null:
  /// those that they have.
  Type paramWire = {}, gradWire = {};
  /// Whether updates round parameters stochastically.
  bool roundsByChance() const { return !Type(element).isF32() && !masters; }
  /// The element type of state of that slot.
  Type elementOf(StringRef slot, const LayoutBucket &bucket) const;
};

/// Rewrites a function from parameters and inputs to loss and gradients.  The
/// calls between the constructor and `finish` determine which program it
/// becomes.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, const Partition &partition);

  /// Keeps only the loss.
  void dropBackward();

  // Averages.cpp
  /// Keeps only the averages, exchanged between ranks, as outputs.
  void outputAverages();
  /// Replaces each average by its mean: a scalar, or a collective.
  void replaceAverages();
  /// Replaces each average by its mean over ranks, and makes that an output.
  void averageOverRanks();
  void emitLoss();
  /// Makes the function's first result an output; the others are next caches.
  void emitResult();

  // ParameterViews.cpp
  /// Makes each parameter a view of its bucket.
  void placeParameters();

  // PackedParameters.cpp
  /// Dequantizes each packed parameter before its uses.
  void unpackParameters();

  // GradientReductions.cpp
  /// Flattens each bucket's gradients where the last one is finished, and adds
  /// and reduces them there.
  void emitGradients(bool isLast);

  // StateUpdates.cpp
  /// Emits the norm of the gradients, and an update of each bucket: at the end
  /// or, if nothing clips, between the operations of the backward.
  void emitUpdates();

  void finish();

private:
  func::FuncOp function;
  const Partition &partition;
  ArrayRef<LayoutBucket> buckets;
  OpBuilder b;
  Block &block;
  /// Returns the loss and a gradient per parameter, each for all micro-steps.
  func::ReturnOp returned;
  unsigned oldCount; ///< number of arguments before
  SmallVector<StringRef> slots;
  SmallVector<Attribute> argAttrs;
  /// By slot, then bucket: the value at the start of a program, and the next
  /// one; null for slots that a frozen bucket lacks.
  SmallVector<SmallVector<Value>> state, next;
  llvm::StringMap<Value> scalars;
  struct Output {
    Value value;
    std::string name;
    /// The micro-step of a value that exists in each, if there are several.
    IntegerAttr micro;
  };
  SmallVector<Output> outputs;
  SmallVector<Value> nextCaches;
  /// By bucket: the gradient that the update reads, the last sum of micro-steps
  /// (the same, if it is reduced in its bytes), and the sums of squares; null
  /// for frozen ones.
  SmallVector<Value> gradients, sums, partials;
  /// The slot of the first sum of micro-steps.
  size_t firstSum = 0;

  void addArguments();
  Value addArgument(Type type, Location loc, StringRef attr, Attribute value);
  Value average(Value value, Location loc);
  void forEachAverage(
      function_ref<void(AverageOp op, const std::string &name)> visit);
  void replaceAverage(AverageOp op, Value mean);
  void eraseUnused();
  void placeWhole();
  void placeSharded();
  Value view(size_t parameter, ArrayRef<Value> flat);
  Value gather(size_t k);
  Value gatherWhole(size_t k, Value slice, Location loc);
  Value gatherInPlace(size_t k, Value value, Location loc);
  Value quantize(size_t k, Value value, Type wire);
  UnitAttr inTree() {
    return partition.virtualShards ? b.getUnitAttr() : UnitAttr();
  }
  SmallVector<Value> sumsOf(size_t k);
  Value reduceInTree(size_t k, Value flat, bool isLast);
  StringRef blockOf(size_t parameter);
  bool isPacked(size_t parameter);
  Value unpack(size_t parameter, SmallVectorImpl<Value> &flat);
  Value gradientOf(unsigned parameter, int64_t micro);
  Operation *findLastGradient(const LayoutBucket &bucket, int64_t micro);
  Value rowsOf(const LayoutMember &member, Value gradient);
  Value flatten(size_t k, int64_t micro, Type type, ArrayRef<Value> parts);
  Value flatten(size_t k, int64_t micro);
  Value addTo(Value sum, size_t k, int64_t micro);
  Value beginSum(size_t k);
  Value reduce(size_t k, Value sum, int64_t micro, bool isLast);
  Value reduceOverRanks(size_t k, Value sum, Value flat, bool inPlace,
                        bool intoSlice);
  void finishGradient(size_t k, Value flat);
  Value emitClip();
  Value emitTotal(ArrayRef<Value> squares);
  Operation *findReady(size_t k);
  SmallVector<Operation *> findUpdatePlaces();

  /// Null if a program has one micro-step.
  IntegerAttr microAttr(int64_t micro) {
    return partition.isLayered ? b.getI64IntegerAttr(micro) : IntegerAttr();
  }
  FlatSymbolRefAttr symbol(size_t k) const {
    return FlatSymbolRefAttr::get(BucketOp(partition.buckets[k]));
  }
  /// The ranks of a collective; null, for all, where there are no groups.
  OverAttr over(Over ranks) const {
    return partition.hasGroups()
               ? OverAttr::get(AxisOp(partition.axis).getContext(), ranks)
               : OverAttr();
  }
  FlatSymbolRefAttr axis() const {
    return FlatSymbolRefAttr::get(AxisOp(partition.axis));
  }
  int64_t countIn(size_t k, Type element) {
    return buckets[k].elements / getNumbersPerElement(element);
  }
  RankedTensorType flatType(size_t k, Type element) {
    return RankedTensorType::get({countIn(k, element)}, element);
  }
  Type shardType(size_t k, Type element, Extent extent) {
    const bool isPart = extent == Extent::Part;
    return ShardType::get(b.getContext(), countIn(k, element), element,
                          isPart                    ? partition.members()
                          : extent == Extent::Whole ? 1
                                                    : partition.ranks(),
                          isPart ? partition.ranks() : 0, Tier::Device);
  }
  RankedTensorType scalarType() {
    return RankedTensorType::get({}, b.getF32Type());
  }
  Location name(const Twine &name) {
    return NameLoc::get(b.getStringAttr(name));
  }
  /// "b2 (h.0)", or for a part of it "b2.grad (h.0)".
  Location name(const LayoutBucket &bucket, const Twine &part = "") {
    return NameLoc::get(b.getStringAttr(bucket.name + part),
                        name(bucket.label));
  }
};

} // namespace mlir::zero
