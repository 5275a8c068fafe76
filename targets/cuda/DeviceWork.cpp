//===- DeviceWork.cpp - Work of a plan that needs device code -------------===//

#include "targets/cuda/DeviceWork.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/codegen/KernelPipeline.h"
#include "passes/codegen/tables/Dispatch.h"
#include "passes/codegen/tables/LibraryAttention.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

/// The product of groups that `op` needs, if it is one.
static std::optional<GroupedMatmul> findGrouped(Operation *op) {
  auto of = [](Value x) { return cast<RankedTensorType>(x.getType()); };
  if (auto product = dyn_cast<nn::GroupedMatmulOp>(op)) {
    RankedTensorType x = of(product.getX()), y = of(product.getResult());
    return GroupedMatmul{/*sums=*/false,
                         !product.getTransposed(),
                         x.getElementType(),
                         y.getElementType(),
                         static_cast<int64_t>(product.getWeights().size()),
                         y.getDimSize(1),
                         x.getDimSize(1)};
  }
  auto product = dyn_cast<nn::GroupedMatmulBackwardOp>(op);
  if (!product)
    return std::nullopt;
  RankedTensorType a = of(product.getA()), b = of(product.getB());
  return GroupedMatmul{/*sums=*/true,
                       /*transW=*/false,
                       a.getElementType(),
                       of(product.getResult(0)).getElementType(),
                       static_cast<int64_t>(product.getNumResults()),
                       b.getDimSize(1),
                       a.getDimSize(1)};
}

/// The runtime's kernel that `op` needs, if it needs one.
static std::optional<RuntimeKernel> findRuntimeKernel(Operation *op,
                                                      bool addsUp) {
  auto element = [](Value x) { return getElementType(x.getType()); };
  if (std::optional<GroupedMatmul> product = findGrouped(op))
    return getGroupedKernel(*product);
  if (auto packed = dyn_cast<UnpackOp>(op))
    return getUnpackKernel(packed.getPacking(), element(packed.getResult()));
  if (auto product = dyn_cast<nn::MatmulOp>(op);
      product && product.getBias() &&
      element(product.getBias()).getIntOrFloatBitWidth() == 16 &&
      element(product.getResult()).isF32())
    return getWidenKernel(element(product.getBias()));
  if (isa<SumSquaresOp>(op))
    return getSquaresKernel(element(op->getOperand(0)));
  if (addsUp && isa<ReduceScatterOp, AllReduceOp>(op))
    return getRankedSumKernel(element(op->getOperand(0)),
                              element(op->getResult(0)));
  return std::nullopt;
}

FailureOr<DeviceWork> zero::findDeviceWork(ModuleOp plan, bool addsUp) {
  llvm::SetVector<KernelOp> kernels;
  SmallVector<RuntimeKernel> more;
  SymbolTableCollection symbols;
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front()) {
      if (getStream(&op) == Stream::Host)
        continue;
      if (isa<nn::GroupedMatmulOp, nn::GroupedMatmulBackwardOp>(op) &&
          getElementType(op.getOperand(0).getType()).isF64())
        return op.emitError("multiplies groups of rows of f64, which GPUs do "
                            "not; drop --target=cuda");
      if (auto kernel = findRuntimeKernel(&op, addsUp);
          kernel && !llvm::is_contained(more, *kernel))
        more.push_back(*kernel);
      for (KernelOp kernel : findKernels(&op, symbols))
        kernels.insert(kernel);
    }
  DeviceWork work{{}, {}, more};
  for (KernelOp kernel : kernels)
    (isLibraryAttention(kernel) ? work.libraries : work.kernels)
        .push_back(kernel);
  return work;
}

OwningOpRef<ModuleOp> zero::lowerDeviceWork(ModuleOp plan,
                                            const DeviceWork &work,
                                            PassManagerSetup setup,
                                            StringRef attention,
                                            StringRef arch) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(plan.getLoc());
  for (KernelOp kernel : work.kernels)
    module->push_back(kernel.clone());
  if (failed(lowerKernelsToGpu(*module, work.more, setup, attention, arch)))
    return nullptr;
  return module;
}
