//===- ExpandBFloat16.cpp - Casts of bf16 as integer arithmetic -----------===//
//
// Some processors have an instruction that rounds to bf16 but takes denormal
// numbers for zero; others call a library.  Shifts and additions give the same
// bits everywhere, and vectorize.
//
// After that only loads and stores use bf16.  On processors without masked
// moves of 16 bits, LLVM would widen and round masked ones, so they move
// integers.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#define DEBUG_TYPE "zero-expand-bf16"

namespace mlir::zero {
#define GEN_PASS_DEF_EXPANDBFLOAT16
#define GEN_PASS_DEF_MOVEBFLOAT16ASINTEGERS
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

struct ExpandBFloat16 : zero::impl::ExpandBFloat16Base<ExpandBFloat16> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
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
