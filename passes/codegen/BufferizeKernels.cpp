//===- BufferizeKernels.cpp - Kernels from tensors to memrefs -------------===//
//
//   zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4]
// becomes
//   zero.kernel @k(%x: memref<4x8xf32>, %out: memref<4x8xf32>) units rows [4]
//
// Operands come first, results after them.
//
// Upstream's one-shot bufferization handles values, but not results: each
// result is copied to its memref after all are computed.  Then the result takes
// the place of the buffer that is copied:
//
//   %t = memref.alloc()
//   linalg.generic ... outs(%t)        =>   linalg.generic ... outs(%out)
//   memref.copy %t, %out
//
// If results were memrefs earlier, bufferization would not see that one is
// overwritten while another still reads it as its initial value.
//
// One-shot bufferization also lets values share a tensor.empty one after the
// other.  Here each use gets its own, so that nothing else writes the initial
// buffer of a result; zero.in_place relies on this.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Zero.h"
#include "passes/codegen/KernelCode.h"
#include "passes/codegen/Passes.h"
#include "passes/codegen/loops/KernelViews.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-bufferize-kernels"

namespace mlir::zero {
#define GEN_PASS_DEF_PREPAREBUFFERS
#define GEN_PASS_DEF_TODESTINATIONFORM
#define GEN_PASS_DEF_PLACERESULTS
#include "passes/codegen/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// Turns tensor operands and results into memref arguments, results last.
static void toDestinationForm(FunctionOpInterface kernel) {
  Block &body = kernel.getFunctionBody().front();
  Operation *returned = body.getTerminator();
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&body);
  for (BlockArgument arg : body.getArguments()) {
    auto tensor = cast<RankedTensorType>(arg.getType());
    arg.setType(memrefOf(tensor));
    auto value = bufferization::ToTensorOp::create(b, arg.getLoc(), tensor, arg,
                                                   /*restrict=*/true,
                                                   /*writable=*/false);
    arg.replaceAllUsesExcept(value, value);
  }
  SmallVector<BlockArgument> outputs;
  for (Value value : returned->getOperands())
    outputs.push_back(
        body.addArgument(memrefOf(value.getType()), value.getLoc()));
  b.setInsertionPoint(returned);
  SmallVector<Value> values(returned->getOperands());
  for (auto [value, output] : llvm::zip_equal(values, outputs))
    bufferization::MaterializeInDestinationOp::create(
        b, value.getLoc(), /*result=*/Type(), value, output, /*restrict=*/true,
        /*writable=*/true);
  returned->setOperands({});
  kernel.removeArgAttrsAttr();
  kernel.removeResAttrsAttr();
  kernel.setType(b.getFunctionType(body.getArgumentTypes(), {}));
}

/// Copies each init that is a view, in the view's own shape.  Otherwise
/// bufferization would copy the tensor that the view reads, whose shape may be
/// cut into other units.
static void copyInitialViews(FunctionOpInterface kernel) {
  kernel->walk([](linalg::LinalgOp op) {
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operation *def = init.get().getDefiningOp();
      if (!isa_and_present<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                           tensor::ExpandShapeOp>(def))
        continue;
      OpBuilder b(op);
      auto type = cast<RankedTensorType>(init.get().getType());
      Value empty = tensor::EmptyOp::create(b, def->getLoc(), type.getShape(),
                                            type.getElementType());
      init.set(linalg::CopyOp::create(b, def->getLoc(), init.get(), empty)
                   .getResult(0));
    }
  });
}

/// Gives each use of a tensor.empty one of its own.
static void separateEmpties(FunctionOpInterface kernel) {
  SmallVector<tensor::EmptyOp> empties;
  kernel->walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp op : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*op)->getResult(0));
    }
    op.erase();
  }
}

/// Replaces buffers that are copied to results by the results.
static void placeResults(FunctionOpInterface kernel) {
  for (auto copy : llvm::make_early_inc_range(
           kernel.getFunctionBody().front().getOps<memref::CopyOp>())) {
    auto result = dyn_cast<BlockArgument>(copy.getTarget());
    auto buffer = copy.getSource().getDefiningOp<memref::AllocOp>();
    if (!result || !result.hasOneUse() || !buffer)
      continue;
    // Rows of a result may be padded, and loops work on any rows.
    auto isLoops = [&](Operation *user) {
      return user == copy || isa<linalg::LinalgOp>(user);
    };
    if (buffer.getType() != result.getType() &&
        !llvm::all_of(buffer->getUsers(), isLoops))
      continue;
    LDBG() << "is the result " << result.getArgNumber() << " of @"
           << kernel.getName() << " itself: " << buffer;
    copy.erase();
    buffer.getResult().replaceAllUsesWith(result);
    buffer.erase();
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Whether it is a kernel with a body, and operands or results are still
/// tensors.
static bool isOnTensors(FunctionOpInterface kernel) {
  return !kernel.isExternal() && !isa<ProgramOp>(kernel) &&
         llvm::any_of(llvm::concat<const Type>(kernel.getArgumentTypes(),
                                               kernel.getResultTypes()),
                      llvm::IsaPred<TensorType>);
}

namespace {

struct PrepareBuffers : zero::impl::PrepareBuffersBase<PrepareBuffers> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FunctionOpInterface>())
      if (isOnTensors(kernel)) {
        copyInitialViews(kernel);
        separateEmpties(kernel);
      }
  }
};

struct ToDestinationForm
    : zero::impl::ToDestinationFormBase<ToDestinationForm> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FunctionOpInterface>())
      if (isOnTensors(kernel))
        toDestinationForm(kernel);
  }
};

struct PlaceResults : zero::impl::PlaceResultsBase<PlaceResults> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<FunctionOpInterface>())
      if (!kernel.isExternal())
        placeResults(kernel);
  }
};

} // namespace
