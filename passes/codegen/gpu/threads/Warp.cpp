//===- Warp.cpp - Functions of the 32 threads of a warp -------------------===//

#include "passes/codegen/gpu/threads/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::zero;

/// The operands and results of `name`.
static FunctionType typeOf(Builder &b, StringRef name) {
  Type word = b.getI32Type(), number = b.getF32Type(), address = b.getI64Type();
  SmallVector<Type> in, out;
  if (name == kMmaBF16 || name == kMmaF16) {
    in.append(6, word);
    in.append(4, number);
    out.append(4, number);
  } else if (name == kFragment || name == kTransposed) {
    in = {word, word};
    out.append(4, word);
  } else if (name == kPackBF16 || name == kPackF16) {
    in = {number, number};
    out = {word};
  } else if (name == kSwap) {
    in = {word, word};
    out = {word};
  } else if (name == kExp2) {
    in = out = {number};
  } else if (name == kCopy) {
    in = {word, word, address, word};
  }
  return b.getFunctionType(in, out);
}

void zero::declareWarpFunctions(ModuleOp module) {
  if (module.lookupSymbol(kMmaBF16))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  for (StringRef name :
       {kMmaBF16, kMmaF16, kFragment, kTransposed, kPackBF16, kPackF16, kSwap,
        kExp2, kCopy, kEndCopies, kWaitForCopies, kWaitForOlderCopies})
    func::FuncOp::create(b, module.getLoc(), name, typeOf(b, name))
        .setPrivate();
}

ValueRange zero::callWarp(OpBuilder &b, Location loc, StringRef name,
                          ValueRange operands) {
  return func::CallOp::create(b, loc, name, typeOf(b, name).getResults(),
                              operands)
      .getResults();
}

void zero::startCopy(OpBuilder &b, Location loc, Value at, int64_t more,
                     Value from, Value bytes) {
  Value constant = arith::ConstantOp::create(
            b, loc, b.getI32IntegerAttr(static_cast<int32_t>(more))),
        address = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), from);
  callWarp(b, loc, kCopy, {at, constant, address, bytes});
}

void zero::addWarpProduct(OpBuilder &b, Location loc, Type element,
                          ValueRange a, Value b0, Value b1,
                          MutableArrayRef<Value> sums) {
  SmallVector<Value> operands(a);
  operands.append({b0, b1});
  operands.append(sums.begin(), sums.end());
  llvm::copy(callWarp(b, loc, element.isBF16() ? kMmaBF16 : kMmaF16, operands),
             sums.begin());
}
