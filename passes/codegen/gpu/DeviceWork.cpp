//===- DeviceWork.cpp - What a plan needs code of a device for ------------===//

#include "passes/codegen/gpu/DeviceWork.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/codegen/Dispatch.h"
#include "passes/codegen/EmitObject.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

/// "nn.grouped_matmul of h.0.mlp, and 3 more", of operations of one kind.
static std::string nameAll(ArrayRef<Operation *> ops) {
  Operation *first = ops.front();
  std::string where = describeLocation(first->getLoc());
  std::string text = first->getName().getStringRef().str();
  if (!where.empty())
    text += " of " + where;
  if (ops.size() > 1)
    text += ", and " + std::to_string(ops.size() - 1) + " more";
  return text;
}

FailureOr<DeviceWork> zero::findDeviceWork(ModuleOp plan, bool addsUp) {
  llvm::SetVector<KernelOp> kernels;
  llvm::SetVector<Type> squares;
  SmallVector<RankedSum> sums;
  SmallVector<PackedType> packed;
  SmallVector<Operation *> grouped;
  SymbolTableCollection symbols;
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front()) {
      if (getStream(&op) == Stream::Host)
        continue;
      if (isa<nn::GroupedMatmulOp, nn::GroupedMatmulBackwardOp>(op))
        grouped.push_back(&op);
      if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
        PackedType type{dequantize.getPacking(),
                        getElementType(dequantize.getResult().getType())};
        if (!llvm::is_contained(packed, type))
          packed.push_back(type);
      }
      if (isa<SumSquaresOp>(op))
        squares.insert(getElementType(op.getOperand(0).getType()));
      if (addsUp && isa<ReduceScatterOp, AllReduceOp>(op)) {
        RankedSum sum{getElementType(op.getOperand(0).getType()),
                      getElementType(op.getResult(0).getType())};
        if (!llvm::is_contained(sums, sum))
          sums.push_back(sum);
      }
      for (KernelOp kernel : findKernels(&op, symbols))
        kernels.insert(kernel);
    }
  if (!grouped.empty())
    return plan.emitError("has products of groups (experts), which GPUs do not "
                          "have yet: ")
           << nameAll(grouped) << "; drop --target=cuda";
  return DeviceWork{kernels.takeVector(), {squares.takeVector(), sums, packed}};
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
  // What cuBLASLt's authors ask for.
  constexpr int64_t kUsual = 4 << 20, kOfHopper = 32 << 20;
  unsigned number = 0;
  const bool isNumber =
      arch.consume_front("sm_") && !arch.getAsInteger(10, number);
  return isNumber && number >= 90 ? kOfHopper : kUsual;
}
