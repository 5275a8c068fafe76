//===- PrepareReference.cpp - Removes what upstream's loops lack ----------===//

#include "passes/codegen/Passes.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "zero-prepare-reference"

namespace mlir::zero {
#define GEN_PASS_DEF_PREPAREREFERENCE
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

struct PrepareReference : zero::impl::PrepareReferenceBase<PrepareReference> {
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp func) {
      for (BlockArgument arg : func.getArguments())
        if (isa<TensorType>(arg.getType()))
          func.setArgAttr(
              arg.getArgNumber(),
              bufferization::BufferizationDialect::kWritableAttrName,
              BoolAttr::get(func.getContext(), false));
    });
    // The reference has one rank and one micro-step.
    getOperation().walk([](zero::AverageOp op) {
      op.replaceAllUsesWith(op.getValue());
      op.erase();
    });
    SmallVector<linalg::AggregatedOpInterface> aggregates;
    getOperation().walk(
        [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
    for (linalg::AggregatedOpInterface op : aggregates) {
      IRRewriter rewriter(op);
      FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
      if (failed(parts))
        return signalPassFailure();
      rewriter.replaceOp(op, *parts);
    }
    RewritePatternSet patterns(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
