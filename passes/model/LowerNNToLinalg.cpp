//===- LowerNNToLinalg.cpp - nn operations in their linalg form -----------===//
//
// Each operation of nn writes its own form (LinalgFormOpInterface); this pass
// puts it in the operation's place.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#define DEBUG_TYPE "zero-lower-nn-to-linalg"

namespace mlir::zero {
#define GEN_PASS_DEF_LOWERNNTOLINALG
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

struct LowerNNToLinalgPass
    : zero::impl::LowerNNToLinalgBase<LowerNNToLinalgPass> {
  using LowerNNToLinalgBase::LowerNNToLinalgBase;

  void runOnOperation() override {
    SmallVector<nn::LinalgFormOpInterface> forms;
    getOperation().walk([&](nn::LinalgFormOpInterface op) {
      if (!(keepEmbedding && isa<nn::EmbeddingOp>(op)))
        forms.push_back(op);
    });
    for (nn::LinalgFormOpInterface op : forms) {
      OpBuilder b(op);
      op->replaceAllUsesWith(op.emitLinalgForm(b));
      op->erase();
    }
  }
};

} // namespace
