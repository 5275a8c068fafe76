//===- Dispatch.cpp - Arguments and pieces of kernel launches -------------===//

#include "passes/codegen/tables/Dispatch.h"

using namespace mlir;
using namespace mlir::zero;

SmallVector<KernelOp> zero::findKernels(Operation *op,
                                        SymbolTableCollection &symbols) {
  auto find = [&](FlatSymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<KernelOp>(op, name);
  };
  if (auto launch = dyn_cast<LaunchOp>(op))
    return {find(launch.getKernelAttr())};
  if (auto names = op->getAttrOfType<ArrayAttr>(kKernelsAttr))
    return llvm::map_to_vector(names.getAsRange<FlatSymbolRefAttr>(), find);
  return {};
}

SmallVector<Value> zero::getKernelArguments(Operation *op) {
  SmallVector<Value> arguments;
  if (!isa<ClearOp>(op)) // a clear does not read its operand
    llvm::append_range(arguments, op->getOperands());
  llvm::append_range(arguments, op->getResults());
  return arguments;
}

Dispatch zero::getDispatch(KernelOp kernel) {
  SmallVector<ShapedType> types;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes()))
    types.push_back(cast<ShapedType>(type));
  auto isMatrix = [](ShapedType type) { return type.getRank() > 1; };
  ArrayRef<int64_t> space = kernel.getSpace();
  int64_t units =
      ShapedType::isDynamicShape(space) ? 0 : llvm::product_of(space);
  switch (kernel.getKind().value_or(KernelKind::Serial)) {
  case KernelKind::Rows: { // about 32 KiB of the widest operand
    int64_t widest = units;
    for (ShapedType type : types)
      widest = std::max(widest,
                        type.getNumElements() *
                            llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    return {units, std::max<int64_t>(1, 32768 / (widest / units))};
  }
  case KernelKind::Columns: // 1 KiB of each row of a column sum, or a long run
    return {units, llvm::any_of(types, isMatrix) ? 256 : 16384};
  case KernelKind::Attention:
    return {units, 1};
  case KernelKind::Scatter:
    return {units, 64};
  case KernelKind::Serial:
    return {1, 1};
  }
  llvm_unreachable("a kernel of no kind");
}
