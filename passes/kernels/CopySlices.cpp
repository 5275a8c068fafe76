//===- CopySlices.cpp - Copies slices that cannot be read in place --------===//
//
// Matmuls, splits and the caller need contiguous values.  Kernels read
// a slice in place, unless it is reshaped so that no strides describe it.
// Other slices are copied by a kernel of their own.
//
//===----------------------------------------------------------------------===//
#include "passes/kernels/CopySlices.h"

#include "passes/kernels/Clusters.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The layout of `value` in the contiguous value that it views; fails if its
/// rows are not at equal distances.
FailureOr<MemRefType> layoutOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto contiguous = MemRefType::get(type.getShape(), type.getElementType());
  Operation *view = value.getDefiningOp();
  if (!isView(view))
    return contiguous;
  FailureOr<MemRefType> from = layoutOf(view->getOperand(0));
  if (failed(from))
    return failure();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return memref::SubViewOp::inferRankReducedResultType(
        type.getShape(), *from, slice.getStaticOffsets(),
        slice.getStaticSizes(), slice.getStaticStrides());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return memref::ExpandShapeOp::computeExpandedType(
        *from, type.getShape(), expand.getReassociationIndices());
  auto groups = cast<tensor::CollapseShapeOp>(view).getReassociationIndices();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(*from, groups))
    return failure();
  return memref::CollapseShapeOp::computeCollapsedType(*from, groups);
}

/// A contiguous copy of `value`.  Slices are copied before they are reshaped:
/// their rows need not lie at equal distances, so a kernel could not read a
/// reshape of one as a view.
Value contiguousCopy(OpBuilder &b, Value value) {
  Operation *view = value.getDefiningOp();
  bool isReshape =
      isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view);
  bool sawSlice = false;
  if (isReshape || isa_and_present<tensor::ExtractSliceOp>(view))
    skipViews(view->getOperand(0), sawSlice);
  if (sawSlice) {
    IRMapping map;
    map.map(view->getOperand(0), contiguousCopy(b, view->getOperand(0)));
    value = b.clone(*view, map)->getResult(0);
    if (isReshape)
      return value;
  }
  std::string all =
      nn::letters(cast<RankedTensorType>(value.getType()).getRank());
  return nn::elementwise(b, value.getLoc(), {value}, {all}, all, nn::identity);
}

} // namespace

void zero::copySlices(func::FuncOp step) {
  DenseMap<Value, Value> shared;
  for (Operation &op : llvm::make_early_inc_range(step.getBody().front())) {
    if (isAuxiliary(&op))
      continue;
    const bool contiguous =
        nn::isPlanMatmul(&op) || isa<SplitOp, func::ReturnOp>(op);
    const bool ofViews = isa<nn::OwnKernelOpInterface>(op);
    for (OpOperand &operand : op.getOpOperands()) {
      Value value = operand.get();
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      bool sawSlice = false;
      Operation *source = skipViews(value, sawSlice).getDefiningOp();
      const bool isConstant = isa_and_present<arith::ConstantOp>(source);
      const bool isReadable = succeeded(layoutOf(value));
      if (isReadable && !(contiguous && sawSlice) &&
          !((contiguous || ofViews) && isConstant))
        continue;
      // The splits of one value share its copy, as do the kernels.
      Value own;
      Value &copy = isa<SplitOp>(op) || !isReadable ? shared[value] : own;
      if (!copy) {
        OpBuilder b(&op);
        copy = contiguousCopy(b, value);
      }
      operand.set(copy);
    }
  }
}
