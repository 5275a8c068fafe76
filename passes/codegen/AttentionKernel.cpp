//===- AttentionKernel.cpp - Attention as calls of the runtime ------------===//
//
// Units are (batch, head) pairs.  Each is one call of zrt_attention or
// zrt_attention_backward, which read and write heads where they lie:
//
//   %o = nn.attention %q, %k, %v      =>  for unit in [begin, end)
//                                           call @zrt_attention(T, S, D, ...,
//                                             address and row stride of q, ...)
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/KernelViews.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "runtime/zrt.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class AttentionEmitter {
public:
  AttentionEmitter(func::FuncOp kernel, Operation *op, OpBuilder &b,
                   KernelViews &views)
      : kernel(kernel), op(op), loc(op->getLoc()), b(b), views(views) {}

  LogicalResult forward(nn::AttentionOp attention);
  LogicalResult backward(nn::AttentionBackwardOp attention);

private:
  func::FuncOp kernel;
  Operation *op;
  Location loc;
  OpBuilder &b;
  KernelViews &views;
  Value batch, head;
  SmallVector<Value> args;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value times(Value x, int64_t factor) {
    return arith::MulIOp::create(b, loc, x, index(factor));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value pointerTo(Value address) {
    return LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  }

  /// Opens the loop over units.
  void openUnits(int64_t heads) {
    auto units = scf::ForOp::create(b, loc, views.begin, views.end, index(1));
    b.setInsertionPointToStart(units.getBody());
    Value unit = units.getInductionVar();
    batch = arith::DivUIOp::create(b, loc, unit, index(heads));
    head = arith::RemUIOp::create(b, loc, unit, index(heads));
  }

  void passInteger(int64_t value, unsigned bits = 64) {
    args.push_back(arith::ConstantIntOp::create(b, loc, value, bits));
  }

  /// T, S, D, scale, causal and the type of elements.
  LogicalResult passShape(RankedTensorType q, RankedTensorType k, APFloat scale,
                          bool causal) {
    if (q.getDimSize(3) > ZRT_MAX_ATTENTION_WIDTH)
      return op->emitError("has heads of width ")
             << q.getDimSize(3) << ", and a kernel for up to "
             << ZRT_MAX_ATTENTION_WIDTH << "; compile with --reference";
    passInteger(q.getDimSize(1));
    passInteger(k.getDimSize(1));
    passInteger(q.getDimSize(3));
    args.push_back(arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(scale.convertToDouble())));
    passInteger(causal, 32);
    Type element = q.getElementType();
    passInteger(element.isBF16()  ? ZRT_BF16
                : element.isF16() ? ZRT_F16
                                  : ZRT_F32,
                32);
    return success();
  }

  /// The address of this batch and head in `view`, whose dimensions 0 and
  /// `headDim` they are.
  LogicalResult passAddress(Value view, unsigned headDim,
                            SmallVectorImpl<int64_t> &strides) {
    auto type = cast<MemRefType>(view.getType());
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1 ||
        llvm::is_contained(strides, ShapedType::kDynamic) ||
        ShapedType::isDynamic(offset))
      return op->emitError("reads a view whose rows are not contiguous: ")
             << type;
    // The pointer is that of the whole buffer: the view's offset counts.
    Value element =
        add(times(batch, strides[0]), times(head, strides[headDim]));
    element = add(element, index(offset));
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
    Value address = arith::IndexCastOp::create(
        b, loc, b.getI64Type(),
        add(base, times(element, type.getElementTypeBitWidth() / 8)));
    args.push_back(pointerTo(address));
    return success();
  }

  /// Address and row stride of each [B, T, H, D] view.
  LogicalResult passRows(ValueRange all) {
    for (Value view : all) {
      SmallVector<int64_t> strides;
      if (failed(passAddress(view, 2, strides)))
        return failure();
      passInteger(strides[1]);
    }
    return success();
  }

  /// lse is [B, H, T].
  LogicalResult passLse(Value view) {
    SmallVector<int64_t> strides;
    if (view)
      return passAddress(view, 1, strides);
    args.push_back(LLVM::ZeroOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext())));
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

LogicalResult AttentionEmitter::forward(nn::AttentionOp attention) {
  Value q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        out = views.result(attention.getResult()),
        lse = attention.getLse() ? views.result(attention.getLse()) : Value();
  if (!q || !k || !v || !out ||
      (attention.getLse() && !lse && !attention.getLse().use_empty()))
    return op->emitError("is used in a way that its kernel does not support");
  openUnits(attention.getQ().getType().getDimSize(2));
  if (failed(passShape(attention.getQ().getType(), attention.getK().getType(),
                       attention.getScale(), attention.getCausal())) ||
      failed(passRows({q, k, v, out})) || failed(passLse(lse)))
    return failure();
  call("zrt_attention");
  return success();
}

LogicalResult AttentionEmitter::backward(nn::AttentionBackwardOp attention) {
  Value grad = views.operand(attention.getGrad()),
        q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        lse = views.operand(attention.getLse()),
        dq = views.result(attention.getDq()),
        dk = views.result(attention.getDk()),
        dv = views.result(attention.getDv());
  if (!grad || !q || !k || !v || !lse || !dq || !dk || !dv)
    return op->emitError("is used in a way that its kernel does not support");
  RankedTensorType type = attention.getQ().getType();
  if (!type.getElementType().isF32() &&
      type.getDimSize(1) > ZRT_MAX_ATTENTION_QUERIES)
    return op->emitError("has ")
           << type.getDimSize(1) << " queries of " << type.getElementType()
           << ", and a kernel for up to " << ZRT_MAX_ATTENTION_QUERIES;
  openUnits(type.getDimSize(2));
  if (failed(passShape(type, attention.getK().getType(), attention.getScale(),
                       attention.getCausal())) ||
      failed(passRows({grad, q, k, v})) || failed(passLse(lse)) ||
      failed(passRows({dq, dk, dv})))
    return failure();
  call("zrt_attention_backward");
  return success();
}

} // namespace

LogicalResult zero::emitAttentionKernel(func::FuncOp kernel) {
  nn::AttentionOp forward;
  nn::AttentionBackwardOp backward;
  kernel.walk([&](nn::AttentionOp op) { forward = op; });
  kernel.walk([&](nn::AttentionBackwardOp op) { backward = op; });
  OpBuilder b(kernel.getContext());
  Operation *op = forward ? forward.getOperation() : backward.getOperation();
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return op->emitError("has a kernel for f32, bf16 and f16; compile with "
                         "--reference");
  KernelViews views(kernel, b);
  AttentionEmitter emitter(kernel, op, b, views);
  LogicalResult result =
      forward ? emitter.forward(forward) : emitter.backward(backward);
  if (succeeded(result))
    views.finish();
  return result;
}
