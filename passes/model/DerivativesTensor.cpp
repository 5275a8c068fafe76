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

template <typename DerivedT, typename OpT>
using Model = nn::DifferentiableOpInterface::ExternalModel<DerivedT, OpT>;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

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

struct ExtractSliceModel : Model<ExtractSliceModel, tensor::ExtractSliceOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    Value zeros = nn::zeros(b, op->getLoc(), slice.getSourceType());
    out.assign(op->getNumOperands(), Value());
    out[0] = tensor::InsertSliceOp::create(
        b, op->getLoc(), adjoints[0], zeros, slice.getMixedOffsets(),
        slice.getMixedSizes(), slice.getMixedStrides());
    return success();
  }
};

struct InsertSliceModel : Model<InsertSliceModel, tensor::InsertSliceOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    out.assign(op->getNumOperands(), Value());
    if (needed[0])
      out[0] = tensor::ExtractSliceOp::create(
          b, op->getLoc(), insert.getSourceType(), adjoints[0],
          insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    if (needed[1])
      out[1] = tensor::InsertSliceOp::create(
          b, op->getLoc(), nn::zeros(b, op->getLoc(), insert.getSourceType()),
          adjoints[0], insert.getMixedOffsets(), insert.getMixedSizes(),
          insert.getMixedStrides());
    return success();
  }
};

struct ExpandShapeModel : Model<ExpandShapeModel, tensor::ExpandShapeOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    out.assign(op->getNumOperands(), Value());
    out[0] = tensor::CollapseShapeOp::create(b, op->getLoc(),
                                             expand.getSrcType(), adjoints[0],
                                             expand.getReassociationIndices());
    return success();
  }
};

struct CollapseShapeModel : Model<CollapseShapeModel, tensor::CollapseShapeOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    out.push_back(tensor::ExpandShapeOp::create(
        b, op->getLoc(), collapse.getSrcType(), adjoints[0],
        collapse.getReassociationIndices()));
    return success();
  }
};

/// A padding value that depends on a parameter is captured by the region, and
/// DifferentiateLoss rejects that for every operation.
struct PadModel : Model<PadModel, tensor::PadOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    auto pad = cast<tensor::PadOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    auto isNegative = [](int64_t size) {
      return !ShapedType::isDynamic(size) && size < 0;
    };
    if (llvm::any_of(pad.getStaticLow(), isNegative) ||
        llvm::any_of(pad.getStaticHigh(), isNegative))
      return op->emitError("'tensor.pad' has no derivative for negative "
                           "padding; use tensor.extract_slice to crop");
    RankedTensorType source = pad.getSourceType();
    SmallVector<OpFoldResult> sizes, ones(source.getRank(), b.getIndexAttr(1));
    for (int64_t size : source.getShape())
      sizes.push_back(b.getIndexAttr(size));
    out.assign(op->getNumOperands(), Value());
    out[0] =
        tensor::ExtractSliceOp::create(b, op->getLoc(), source, adjoints[0],
                                       pad.getMixedLowPad(), sizes, ones);
    return success();
  }
};

struct ConcatModel : Model<ConcatModel, tensor::ConcatOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    auto concat = cast<tensor::ConcatOp>(op);
    if (failed(requireStatic(op)))
      return failure();
    int64_t start = 0, dim = concat.getDim();
    for (auto [input, wanted] : llvm::zip_equal(concat.getInputs(), needed)) {
      RankedTensorType type = typeOf(input);
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
      SmallVector<OpFoldResult> sizes, ones(type.getRank(), b.getIndexAttr(1));
      offsets[dim] = b.getIndexAttr(start);
      for (int64_t size : type.getShape())
        sizes.push_back(b.getIndexAttr(size));
      out.push_back(wanted ? Value(tensor::ExtractSliceOp::create(
                                 b, op->getLoc(), type, adjoints[0], offsets,
                                 sizes, ones))
                           : Value());
      start += type.getDimSize(dim);
    }
    return success();
  }
};

struct CastModel : Model<CastModel, tensor::CastOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool>,
                              SmallVectorImpl<Value> &out) const {
    out.push_back(tensor::CastOp::create(
        b, op->getLoc(), op->getOperand(0).getType(), adjoints[0]));
    return success();
  }
};

} // namespace

void zero::registerTensorDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*ctx);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*ctx);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeModel>(*ctx);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeModel>(*ctx);
    tensor::PadOp::attachInterface<PadModel>(*ctx);
    tensor::ConcatOp::attachInterface<ConcatModel>(*ctx);
    tensor::CastOp::attachInterface<CastModel>(*ctx);
  });
}
