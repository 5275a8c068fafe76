//===- BuildPrograms.cpp - The programs of a training step ----------------===//
//
// All programs of a plan take the same arguments: state of all buckets (slot by
// slot), inputs, scalars.  They return the next state in the arguments' order,
// then their outputs.
//
//   @count   one exchange per average, nothing else
//   @micro   forward, backward; per bucket: pack, then accumulate or scatter
//   @step    the same; then norm, factor, and an update per bucket
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

#include "passes/partition/BuildPrograms.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::zero;

bool Partition::isWhole(StringRef slot,
                        const PartitionedParameter &parameter) const {
  if (slot == "param")
    return parameter.whole;
  return slot == "grad" ? !scattersAtOnce() : ranks == 1 || stage == 0;
}

namespace {

class Program {
public:
  Program(func::FuncOp function, const Partition &partition)
      : function(function), partition(partition), b(function.getContext()),
        block(function.getBody().front()),
        returned(cast<func::ReturnOp>(block.getTerminator())),
        oldCount(block.getNumArguments()) {
    slots = {"param"};
    llvm::append_range(
        slots,
        OptimizerOp(partition.rule).getSlots().getAsValueRange<StringAttr>());
    if (partition.microSteps > 1)
      slots.push_back("grad");
    addArguments();
  }

  void placeParameters();
  void requireSame(Value average);
  void replaceAverages();
  void exchangeAverages();
  void emitLoss();
  /// Packs every gradient where it is finished, and what follows at once.
  void emitGradients(bool isLast);
  void emitUpdates();
  void keepState();
  void finish();

private:
  func::FuncOp function;
  const Partition &partition;
  OpBuilder b;
  Block &block;
  func::ReturnOp returned;
  unsigned oldCount;
  SmallVector<StringRef> slots;
  SmallVector<Attribute> argAttrs;
  /// By slot, then parameter: what a program starts with, and its next value.
  SmallVector<SmallVector<Value>> state, next;
  llvm::StringMap<Value> scalars;
  SmallVector<std::pair<Value, std::string>> outputs;
  SmallVector<Value> gradients, partials;

  void addArguments();
  Value addArgument(Type type, Location loc, StringRef attr, Attribute value);
  Value emitGradient(size_t i, Value gradient, Location loc, bool isLast);
  Value average(Value value, Location loc);

