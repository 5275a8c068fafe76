//===- RuntimeCall.h - Calls of the runtime for kernels ---------*- C++ -*-===//
//
// Kernels by hand are calls of functions of the runtime, one for each pair of a
// batch and a head, with the addresses of heads and the strides of rows where
// they lie.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/loops/KernelViews.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::zero {

class RuntimeCall : protected LoopCode {
protected:
  RuntimeCall(func::FuncOp kernel, Operation *op, OpBuilder &b,
              KernelViews &views)
      : LoopCode(b, op->getLoc()), kernel(kernel), op(op), views(views) {}

  func::FuncOp kernel;
  Operation *op;
  KernelViews &views;
  Value batch, head;
  SmallVector<Value> args;

  /// Opens the loop over units.
  void openUnits(int64_t heads) {
    auto units = scf::ForOp::create(b, loc, views.begin, views.end, index(1));
    b.setInsertionPointToStart(units.getBody());
    batch = div(units.getInductionVar(), heads);
    head = rem(units.getInductionVar(), heads);
  }

  void passInteger(int64_t value, unsigned bits = 64) {
    args.push_back(arith::ConstantIntOp::create(b, loc, value, bits));
  }

  void passFloat(double value) {
    args.push_back(arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)));
  }
  void passNull() {
    args.push_back(LLVM::ZeroOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext())));
  }

  /// Passes the address of this batch (dimension 0) and of `ofHead` (dimension
  /// `headDim`) in `view`.  Without a head, the address of the batch.
  LogicalResult passAddress(Value view, Value ofHead, unsigned headDim,
                            SmallVectorImpl<int64_t> &strides) {
    auto type = cast<MemRefType>(view.getType());
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1 ||
        llvm::is_contained(strides, ShapedType::kDynamic) ||
        ShapedType::isDynamic(offset))
      return op->emitOpError("reads a view whose rows are not contiguous: ")
             << type;
    // The pointer is the whole buffer's, so the view's offset is added.
    Value element = mul(batch, strides[0]);
    if (ofHead)
      element = add(element, mul(ofHead, strides[headDim]));
    element = add(element, offset);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
    Value address = arith::IndexCastOp::create(
        b, loc, b.getI64Type(),
        add(base, mul(element, type.getElementTypeBitWidth() / 8)));
    args.push_back(LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), address));
    return success();
  }

  /// Passes the address and row stride of each [B, T, H, D] view at `ofHead`;
  /// with `passHeads`, also the stride between heads.
  LogicalResult passRows(ValueRange all, Value ofHead, bool passHeads = false) {
    for (Value view : all) {
      SmallVector<int64_t> strides;
      if (failed(passAddress(view, ofHead, 2, strides)))
        return failure();
      passInteger(strides[1]);
      if (passHeads)
        passInteger(strides[2]);
    }
    return success();
  }

  /// Passes the address of the batch in `all`, if there is such an operand:
  /// starts [B, T], keys of dropout [B], or the numbers of slots [S].
  LogicalResult passOfBatch(Value all) {
    SmallVector<int64_t> strides;
    if (all)
      return passAddress(views.operand(cast<TypedValue<RankedTensorType>>(all)),
                         Value(), 0, strides);
    passNull();
    return success();
  }

  void call(StringRef name) {
    auto module = kernel->getParentOfType<ModuleOp>();
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      function = func::FuncOp::create(
          top, loc, name,
          b.getFunctionType(ValueRange(args).getTypes(), TypeRange()));
      function.setPrivate();
    }
    func::CallOp::create(b, loc, function, args);
  }
};

} // namespace mlir::zero
