//===- RuntimeKernels.cpp - Kernels that the runtime calls ----------------===//

#include "passes/codegen/gpu/runtime/RuntimeKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"

using namespace mlir;
using namespace mlir::zero;

void zero::emitRuntimeKernel(ModuleOp module, const RuntimeKernel &kernel) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  int64_t shared = kMaxSharedBytes;
  for (auto [name, number] : kernel.units)
    if (name == kSharedBytesAttr)
      shared = number;
  SmallVector<Type> types;
  for (Type operand : kernel.operands)
    types.push_back(MemRefType::get({}, operand));
  Type index = b.getIndexType();
  types.append({index, MemRefType::get({shared}, b.getI8Type()), index, index});
  auto function =
      func::FuncOp::create(b, loc, kernel.entry, b.getFunctionType(types, {}));
  function.setPrivate();
  for (auto [name, number] : kernel.units)
    function->setAttr(name, b.getI64IntegerAttr(number));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&function.front());
  ValueRange all = function.getArguments();
  ValueRange rest = all.drop_front(kernel.operands.size());
  kernel.build(b, loc,
               {all.take_front(kernel.operands.size()), rest[0], rest[1],
                rest[2], rest[3]});
}
