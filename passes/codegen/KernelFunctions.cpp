//===- KernelFunctions.cpp - Turns kernels into functions of code ---------===//

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "passes/codegen/KernelCode.h"
#include "passes/codegen/Passes.h"
#include "passes/codegen/gpu/attention/AttentionLaunches.h"
#include "passes/codegen/gpu/delta/DeltaLaunches.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/gpu/threads/UpdateBlocks.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-lower-units-to-loops"

namespace mlir::zero {
#define GEN_PASS_DEF_KEEPKERNELS
#define GEN_PASS_DEF_LOWERHANDWRITTENKERNELS
#define GEN_PASS_DEF_LOWERUNITSTOLOOPS
#define GEN_PASS_DEF_REFERENCETOFUNCTION
#define GEN_PASS_DEF_REFERENCEUNITS
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// The operations of type `Function` of `module` that have a body.  They may be
/// erased while the range is visited.
template <typename Function>
static auto getDefined(ModuleOp module) {
  return llvm::make_early_inc_range(
      llvm::make_filter_range(module.getOps<Function>(), [](Function function) {
        return !function.isExternal();
      }));
}

/// `kernel` as a plain function of its name.
static func::FuncOp toFunction(KernelOp kernel) {
  OpBuilder b(kernel);
  auto function = func::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                       kernel.getFunctionType());
  function.setPrivate();
  function.getBody().takeBody(kernel.getBody());
  Operation *returned = function.front().getTerminator();
  b.setInsertionPoint(returned);
  func::ReturnOp::create(b, returned->getLoc(), returned->getOperands());
  returned->erase();
  kernel.erase();
  return function;
}

/// The gated delta rule, its backward, or what keeps a state in `kernel`, or
/// null.
static Operation *findDeltaRule(func::FuncOp kernel) {
  for (Operation &op : kernel.front())
    if (isa<nn::GatedDeltaRuleOp, nn::GatedDeltaRuleBackwardOp,
            nn::CachedDeltaRuleOp, nn::CachedCausalConvOp>(op))
      return &op;
  return nullptr;
}

/// Turns arguments of unknown size into pointers to their first elements,
/// because upstream has no bare pointers for memrefs of dynamic size.  The
/// units access only elements below `end`.
static void passFirstElements(func::FuncOp kernel, Value end) {
  Block &body = kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument arg : body.getArguments()) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type || type.hasStaticShape())
      continue;
    arg.setType(MemRefType::get({}, type.getElementType()));
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    auto whole = memref::ReinterpretCastOp::create(
        b, arg.getLoc(), type, arg, zero, OpFoldResult(end), one);
    arg.replaceAllUsesExcept(whole, whole);
  }
  kernel.setType(
      b.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes()));
}

/// Sets how many units a half-warp does: for columns a vector for each thread.
static void setHalfWarpUnits(func::FuncOp function, KernelKind kind) {
  const int64_t units = kind == KernelKind::Columns ? kSumLanes : 1;
  function->setAttr(kHalfWarpUnitsAttr,
                    OpBuilder(function).getI64IntegerAttr(units));
}

namespace {

struct KeepKernels : zero::impl::KeepKernelsBase<KeepKernels> {
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (!isa<KernelOp>(op))
        op.erase();
    getOperation()->setDiscardableAttrs(DictionaryAttr::get(&getContext()));
  }
};

struct LowerHandWrittenKernels
    : zero::impl::LowerHandWrittenKernelsBase<LowerHandWrittenKernels> {
  using LowerHandWrittenKernelsBase::LowerHandWrittenKernelsBase;

  /// What multiplies on a GPU, and on a processor.
  std::optional<std::pair<AttentionUnits, zrt::Kernel16>> getUnits() {
    using enum zrt::Kernel16;
    if (attention.empty())
      return std::pair(AttentionUnits::Usual, Widen);
    if (attention == "f32")
      return std::pair(AttentionUnits::F32, Widen);
    if (forGpu && attention == "tensor-cores")
      return std::pair(AttentionUnits::TensorCores, Widen);
    if (!forGpu && attention == "dots")
      return std::pair(AttentionUnits::Usual, DotBrains);
    if (!forGpu && attention == "tiles")
      return std::pair(AttentionUnits::Usual, AmxBrains);
    if (!forGpu && attention == "both-tiles")
      return std::pair(AttentionUnits::Usual, AmxBoth);
    getOperation()->emitError("attention is computed by f32 or ")
        << (forGpu ? "tensor-cores" : "dots, tiles or both-tiles") << ", not "
        << attention;
    return std::nullopt;
  }

  void runOnOperation() override {
    if (forGpu) {
      declareHalfWarpFunctions(getOperation());
      declareWarpFunctions(getOperation());
    }
    auto units = getUnits();
    if (!units)
      return signalPassFailure();
    for (KernelOp kernel : getDefined<KernelOp>(getOperation())) {
      KernelKind kind = kernel.getKindAttr().getValue();
      if (kind != KernelKind::Attention && kind != KernelKind::Scatter)
        continue;
      func::FuncOp function = toFunction(kernel);
      if (Operation *rule = findDeltaRule(function)) {
        if (failed(forGpu ? emitDeltaBlocks(function, rule)
                          : emitDeltaRuleKernel(function, rule)))
          return signalPassFailure();
        continue;
      }
      if (forGpu && kind == KernelKind::Attention) {
        if (failed(emitAttentionBlocks(function, units->first)))
          return signalPassFailure();
        continue;
      }
      if (failed(kind == KernelKind::Attention
                     ? emitAttentionKernel(function, units->second)
                     : emitScatterKernel(function, forGpu)))
        return signalPassFailure();
    }
  }
};

struct ReferenceToFunction
    : zero::impl::ReferenceToFunctionBase<ReferenceToFunction> {
  void runOnOperation() override {
    for (KernelOp kernel : getDefined<KernelOp>(getOperation()))
      if (!kernel.isBufferized())
        toFunction(kernel);
  }
};

struct ReferenceUnits : zero::impl::ReferenceUnitsBase<ReferenceUnits> {
  void runOnOperation() override {
    for (func::FuncOp function : getDefined<func::FuncOp>(getOperation()))
      (void)addUnitArguments(function, /*isHalfWarp=*/false);
  }
};

struct LowerUnitsToLoops
    : zero::impl::LowerUnitsToLoopsBase<LowerUnitsToLoops> {
  using LowerUnitsToLoopsBase::LowerUnitsToLoopsBase;

  void runOnOperation() override {
    if (forGpu)
      declareHalfWarpFunctions(getOperation());
    SmallVector<UpdateTwins> updates;
    for (KernelOp kernel : getDefined<KernelOp>(getOperation())) {
      KernelKind kind = kernel.getKindAttr().getValue();
      if (auto plain = kernel->getAttrOfType<FlatSymbolRefAttr>(kPlainAttr))
        updates.push_back({kernel.getSymNameAttr(), plain.getAttr()});
      DenseI64ArrayAttr space = kernel.getSpaceAttr();
      LDBG() << "@" << kernel.getSymName() << ": loops over "
             << stringifyKernelKind(kind);
      func::FuncOp function = toFunction(kernel);
      UnitArguments units = addUnitArguments(function, forGpu);
      if (forGpu)
        setHalfWarpUnits(function, kind);
      passFirstElements(function, units.end);
      if (failed(emitUnitLoops(function, kind, space, units, sharedLimit)))
        return signalPassFailure();
    }
    if (forGpu)
      joinUpdates(getOperation(), updates);
  }
};

} // namespace
