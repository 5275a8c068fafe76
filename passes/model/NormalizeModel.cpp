//===- NormalizeModel.cpp - Rewrites what other front ends print ----------===//
//
// Derivatives are defined for one block of operations with tensors as operands.
// Front ends print more than that.  In this order:
//
// 1. Calls of functions of the module are inlined, and functions that nobody
//    calls any more are dropped.
// 2. Assertions are dropped, with a remark: a step has no place to stop.
// 3. Promises that integers do not overflow, or that a division is exact, are
//    dropped: if one were broken, the result could be anything.
// 4. Cumulative sums of torch-mlir become sums over windows (Scans.h).
// 5. Results of linalg.generic that nobody reads are dropped, with what
//    computes them: a maximum that also carries its index becomes a maximum.
// 6. math.fpowi with a constant exponent becomes the products that it stands
//    for.
// 7. Offsets and sizes of slices that are constant operands become attributes;
//    parts of a concatenation get back the shape that a cast hides.
// 8. A tensor that only gives a window its shape, and holds nothing, becomes
//    zeros.
// 9. Generics that compute integers are fused into those that read tensors at
//    these integers as positions, so that one body shows which input a position
//    comes from.
//
// Nothing of this changes a bit of the loss.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Passes.h"
#include "passes/model/Scans.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-normalize-model"

namespace mlir::zero {
#define GEN_PASS_DEF_NORMALIZEMODEL
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using linalg::GenericOp;
using nn::S;

namespace {

/// x^n by repeated squaring, from the lowest bit of n: the order in which the
/// run-time library's powi multiplies, and its reciprocal for a negative n.
struct ExpandIntegerPower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    APInt exponent;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&exponent)))
      return failure();
    S square(rewriter, op.getLoc(), op.getLhs());
    std::optional<S> product;
    APInt left = exponent.abs(); // unsigned: holds 2^(bits-1), too
    while (!left.isZero()) {
      if (left[0])
        product = product ? *product * square : square;
      left.lshrInPlace(1);
      if (!left.isZero())
        square = square * square;
    }
    S power = product.value_or(square.constant(1));
    rewriter.replaceOp(op, Value(exponent.isNegative() ? 1.0 / power : power));
    return success();
  }
};

/// Fuses generics that compute integers into those that compute integers or
/// positions from them.
struct FuseIntegers : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!computesIntegers(op) &&
        op.getBody()->getOps<tensor::ExtractOp>().empty())
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto producer = operand->get().getDefiningOp<GenericOp>();
      if (!producer || !computesIntegers(producer) ||
          !linalg::areElementwiseOpsFusable(operand))
        continue;
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      for (Value result : op.getResults())
        rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
      rewriter.eraseOp(op);
      return success();
    }
    return failure();
  }

private:
  static bool computesIntegers(GenericOp op) {
    return llvm::all_of(op.getResultTypes(), [](Type type) {
      return getElementTypeOrSelf(type).isIntOrIndex();
    });
  }
};

/// The second operand of linalg.pooling_nchw_max and the like only gives a
/// shape.  A constant in its place may be read.
struct DefineShapeOperand : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto empty = operand->get().getDefiningOp<tensor::EmptyOp>();
      if (!empty || !empty.getType().hasStaticShape() ||
          !isa<FloatType>(empty.getType().getElementType()) ||
          op.payloadUsesValueFromOperand(operand))
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(nn::constant(rewriter, op.getLoc(), empty.getType(), 0));
      });
      return success();
    }
    return failure();
  }
};

/// Joins parts without the casts that hide their static shapes.
struct ConcatenateStatic : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts(op.getInputs());
    for (Value &part : parts)
      if (auto cast = part.getDefiningOp<tensor::CastOp>();
          tensor::canFoldIntoConsumerOp(cast))
        part = cast.getSource();
    if (ValueRange(parts) == op.getInputs())
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getType(), op.getDim(),
                                                  parts);
    return success();
  }
};

struct NormalizeModelPass : zero::impl::NormalizeModelBase<NormalizeModelPass> {
  using Base = zero::impl::NormalizeModelBase<NormalizeModelPass>;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    func::registerInlinerExtension(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(inlineCalls()))
      return signalPassFailure();
    dropAssertions(module);
    dropPromises(module);
    if (failed(lowerScans(module)))
      return signalPassFailure();

    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    patterns.add<ExpandIntegerPower, FuseIntegers, DefineShapeOperand,
                 ConcatenateStatic>(&getContext());
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(module, std::move(patterns), config)))
      signalPassFailure();
  }

private:
  LogicalResult inlineCalls() {
    if (!getOperation()
             .walk([](func::CallOp) { return WalkResult::interrupt(); })
             .wasInterrupted())
      return success();
    LDBG() << "inlines calls";
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    pm.addPass(createSymbolDCEPass());
    return runPipeline(pm, getOperation());
  }

  static void dropPromises(ModuleOp module) {
    auto none = arith::IntegerOverflowFlagsAttr::get(
        module.getContext(), arith::IntegerOverflowFlags::none);
    module.walk([&](Operation *op) {
      if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
        op->setAttr(flags.getIntegerOverflowAttrName(), none);
      if (isa_and_present<arith::ArithDialect>(op->getDialect()) &&
          op->getInherentAttr("isExact").value_or(nullptr))
        op->removeAttr("isExact");
    });
  }

  static void dropAssertions(ModuleOp module) {
    SmallVector<cf::AssertOp> assertions;
    module.walk([&](cf::AssertOp op) { assertions.push_back(op); });
    if (assertions.empty())
      return;
    emitRemark(assertions.front().getLoc())
        << "every 'cf.assert' is dropped, of " << assertions.size()
        << " the first is here; a step does not stop";
    for (cf::AssertOp op : assertions)
      op.erase();
  }
};

} // namespace
