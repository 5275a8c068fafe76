//===- ExpandBFloat16.cpp - Casts of bf16 as integer arithmetic -----------===//
//
// Some processors have an instruction that rounds to bf16 but takes denormal
// numbers for zero; others call a library.  Shifts and additions give the same
// bits everywhere, and vectorize.
//
// A GPU rounds two numbers by one instruction.  Its NaN is 0x7fff, and no other
// result is above 0x7fc0 as an integer, so a minimum makes it the same.
//
// After that only loads and stores use bf16.  On processors without masked
// moves of 16 bits, LLVM would widen and round masked ones, so they move
// integers.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Passes.h"
#include "passes/codegen/gpu/threads/Warp.h"
#include "passes/codegen/loops/LoopCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#define DEBUG_TYPE "zero-expand-bf16"

namespace mlir::zero {
#define GEN_PASS_DEF_EXPANDBFLOAT16
#define GEN_PASS_DEF_MOVEBFLOAT16ASINTEGERS
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct RoundPairs : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value from = op.getIn();
    auto vector = dyn_cast<VectorType>(from.getType());
    if (!getElementTypeOrSelf(from.getType()).isF32() ||
        !getElementTypeOrSelf(op.getType()).isBF16() ||
        (vector && (vector.getRank() != 1 || vector.getNumElements() % 2 != 0)))
      return failure();
    LoopCode code(rewriter, op.getLoc());
    auto pack = [&](Value low, Value high) -> Value {
      return callWarp(rewriter, code.loc, kPackBF16, {low, high}).front();
    };
    Type half = rewriter.getI16Type();
    TypedAttr nan = rewriter.getI16IntegerAttr(0x7fc0);
    Value rounded;
    if (vector) {
      Values words;
      for (int64_t i = 0; i < vector.getNumElements(); i += 2)
        words.push_back(pack(code.lane(from, i), code.lane(from, i + 1)));
      auto halves = cast<VectorType>(vector.clone(half));
      rounded = vector::BitCastOp::create(rewriter, code.loc, halves,
                                          code.vectorOf(words));
      nan = DenseElementsAttr::get(halves, Attribute(nan));
    } else {
      rounded = arith::TruncIOp::create(rewriter, code.loc, half,
                                        pack(from, code.f32(0)));
    }
    rounded = arith::MinSIOp::create(
        rewriter, code.loc, rounded,
        arith::ConstantOp::create(rewriter, code.loc, nan));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), rounded);
    return success();
  }
};

struct ExpandBFloat16 : zero::impl::ExpandBFloat16Base<ExpandBFloat16> {
  using ExpandBFloat16Base::ExpandBFloat16Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    if (forGpu)
      patterns.add<RoundPairs>(&getContext(), /*benefit=*/10);
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

/// i16 for bf16, a vector of i16 for a vector of bf16; null for other types.
Type integersFor(Type type) {
  if (!getElementTypeOrSelf(type).isBF16())
    return {};
  Type integer = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(integer);
  return type.isBF16() ? integer : Type();
}

struct MoveBFloat16AsIntegers
    : zero::impl::MoveBFloat16AsIntegersBase<MoveBFloat16AsIntegers> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MaskedLoadOp,
              LLVM::MaskedStoreOp>(op))
        moveIntegers(op);
    });
  }

  static void moveIntegers(Operation *op) {
    OpBuilder b(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Type integers = integersFor(operand.get().getType()))
        operand.set(
            LLVM::BitcastOp::create(b, op->getLoc(), integers, operand.get()));
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type type = result.getType();
      Type integers = integersFor(type);
      if (!integers)
        continue;
      result.setType(integers);
      auto floats = LLVM::BitcastOp::create(b, op->getLoc(), type, result);
      result.replaceAllUsesExcept(floats, floats);
    }
  }
};

} // namespace
