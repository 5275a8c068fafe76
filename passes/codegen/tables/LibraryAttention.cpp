//===- LibraryAttention.cpp - Attention that a library computes -----------===//
//
// A kernel of nn.library_attention has no code for the device.  What it says
// becomes numbers: the operation's sizes, and where the rows of its operands
// and results lie in those of the launch.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/tables/LibraryAttention.h"

#include "dialect/nn/NN.h"
#include "passes/codegen/loops/KernelViews.h"

using namespace mlir;
using namespace mlir::zero;

template <typename OpT>
static OpT findIn(KernelOp kernel) {
  if (kernel.isExternal())
    return {};
  auto found = kernel.getOps<OpT>();
  return found.empty() ? OpT() : *found.begin();
}

bool zero::isLibraryAttention(KernelOp kernel) {
  return findIn<nn::LibraryAttentionOp>(kernel) ||
         findIn<nn::LibraryAttentionBackwardOp>(kernel);
}

/// A copy of `kernel` as a plain function.
static func::FuncOp asFunction(KernelOp kernel, OpBuilder &b) {
  auto function = func::FuncOp::create(kernel.getLoc(), kernel.getSymName(),
                                       kernel.getFunctionType());
  IRMapping map;
  kernel.getBody().cloneInto(&function.getBody(), map);
  Operation *returned = function.front().getTerminator();
  b.setInsertionPoint(returned);
  func::ReturnOp::create(b, returned->getLoc(), returned->getOperands());
  returned->erase();
  return function;
}

namespace {

/// Reads the places of tensors of a kernel; its arguments are `inputs` tensors,
/// and then the views of all operands of a launch.
class Reader {
public:
  Reader(Operation *op, KernelViews &views, unsigned inputs)
      : op(op), views(views), inputs(inputs) {}

  template <typename OpT>
  Zrt<zrt_device_attention> readShape(OpT attention) {
    RankedTensorType q = attention.getQ().getType(),
                     k = attention.getK().getType();
    Zrt<zrt_device_attention> how = {
        .dtype = uint32_t(q.getElementType().isBF16() ? ZRT_BF16 : ZRT_F16),
        .causal = attention.getCausal(),
        .batch = q.getDimSize(0),
        .heads = q.getDimSize(2),
        .key_heads = k.getDimSize(2),
        .queries = q.getDimSize(1),
        .keys = k.getDimSize(1),
        .width = q.getDimSize(3),
        .window = int64_t(attention.getWindow().value_or(0)),
        .scale = attention.getScale().convertToDouble(),
        .room_bytes =
            uint64_t(attention.getRoom().getType().getNumElements()) * 4};
    how.at_once = how.batch;
    how.q = operand(attention.getQ());
    how.k = operand(attention.getK());
    how.v = operand(attention.getV());
    how.room = result(attention.getRoom());
    return how;
  }

  Zrt<zrt_head_rows> operand(TypedValue<RankedTensorType> value) {
    return place(views.operand(value));
  }
  Zrt<zrt_head_rows> result(TypedValue<RankedTensorType> value) {
    return place(views.result(value));
  }

  bool isBroken = false;

private:
  Operation *op;
  KernelViews &views;
  const unsigned inputs;

  /// Rows are contiguous, and begin at multiples of the 16 bytes that the
  /// library loads.
  Zrt<zrt_head_rows> place(Value view) {
    SmallVector<int64_t> strides;
    int64_t first = 0;
    auto type = view ? cast<MemRefType>(view.getType()) : MemRefType();
    if (!type || failed(type.getStridesAndOffset(strides, first)) ||
        ShapedType::isDynamic(first) || ShapedType::isDynamicShape(strides)) {
      refuse() << "is used in a way that its library does not support";
      return {};
    }
    Value whole = view;
    while (Operation *def = whole.getDefiningOp())
      whole = def->getOperand(0);
    Zrt<zrt_head_rows> rows = {
        .operand = cast<BlockArgument>(whole).getArgNumber() - inputs + 1,
        .first = first};
    constexpr int64_t kVector = 8;
    if (strides.size() == 4) {
      rows.batch = strides[0];
      rows.position = strides[1];
      rows.head = strides[2];
      for (int64_t distance : {first, strides[0], strides[1], strides[2]})
        if (distance % kVector != 0 || strides[3] != 1) {
          refuse() << "has rows that lie as in " << type
                   << ", and its library reads those that begin at multiples "
                      "of 16 bytes; drop --attention=cudnn";
          return {};
        }
    } else if (strides.size() == 3) {
      rows.batch = strides[0];
      rows.head = strides[1];
      rows.position = strides[2];
      if (strides[2] != 1 || strides[1] != type.getDimSize(2) ||
          strides[0] != strides[1] * type.getDimSize(1))
        refuse() << "has statistics that lie as in " << type;
    }
    return rows;
  }

  InFlightDiagnostic refuse() {
    isBroken = true;
    return op->emitOpError();
  }
};

} // namespace

FailureOr<LibraryAttention> zero::describeLibraryAttention(KernelOp kernel) {
  OpBuilder b(kernel.getContext());
  OwningOpRef<func::FuncOp> owned = asFunction(kernel, b);
  func::FuncOp function = *owned;
  nn::LibraryAttentionOp forward;
  nn::LibraryAttentionBackwardOp backward;
  function.walk([&](nn::LibraryAttentionOp op) { forward = op; });
  function.walk([&](nn::LibraryAttentionBackwardOp op) { backward = op; });
  const unsigned inputs = function.getNumArguments();
  KernelViews views(function, b);
  Operation *op = forward ? forward.getOperation() : backward.getOperation();
  Reader reader(op, views, inputs);
  LibraryAttention library = {kernel.getSymName().str(), {}};
  Zrt<zrt_device_attention> &how = library.how;
  if (forward) {
    how = reader.readShape(forward);
    how.out = reader.result(forward.getResult());
    if (forward.getLse())
      how.lse = reader.result(forward.getLse());
  } else {
    how = reader.readShape(backward);
    how.backward = true;
    how.at_once = int64_t(backward.getAtOnce());
    how.grad = reader.operand(backward.getGrad());
    how.out = reader.operand(backward.getOut());
    how.lse = reader.operand(backward.getLse());
    how.dq = reader.result(backward.getDq());
    how.dk = reader.result(backward.getDk());
    how.dv = reader.result(backward.getDv());
  }
  if (reader.isBroken)
    return failure();
  return library;
}