  FlatSymbolRefAttr symbol(size_t i) const {
    return FlatSymbolRefAttr::get(BucketOp(partition.parameters[i].bucket));
  }
  FlatSymbolRefAttr axis() {
    return FlatSymbolRefAttr::get(b.getContext(), "dp");
  }
  int64_t elements(size_t i) const {
    return BucketOp(partition.parameters[i].bucket).getElements();
  }
  RankedTensorType flatType(size_t i) {
    return RankedTensorType::get({elements(i)}, b.getF32Type());
  }
  Type shardType(size_t i, bool whole) {
    return ShardType::get(b.getContext(), elements(i), b.getF32Type(),
                          whole ? 1 : partition.ranks);
  }
  Location nameOf(size_t i, StringRef suffix = "") {
    return NameLoc::get(b.getStringAttr(
        partition.parameters[i].name.getValue() + Twine(suffix)));
  }
  RankedTensorType scalarType() {
    return RankedTensorType::get({}, b.getF32Type());
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Value Program::addArgument(Type type, Location loc, StringRef attr,
                           Attribute value) {
  argAttrs.push_back(b.getDictionaryAttr(b.getNamedAttr(attr, value)));
  return block.addArgument(type, loc);
}

void Program::addArguments() {
  state.resize(slots.size());
  for (auto [s, slot] : llvm::enumerate(slots))
    for (auto [i, parameter] : llvm::enumerate(partition.parameters))
      state[s].push_back(addArgument(
          shardType(i, partition.isWhole(slot, parameter)), nameOf(i),
          kStateAttr,
          StateAttr::get(b.getContext(), symbol(i), b.getStringAttr(slot))));
  next = state;
  for (unsigned i = 0; i < oldCount; ++i)
    if (!function.getArgAttr(i, kParamAttr)) {
      BlockArgument old = block.getArgument(i);
      old.replaceAllUsesWith(block.addArgument(old.getType(), old.getLoc()));
      argAttrs.push_back(function.getArgAttrDict(i));
    }
  for (StringRef name :
       OptimizerOp(partition.rule).getScalars().getAsValueRange<StringAttr>())
    if (name != "decay" && name != "clip")
      scalars[name] = addArgument(scalarType(), function.getLoc(), kScalarAttr,
                                  b.getStringAttr(name));
  // All programs have the same arguments, whether or not they read them.
  if (partition.microSteps > 1) {
    unsigned i = 0;
    for (auto op : block.getOps<AverageOp>()) {
      std::string name = "count" + std::to_string(i++);
      scalars[name] = addArgument(op.getType(), op.getLoc(), kScalarAttr,
                                  b.getStringAttr(name));
    }
  }
}

/// Makes each parameter a view of its bucket: of the state where it is whole,
/// else of a gather before its first use.
void Program::placeParameters() {
  Operation *last = nullptr; // of the views that stand at the start
  for (auto [i, parameter] : llvm::enumerate(partition.parameters)) {
    BlockArgument old = block.getArgument(parameter.argument);
    if (old.use_empty())
      continue;
    Value flat = state[0][i];
    if (!parameter.whole) {
      Operation *first = returned;
      for (Operation *user : old.getUsers())
        if (user->isBeforeInBlock(first))
          first = user;
      b.setInsertionPoint(first);
      flat = AllGatherOp::create(b, nameOf(i), flatType(i), flat, symbol(i));
    } else if (last) {
      b.setInsertionPointAfter(last); // In the parameters' order.
    } else {
      b.setInsertionPointToStart(&block);
    }
    auto view = ViewOp::create(b, nameOf(i), old.getType(), flat, symbol(i),
                               parameter.name);
    old.replaceAllUsesWith(view);
    if (parameter.whole)
      last = view;
  }
}

//===----------------------------------------------------------------------===//
// Averages and the loss
//===----------------------------------------------------------------------===//

/// The mean of `value` over ranks.
Value Program::average(Value value, Location loc) {
  if (partition.ranks == 1)
    return value;
  return AllReduceOp::create(b, loc, value.getType(), value, axis(),
                             b.getF64FloatAttr(1.0 / partition.ranks));
}

/// Marks the operands that are `average`: the launches that divide by it do not
/// tell whether it has been exchanged.
void Program::requireSame(Value average) {
  for (OpOperand &use : average.getUses()) {
    SmallVector<int64_t> same = {use.getOperandNumber()};
    if (auto known =
            use.getOwner()->getAttrOfType<DenseI64ArrayAttr>(kSameAttr))
      llvm::append_range(same, known.asArrayRef());
    llvm::sort(same);
    use.getOwner()->setAttr(kSameAttr, b.getDenseI64ArrayAttr(same));
  }
}

/// In a program with gradients: what the averages are by then.
void Program::replaceAverages() {
  unsigned i = 0;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    Value result;
    if (partition.microSteps > 1) {
      result = scalars.lookup("count" + std::to_string(i++));
    } else {
      b.setInsertionPoint(op);
      result = average(op.getValue(), op.getLoc());
    }
    Operation *local = op.getValue().getDefiningOp();
    if (partition.ranks > 1)
      requireSame(op.getResult());
    op.replaceAllUsesWith(result);
    op.erase();
    if (local && isOpTriviallyDead(local))
      local->erase();
  }
}

/// In @count: nothing but the averages.
void Program::exchangeAverages() {
  unsigned i = 0;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    b.setInsertionPoint(op);
    outputs.push_back(
        {average(op.getValue(), op.getLoc()), "count" + std::to_string(i++)});
  }
  returned->setOperands(ValueRange());
  for (auto &[value, name] : outputs)
    returned->insertOperands(returned->getNumOperands(), value);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (&op != returned && op.use_empty())
      op.erase();
}

void Program::emitLoss() {
  Value loss = returned.getOperand(0);
  b.setInsertionPoint(returned);
  if (Operation *def = loss.getDefiningOp())
    b.setInsertionPointAfter(def);
  Location loc = NameLoc::get(b.getStringAttr("loss"));
  outputs.push_back({average(loss, loc), "loss"});
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// From the pack on; returns what the update reads, or the sum so far.
Value Program::emitGradient(size_t i, Value gradient, Location loc,
                            bool isLast) {
  const auto &[stage, ranks, microSteps, weightDecay, maxNorm, rule, params] =
      partition;
  auto scale = [&](int64_t parts) { return b.getF64FloatAttr(1.0 / parts); };
  Value flat =
      PackOp::create(b, loc, flatType(i), ValueRange{gradient}, symbol(i));
  Value sum = microSteps > 1 ? state.back()[i] : Value();
  if (partition.scattersAtOnce())
    return ReduceScatterOp::create(b, loc, shardType(i, /*whole=*/false), flat,
                                   symbol(i), sum, scale(ranks * microSteps));
  if (sum)
    flat = AccumulateOp::create(b, loc, sum.getType(), sum, flat, symbol(i),
                                scale(ranks == 1 ? microSteps : 1));
  if (ranks == 1 || !isLast)
    return flat;
  return ReduceScatterOp::create(b, loc, flat.getType(), flat, symbol(i),
                                 Value(), scale(ranks * microSteps));
}

void Program::emitGradients(bool isLast) {
  for (size_t i = 0; i < partition.parameters.size(); ++i) {
    // Gradients follow the loss in parameter order.
    Value gradient = returned.getOperand(1 + i);
    b.setInsertionPoint(returned);
    if (Operation *def = gradient.getDefiningOp())
      b.setInsertionPointAfter(def);
    Location loc = nameOf(i, ".grad");
    Value flat = emitGradient(i, gradient, loc, isLast);
    if (!isLast) {
      next.back()[i] = flat;
      continue;
    }
    BucketOp bucket = partition.parameters[i].bucket;
    auto type = RankedTensorType::get(
        {SumSquaresOp::getNumBlocks(bucket, partition.ranks)}, b.getF64Type());
    partials.push_back(SumSquaresOp::create(b, loc, type, flat, symbol(i)));
    if (partition.ranks > 1 && partition.stage == 0)
      flat = AllGatherOp::create(b, loc, flat.getType(), flat, symbol(i));
    gradients.push_back(flat);
  }
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

void Program::emitUpdates() {
  OptimizerOp rule = partition.rule;
  b.setInsertionPoint(returned);
  Location loc = function.getLoc();
  if (partition.ranks > 1) {
    auto type = RankedTensorType::get({}, b.getF64Type());
    Location norm = NameLoc::get(b.getStringAttr("grad_norm"));
    Value mine = TotalOp::create(b, norm, type, partials);
    partials = {AllReduceOp::create(b, norm, type, mine, axis(),
                                    b.getF64FloatAttr(1.0))};
  }
  auto clip = ClipOp::create(b, loc, scalarType(), scalarType(), partials,
                             partition.maxNorm > 0
                                 ? b.getF64FloatAttr(partition.maxNorm)
                                 : FloatAttr());
  scalars["clip"] = clip.getFactor();
  outputs.push_back({clip.getNorm(), "grad_norm"});

  SmallVector<Value> scalarValues;
  for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>())
    if (name != "decay")
      scalarValues.push_back(scalars.lookup(name));
  size_t updated = 1 + rule.getSlots().size();
  for (size_t i = 0; i < partition.parameters.size(); ++i) {
    SmallVector<Value> slotValues;
    SmallVector<Type> types = {state[0][i].getType()};
    for (size_t s = 1; s < updated; ++s) {
      slotValues.push_back(state[s][i]);
      types.push_back(state[s][i].getType());
    }
    // Members say which of them decay.
    auto update = UpdateOp::create(
        b, nameOf(i), types, FlatSymbolRefAttr::get(rule), symbol(i),
        state[0][i], gradients[i], slotValues, scalarValues,
        b.getF64FloatAttr(partition.weightDecay));
    for (size_t s = 0; s < updated; ++s)
      next[s][i] = update.getNext()[s];
    // The update wrote the rank's slice of a whole parameter.
    if (partition.ranks > 1 && partition.stage > 0 &&
        partition.parameters[i].whole)
      next[0][i] = AllGatherOp::create(b, nameOf(i), next[0][i].getType(),
                                       next[0][i], symbol(i));
    if (partition.microSteps > 1)
      next.back()[i] =
          ClearOp::create(b, nameOf(i, ".grad"), gradients[i].getType(),
                          gradients[i], symbol(i));
  }
}

void Program::finish() {
  SmallVector<Value> results;
  for (auto &slot : next)
    llvm::append_range(results, slot);
  SmallVector<Attribute> resultAttrs(results.size(), b.getDictionaryAttr({}));
  for (auto &[value, name] : outputs) {
    results.push_back(value);
    resultAttrs.push_back(b.getDictionaryAttr(
        b.getNamedAttr(kOutputAttr, b.getStringAttr(name))));
  }
  b.setInsertionPoint(returned);
  func::ReturnOp::create(b, returned.getLoc(), results);
  returned.erase();
  block.eraseArguments(0, oldCount);
  function.setType(b.getFunctionType(block.getArgumentTypes(),
                                     ValueRange(results).getTypes()));
  function.setArgAttrsAttr(b.getArrayAttr(argAttrs));
  function.setResAttrsAttr(b.getArrayAttr(resultAttrs));
}

void zero::buildCountProgram(func::FuncOp function,
                             const Partition &partition) {
  Program program(function, partition);
  program.placeParameters(); // for counts that depend on them
  program.exchangeAverages();
  program.finish();
}

void zero::buildMicroProgram(func::FuncOp function,
                             const Partition &partition) {
  Program program(function, partition);
  program.placeParameters();
  program.replaceAverages();
  program.emitGradients(/*isLast=*/false);
  program.emitLoss();
  program.finish();
}

void zero::buildStepProgram(func::FuncOp function, const Partition &partition) {
  Program program(function, partition);
  program.placeParameters();
  program.replaceAverages();
  program.emitGradients(/*isLast=*/true);
  program.emitLoss();
  program.emitUpdates();
  program.finish();
}
