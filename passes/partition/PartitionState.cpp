//===- PartitionState.cpp - Turns parameters into state -------------------===//
//
// 1. One bucket per parameter, padded to whole vectors.
// 2. A new @step: state of all buckets (parameters, then slot by slot), the
//    inputs, then the scalars.  Each old parameter is a view of its bucket.
// 3. Behind each gradient its pack and its sums of squares; behind all of them
//    the norm with its clip factor, then an update per bucket.
// 4. Results: the next state in the arguments' order, the loss, the norm.
//
// The old function's body moves over unchanged, so the arithmetic of the model
// does not depend on how state is kept.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/Optimizers.h"
#include "passes/partition/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PARTITIONSTATE
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct Parameter {
  BlockArgument arg;
  StringAttr name;
  BucketOp bucket;
  bool decays;
  Value gradient;
};

struct PartitionStatePass : zero::impl::PartitionStateBase<PartitionStatePass> {
  using PartitionStateBase::PartitionStateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    step = module.lookupSymbol<func::FuncOp>("step");
    if (!step) {
      module.emitError(
          "has no function @step; run zero-differentiate-loss first");
      return signalPassFailure();
    }
    if (optimizer != "adamw" && optimizer != "sgd") {
      module.emitError("unknown optimizer ")
          << optimizer << "; use adamw or sgd";
      return signalPassFailure();
    }
    if (worldSize != 1) {
      module.emitError("world-size=")
          << worldSize.getValue()
          << ": sharding over ranks is not written yet; use world-size=1";
      return signalPassFailure();
    }
    if (failed(buildBuckets()))
      return signalPassFailure();
    rewriteStep();
  }

