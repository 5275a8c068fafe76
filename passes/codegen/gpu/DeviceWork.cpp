//===- DeviceWork.cpp - Work of a plan that needs device code -------------===//

#include "passes/codegen/gpu/DeviceWork.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/codegen/Dispatch.h"
#include "passes/codegen/EmitObject.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

/// The product of groups that `op` needs, if it is one.
static std::optional<GroupedProduct> findGrouped(Operation *op) {
  auto of = [](Value x) { return cast<RankedTensorType>(x.getType()); };
  if (auto product = dyn_cast<nn::GroupedMatmulOp>(op)) {
    RankedTensorType x = of(product.getX()), y = of(product.getResult());
    return GroupedProduct{/*sums=*/false,
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
  return GroupedProduct{/*sums=*/true,
                        /*transW=*/false,
                        a.getElementType(),
                        of(product.getResult(0)).getElementType(),
                        static_cast<int64_t>(product.getNumResults()),
                        b.getDimSize(1),
                        a.getDimSize(1)};
}

/// Adds `value` unless it is there.
template <typename T>
static void addUnique(SmallVector<T> &list, const T &value) {
  if (!llvm::is_contained(list, value))
    list.push_back(value);
}

FailureOr<DeviceWork> zero::findDeviceWork(ModuleOp plan, bool addsUp) {
  llvm::SetVector<KernelOp> kernels;
  llvm::SetVector<Type> squares;
  RuntimeKernels more;
  SymbolTableCollection symbols;
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front()) {
      if (getStream(&op) == Stream::Host)
        continue;
      if (std::optional<GroupedProduct> product = findGrouped(&op)) {
        if (product->from.isF64())
          return op.emitError("multiplies groups of rows of f64, which GPUs do "
                              "not; drop --target=cuda");
        addUnique(more.grouped, *product);
      }
      if (auto dequantize = dyn_cast<DequantizeOp>(op))
        addUnique(more.packed,
                  {dequantize.getPacking(),
                   getElementType(dequantize.getResult().getType())});
      if (auto product = dyn_cast<nn::MatmulOp>(op);
          product && product.getBias()) {
        Type bias = getElementType(product.getBias().getType());
        if (bias.getIntOrFloatBitWidth() == 16 &&
            getElementType(product.getResult().getType()).isF32())
          addUnique(more.widened, bias);
      }
      if (isa<SumSquaresOp>(op))
        squares.insert(getElementType(op.getOperand(0).getType()));
      if (addsUp && isa<ReduceScatterOp, AllReduceOp>(op))
        addUnique(more.sums, {getElementType(op.getOperand(0).getType()),
                              getElementType(op.getResult(0).getType())});
      for (KernelOp kernel : findKernels(&op, symbols))
        kernels.insert(kernel);
    }
  more.squares = squares.takeVector();
  return DeviceWork{kernels.takeVector(), more};
}

OwningOpRef<ModuleOp> zero::lowerDeviceWork(ModuleOp plan,
                                            const DeviceWork &work,
                                            PassManagerSetup setup,
                                            StringRef attention) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(plan.getLoc());
  for (KernelOp kernel : work.kernels)
    module->push_back(kernel.clone());
  if (failed(lowerKernelsToGpu(*module, work.more, setup, attention)))
    return nullptr;
  return module;
}

int64_t zero::getProductWorkspace(StringRef arch) {
  // The sizes that cuBLASLt's authors recommend.
  constexpr int64_t kUsual = 4 << 20, kOfHopper = 32 << 20;
  unsigned number = 0;
  const bool isNumber =
      arch.consume_front("sm_") && !arch.getAsInteger(10, number);
  return isNumber && number >= 90 ? kOfHopper : kUsual;
}
