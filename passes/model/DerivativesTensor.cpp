//===- DerivativesTensor.cpp - Derivatives of tensor operations -----------===//
//
// Operations that move elements: the adjoint moves back along the same path.
//
//   extract_slice   insert the adjoint into zeros    (DifferentiateLoss chains
//                                                     slices of one tensor)
//   insert_slice    slice of the adjoint; zeros over the slice
//   expand_shape, collapse_shape                     each other
//   pad             slice of the adjoint
//   concat          slices of the adjoint
//   cast            cast back
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/model/Derivatives.h"

using namespace mlir;

namespace {

/// Derivatives build zeros and shapes from types, so those must be static.
LogicalResult requireStatic(Operation *op) {
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && !type.hasStaticShape())
      return op->emitError() << "'" << op->getName()
                             << "' has no derivative for the dynamic shape "
                             << type << "; make shapes static";
  return success();
}

/// The adjoint of an operation's result, and where those of its operands go.
struct Move {
  OpBuilder &b;
  Location loc;
  Value dy;
  ArrayRef<bool> needed;
  MutableArrayRef<Value> out;
};

LogicalResult moveBack(tensor::ExtractSliceOp slice, const Move &m) {
  Value zeros = nn::zeros(m.b, m.loc, slice.getSourceType());
  m.out[0] = tensor::InsertSliceOp::create(
      m.b, m.loc, m.dy, zeros, slice.getMixedOffsets(), slice.getMixedSizes(),
      slice.getMixedStrides());
  return success();
}

LogicalResult moveBack(tensor::InsertSliceOp insert, const Move &m) {
  if (m.needed[0])
    m.out[0] = tensor::ExtractSliceOp::create(
        m.b, m.loc, insert.getSourceType(), m.dy, insert.getMixedOffsets(),
        insert.getMixedSizes(), insert.getMixedStrides());
  if (m.needed[1])
    m.out[1] = tensor::InsertSliceOp::create(
        m.b, m.loc, nn::zeros(m.b, m.loc, insert.getSourceType()), m.dy,
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides());
  return success();
}

LogicalResult moveBack(tensor::ExpandShapeOp expand, const Move &m) {
  m.out[0] = tensor::CollapseShapeOp::create(
      m.b, m.loc, expand.getSrcType(), m.dy, expand.getReassociationIndices());
  return success();
}

LogicalResult moveBack(tensor::CollapseShapeOp collapse, const Move &m) {
  m.out[0] =
      tensor::ExpandShapeOp::create(m.b, m.loc, collapse.getSrcType(), m.dy,
                                    collapse.getReassociationIndices());
  return success();
}

/// The slice of dy of `type`, from `offsets` on.
Value sliceOf(const Move &m, RankedTensorType type,
              ArrayRef<OpFoldResult> offsets) {
  return tensor::ExtractSliceOp::create(
      m.b, m.loc, type, m.dy, offsets,
      getAsIndexOpFoldResult(m.b.getContext(), type.getShape()),
      SmallVector<OpFoldResult>(type.getRank(), m.b.getIndexAttr(1)));
}

/// A padding value that depends on a parameter is captured by the region, and
/// DifferentiateLoss rejects that for every operation.
LogicalResult moveBack(tensor::PadOp pad, const Move &m) {
  auto isNegative = [](int64_t size) {
    return !ShapedType::isDynamic(size) && size < 0;
  };
  if (llvm::any_of(pad.getStaticLow(), isNegative) ||
      llvm::any_of(pad.getStaticHigh(), isNegative))
    return pad.emitError("'tensor.pad' has no derivative for negative "
                         "padding; use tensor.extract_slice to crop");
  m.out[0] = sliceOf(m, pad.getSourceType(), pad.getMixedLowPad());
  return success();
}

LogicalResult moveBack(tensor::ConcatOp concat, const Move &m) {
  int64_t start = 0, dim = concat.getDim();
  for (auto [input, wanted, adjoint] :
       llvm::zip_equal(concat.getInputs(), m.needed, m.out)) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), m.b.getIndexAttr(0));
    offsets[dim] = m.b.getIndexAttr(start);
    if (wanted)
      adjoint = sliceOf(m, type, offsets);
    start += type.getDimSize(dim);
  }
  return success();
}

LogicalResult moveBack(tensor::CastOp cast, const Move &m) {
  m.out[0] =
      tensor::CastOp::create(m.b, m.loc, cast.getSource().getType(), m.dy);
  return success();
}

template <typename OpT>
struct Model : nn::DifferentiableOpInterface::ExternalModel<Model<OpT>, OpT> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    if (!isa<tensor::CastOp>(op) && failed(requireStatic(op)))
      return failure();
    out.assign(op->getNumOperands(), Value());
    return moveBack(cast<OpT>(op), {b, op->getLoc(), adjoints[0], needed, out});
  }
};

template <typename... Ops>
void attachModels(MLIRContext *ctx) {
  (Ops::template attachInterface<Model<Ops>>(*ctx), ...);
}

} // namespace

void zero::registerTensorDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    attachModels<tensor::ExtractSliceOp, tensor::InsertSliceOp,
                 tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::PadOp,
                 tensor::ConcatOp, tensor::CastOp>(ctx);
  });
}