private:
  func::FuncOp step;
  OptimizerOp rule;
  SmallVector<Parameter> parameters;

  LogicalResult buildBuckets() {
    OpBuilder b(step);
    Location loc = step.getLoc();
    AxisOp::create(b, loc, "dp", 1);
    rule = optimizer == "adamw" ? buildAdamW(b, loc, {beta1, beta2, eps})
                                : buildSgd(b, loc, momentum);
    auto returned =
        cast<func::ReturnOp>(step.getBody().front().getTerminator());
    for (BlockArgument arg : step.getArguments()) {
      auto name =
          step.getArgAttrOfType<StringAttr>(arg.getArgNumber(), kParamAttr);
      if (!name)
        continue;
      auto type = cast<RankedTensorType>(arg.getType());
      if (!type.getElementType().isF32())
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << type
               << "; training binaries hold f32 parameters";
      Attribute init = step.getArgAttr(arg.getArgNumber(), kInitAttr);
      bool matrix = type.getRank() >= 2;
      if (!init)
        init = matrix
                   ? Attribute(NormalAttr::get(b.getContext(), APFloat(0.02)))
                   : Attribute(ConstantAttr::get(b.getContext(), APFloat(0.0)));
      auto member =
          MemberAttr::get(b.getContext(), name, type.getShape(), /*offset=*/0,
                          matrix && weightDecay != 0, init);
      int64_t elements =
          llvm::alignTo(type.getNumElements(), BucketOp::kAlignment);
      auto bucket = BucketOp::create(b, arg.getLoc(),
                                     ("b" + Twine(parameters.size())).str(),
                                     "dp", elements, b.getArrayAttr({member}));
      // Gradients follow the loss in parameter order.
      Value gradient = returned.getOperand(1 + parameters.size());
      parameters.push_back({arg, name, bucket, matrix, gradient});
    }
    if (parameters.empty())
      return step.emitError(
          "has no parameters; mark arguments with zero.param");
    return success();
  }

  /// Adds an argument to the new function.
  BlockArgument addArgument(Type type, Location loc, StringRef attr,
                            Attribute value) {
    auto &block = step.getBody().front();
    BlockArgument arg = block.addArgument(type, loc);
    argAttrs.push_back(
        Builder(&getContext())
            .getDictionaryAttr(
                Builder(&getContext()).getNamedAttr(attr, value)));
    return arg;
  }
  SmallVector<Attribute> argAttrs;

  void rewriteStep() {
    Block &block = step.getBody().front();
    auto returned = cast<func::ReturnOp>(block.getTerminator());
    Builder attrs(&getContext());
    unsigned oldCount = block.getNumArguments();
    SmallVector<DictionaryAttr> oldAttrs;
    for (unsigned i = 0; i < oldCount; ++i)
      oldAttrs.push_back(step.getArgAttrDict(i));

    // State: all parameters, then slot by slot.
    SmallVector<StringRef> slots = {"param"};
    llvm::append_range(slots, rule.getSlots().getAsValueRange<StringAttr>());
    SmallVector<SmallVector<Value>> state(slots.size());
    for (auto [s, slot] : llvm::enumerate(slots))
      for (Parameter &parameter : parameters) {
        auto type =
            ShardType::get(&getContext(), parameter.bucket.getElements(),
                           attrs.getF32Type(), /*ranks=*/1);
        auto attr = StateAttr::get(&getContext(),
                                   FlatSymbolRefAttr::get(parameter.bucket),
                                   attrs.getStringAttr(slot));
        state[s].push_back(
            addArgument(type, parameter.arg.getLoc(), kStateAttr, attr));
      }
    // Inputs as they were.
    SmallVector<std::pair<BlockArgument, BlockArgument>> inputs;
    for (unsigned i = 0; i < oldCount; ++i)
      if (!step.getArgAttr(i, kParamAttr)) {
        BlockArgument old = block.getArgument(i);
        inputs.push_back({old, block.addArgument(old.getType(), old.getLoc())});
        argAttrs.push_back(oldAttrs[i]);
      }
    // Scalars that the host writes before each step.
    auto scalarType = RankedTensorType::get({}, attrs.getF32Type());
    llvm::StringMap<Value> scalars;
    for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>())
      if (name != "decay" && name != "clip")
        scalars[name] = addArgument(scalarType, step.getLoc(), kScalarAttr,
                                    attrs.getStringAttr(name));

    OpBuilder b = OpBuilder::atBlockBegin(&block);
    for (auto [i, parameter] : llvm::enumerate(parameters)) {
      Value view = ViewOp::create(
          b, NameLoc::get(parameter.name), parameter.arg.getType(), state[0][i],
          FlatSymbolRefAttr::get(parameter.bucket), parameter.name);
      parameter.arg.replaceAllUsesWith(view);
      if (parameter.gradient == parameter.arg)
        parameter.gradient = view;
    }
    for (auto [old, now] : inputs)
      old.replaceAllUsesWith(now);

    // Gradients: pack and square as soon as they are there.
    SmallVector<Value> packs, partials;
    for (Parameter &parameter : parameters) {
      if (Operation *def = parameter.gradient.getDefiningOp())
        b.setInsertionPointAfter(def);
      else
        b.setInsertionPoint(returned);
      Location loc = NameLoc::get(
          attrs.getStringAttr(parameter.name.getValue() + ".grad"));
      auto symbol = FlatSymbolRefAttr::get(parameter.bucket);
      int64_t elements = parameter.bucket.getElements();
      Value pack = PackOp::create(
          b, loc, RankedTensorType::get({elements}, b.getF32Type()),
          ValueRange{parameter.gradient}, symbol);
      int64_t count =
          cast<RankedTensorType>(parameter.arg.getType()).getNumElements();
      auto type = RankedTensorType::get({SumSquaresOp::getNumBlocks(count)},
                                        b.getF64Type());
      packs.push_back(pack);
      partials.push_back(SumSquaresOp::create(b, loc, type, pack, symbol));
    }
    b.setInsertionPoint(returned);
    auto clip = ClipOp::create(
        b, step.getLoc(), scalarType, scalarType, partials,
        gradClip > 0 ? b.getF64FloatAttr(gradClip) : FloatAttr());
    scalars["clip"] = clip.getFactor();

    SmallVector<SmallVector<Value>> next(slots.size());
    for (auto [i, parameter] : llvm::enumerate(parameters)) {
      SmallVector<Value> slotValues, scalarValues;
      SmallVector<Type> types;
      for (size_t s = 0; s < slots.size(); ++s) {
        types.push_back(state[s][i].getType());
        if (s > 0)
          slotValues.push_back(state[s][i]);
      }
      for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>())
        if (name != "decay")
          scalarValues.push_back(scalars[name]);
      auto update = UpdateOp::create(
          b, NameLoc::get(parameter.name), types, FlatSymbolRefAttr::get(rule),
          FlatSymbolRefAttr::get(parameter.bucket), state[0][i], packs[i],
          slotValues, scalarValues,
          b.getF64FloatAttr(parameter.decays ? double(weightDecay) : 0.0));
      for (size_t s = 0; s < slots.size(); ++s)
        next[s].push_back(update.getNext()[s]);
    }

    SmallVector<Value> results;
    for (auto &slot : next)
      llvm::append_range(results, slot);
    SmallVector<Attribute> resultAttrs(results.size(),
                                       attrs.getDictionaryAttr({}));
    auto addOutput = [&](Value value, StringRef name) {
      results.push_back(value);
      resultAttrs.push_back(attrs.getDictionaryAttr(
          attrs.getNamedAttr(kOutputAttr, attrs.getStringAttr(name))));
    };
    addOutput(returned.getOperand(0), "loss");
    addOutput(clip.getNorm(), "grad_norm");
    func::ReturnOp::create(b, returned.getLoc(), results);
    returned.erase();
    block.eraseArguments(0, oldCount);
    step.setType(attrs.getFunctionType(block.getArgumentTypes(),
                                       ValueRange(results).getTypes()));
    step.setArgAttrsAttr(attrs.getArrayAttr(argAttrs));
    step.setResAttrsAttr(attrs.getArrayAttr(resultAttrs));
  }
};

} // namespace
