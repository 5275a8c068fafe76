//===- BufferizeKernels.cpp - Kernels from tensors to memrefs -------------===//
//
//   zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4]
// becomes
//   zero.kernel @k(%x: memref<4x8xf32>, %out: memref<4x8xf32>) units rows [4]
//
// Operands come first, results after them.
// Upstream's one-shot bufferization does the work on values, and knows nothing
// of results: each is copied to its memref when all are computed.  Only then
// does the buffer that is copied become the result itself:
//
//   %t = memref.alloc()
//   linalg.generic ... outs(%t)        =>   linalg.generic ... outs(%out)
//   memref.copy %t, %out
//
// Were results written through memrefs before, bufferization would not see that
// one is overwritten while another still begins with it.
//
// In one-shot bufferization values may also share a tensor.empty, one after the
// other.  Here each use has its own: what a result begins as is written by
// nothing else, which zero.in_place rests on.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::zero;

MemRefType zero::memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

func::FuncOp zero::toFunction(KernelOp kernel) {
  OpBuilder b(kernel);
  auto function = func::FuncOp::create(
      b, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType());
  function.setPrivate();
  function.getBody().takeBody(kernel.getBody());
  Operation *returned = function.front().getTerminator();
  b.setInsertionPoint(returned);
  func::ReturnOp::create(b, returned->getLoc(), returned->getOperands());
  returned->erase();
  kernel.erase();
  return function;
}

void zero::appendKernelArguments(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Builder b(kernel.getContext());
  for (int i = 0; i < 2; ++i)
    body.addArgument(b.getIndexType(), kernel.getLoc());
  kernel.setType(
      b.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes()));
}

/// Turns tensor operands and results into memref arguments, results last.
static void toDestinationForm(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto returned = cast<ReturnOp>(body.getTerminator());
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
  for (Value value : returned.getOperands())
    outputs.push_back(
        body.addArgument(memrefOf(value.getType()), value.getLoc()));
  b.setInsertionPoint(returned);
  SmallVector<Value> values(returned.getOperands());
  for (auto [value, output] : llvm::zip_equal(values, outputs))
    bufferization::MaterializeInDestinationOp::create(
        b, value.getLoc(), /*result=*/Type(), value, output, /*restrict=*/true,
        /*writable=*/true);
  ReturnOp::create(b, returned.getLoc(), ValueRange());
  returned.erase();
  kernel.setArgAttrsAttr(ArrayAttr());
  kernel.setResAttrsAttr(ArrayAttr());
  kernel.setType(b.getFunctionType(body.getArgumentTypes(), {}));
}

/// What begins as a view begins as a copy of it, of its own shape: where the
/// bytes of a view come from another shape, that would be copied, and be cut
/// into other units.
static void copyInitialViews(KernelOp kernel) {
  kernel.walk([](linalg::LinalgOp op) {
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

/// Each use of a tensor.empty is of one of its own.
static void separateEmpties(KernelOp kernel) {
  SmallVector<tensor::EmptyOp> empties;
  kernel.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp op : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*op)->getResult(0));
    }
    op.erase();
  }
}

/// Buffers that are copied to results become the results.
static void placeResults(KernelOp kernel) {
  for (auto copy : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<memref::CopyOp>())) {
    auto result = dyn_cast<BlockArgument>(copy.getTarget());
    auto buffer = copy.getSource().getDefiningOp<memref::AllocOp>();
    if (!result || !result.hasOneUse() || !buffer ||
        buffer.getType() != result.getType())
      continue;
    copy.erase();
    buffer.getResult().replaceAllUsesWith(result);
    buffer.erase();
  }
}

LogicalResult zero::bufferizeKernels(ModuleOp module,
                                     ArrayRef<KernelOp> kernels) {
  llvm::for_each(kernels, copyInitialViews);
  llvm::for_each(kernels, separateEmpties);
  PassManager empties(module->getName());
  empties.addPass(bufferization::createEmptyTensorEliminationPass());
  if (failed(empties.run(module)))
    return failure();
  llvm::for_each(kernels, toDestinationForm);
  PassManager pm(module->getName());
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  if (failed(pm.run(module)))
    return failure();
  llvm::for_each(kernels, placeResults);
  return success();
}
