//===- ProgramBuilder.cpp - Arguments and results of a program ------------===//

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::zero;

bool Partition::isWhole(StringRef slot, const LayoutBucket &bucket) const {
  if (slot == "param")
    return bucket.whole;
  return isSumSlot(slot) ? !scattersAtOnce() : ranks() == 1 || stage == 0;
}

Extent Partition::extentOf(StringRef slot, const LayoutBucket &bucket) const {
  if (isWhole(slot, bucket))
    return Extent::Whole;
  // A tree adds up groups before micro-steps.
  const bool isAtRest =
      slot == "param" || (isSumSlot(slot) && virtualShards == 0);
  return hasPartsAtRest && isAtRest ? Extent::Part : Extent::Slice;
}

Type Partition::elementOf(StringRef slot, const LayoutBucket &bucket) const {
  if (bucket.packing)
    return IntegerType::get(Type(element).getContext(), 8);
  if (slot == "param")
    return element;
  if (slot == "master")
    return Float32Type::get(Type(element).getContext());
  return isSumSlot(slot) ? sumElement : slotElement;
}

ProgramBuilder::ProgramBuilder(func::FuncOp function,
                               const Partition &partition)
    : function(function), partition(partition),
      buckets(partition.layout.buckets), b(function.getContext()),
      block(function.getBody().front()),
      returned(cast<func::ReturnOp>(block.getTerminator())),
      oldCount(block.getNumArguments()) {
  slots = {"param"};
  if (!partition.isForward) {
    llvm::append_range(
        slots,
        OptimizerOp(partition.rule).getSlots().getAsValueRange<StringAttr>());
    if (partition.masters)
      slots.push_back("master");
    firstSum = slots.size();
    for (int64_t i = 0; i < partition.numSums(); ++i)
      slots.push_back(i == 0 ? b.getStringAttr(kSums)
                             : b.getStringAttr(kSums + "." + Twine(i)));
  }
  addArguments();
}

Value ProgramBuilder::addArgument(Type type, Location loc, StringRef attr,
                                  Attribute value) {
  argAttrs.push_back(b.getDictionaryAttr(b.getNamedAttr(attr, value)));
  return block.addArgument(type, loc);
}

void ProgramBuilder::addArguments() {
  state.resize(slots.size());
  for (auto [s, slot] : llvm::enumerate(slots))
    for (auto [k, bucket] : llvm::enumerate(buckets)) {
      if (bucket.frozen && slot != "param") {
        state[s].push_back({});
        continue;
      }
      state[s].push_back(addArgument(
          shardType(k, partition.elementOf(slot, bucket),
                    partition.extentOf(slot, bucket)),
          name(bucket, "." + slot), kStateAttr,
          StateAttr::get(b.getContext(), symbol(k), b.getStringAttr(slot))));
    }
  next = state;
  for (unsigned i = 0; i < oldCount; ++i)
    if (!function.getArgAttr(i, kParamAttr) &&
        !function.getArgAttr(i, kCacheAttr)) {
      BlockArgument old = block.getArgument(i);
      Value fresh = block.addArgument(old.getType(), old.getLoc());
      old.replaceAllUsesWith(fresh);
      argAttrs.push_back(function.getArgAttrDict(i));
      if (auto scalar = function.getArgAttrOfType<StringAttr>(i, kScalarAttr))
        scalars[scalar] = fresh;
    }
  auto addScalar = [&](StringRef scalar, Type type) {
    scalars[scalar] =
        addArgument(type, name(scalar), kScalarAttr, b.getStringAttr(scalar));
  };
  for (StringRef scalar :
       OptimizerOp(partition.rule).getScalars().getAsValueRange<StringAttr>())
    if (scalar != "decay" && scalar != kClipFactor)
      addScalar(scalar, scalarType());
  if (partition.skipNonfinite)
    for (StringRef scalar : {kNormLimit, kLossLimit})
      addScalar(scalar, scalarType());
  if (partition.roundsByChance())
    addScalar(kRounding, RankedTensorType::get({}, b.getI64Type()));
  if (partition.virtualShards && partition.numSums() > 0)
    addScalar(kMicroStep, RankedTensorType::get({}, b.getI64Type()));
  // All programs have the same arguments, even if they do not read them.
  if (partition.microSteps > 1)
    for (auto [i, average] : llvm::enumerate(partition.averages))
      addScalar("count" + std::to_string(i), average.first);
  for (unsigned i = 0; i < oldCount; ++i)
    if (Attribute cache = function.getArgAttr(i, kCacheAttr)) {
      BlockArgument old = block.getArgument(i);
      old.replaceAllUsesWith(
          addArgument(old.getType(), old.getLoc(), kCacheAttr, cache));
    }
}

/// Erases operations on which no result depends.
void ProgramBuilder::eraseUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (&op != returned && op.use_empty())
      op.erase();
}

void ProgramBuilder::dropBackward() {
  unsigned losses = partition.microStepsAtOnce();
  returned->eraseOperands(losses, returned->getNumOperands() - losses);
  eraseUnused();
}

void ProgramBuilder::emitResult() {
  const StringRef name = function.getName() == kScore ? kValues : kLogits;
  outputs.push_back({returned.getOperand(0), name.str(), IntegerAttr()});
  llvm::append_range(nextCaches, returned.getOperands().drop_front());
}

void ProgramBuilder::finish() {
  SmallVector<Value> results;
  for (auto &slot : next)
    llvm::append_range(results, llvm::make_filter_range(slot, [](Value value) {
                         return value != nullptr;
                       }));
  llvm::append_range(results, nextCaches);
  SmallVector<Attribute> resultAttrs(results.size(), b.getDictionaryAttr({}));
  for (auto &[value, output, micro] : outputs) {
    results.push_back(value);
    SmallVector<NamedAttribute> attrs = {
        b.getNamedAttr(kOutputAttr, b.getStringAttr(output))};
    if (micro)
      attrs.push_back(b.getNamedAttr(kMicroAttr, micro));
    resultAttrs.push_back(b.getDictionaryAttr(attrs));
  }
  b.setInsertionPoint(returned);
  ReturnOp::create(b, returned.getLoc(), results);
  returned.erase();
  block.eraseArguments(0, oldCount);
  b.setInsertionPoint(function);
  auto program =
      ProgramOp::create(b, function.getLoc(), function.getName(),
                        b.getFunctionType(block.getArgumentTypes(),
                                          ValueRange(results).getTypes()));
  program.setArgAttrsAttr(b.getArrayAttr(argAttrs));
  program.setResAttrsAttr(b.getArrayAttr(resultAttrs));
  program.getBody().takeBody(function.getBody());
  function.erase();
}
