//===- BufferizeKernels.cpp - Kernels from tensors to memrefs -------------===//
//
//   func @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
// becomes
//   func @k(%x: memref<4x8xf32>, %out: memref<4x8xf32>, %begin: index, %end:
//   index)
//
// Operands come first, results behind them, then the range of units to do.
// Upstream's one-shot bufferization does the work; results are written where
// they belong because every returned tensor is materialized in its memref.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::zero;

MemRefType zero::memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

void zero::appendKernelArguments(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Builder b(kernel.getContext());
  for (int i = 0; i < 2; ++i)
    body.addArgument(b.getIndexType(), kernel.getLoc());
  kernel.setType(
      b.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes()));
  kernel.setArgAttrsAttr(ArrayAttr());
}

void zero::toDestinationForm(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  auto returned = cast<func::ReturnOp>(body.getTerminator());
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
  func::ReturnOp::create(b, returned.getLoc());
  returned.erase();
  kernel.setResAttrsAttr(ArrayAttr());
  kernel.setType(b.getFunctionType(body.getArgumentTypes(), {}));
}

LogicalResult zero::bufferizeModule(ModuleOp module) {
  PassManager pm(module->getName());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  return pm.run(module);
}
