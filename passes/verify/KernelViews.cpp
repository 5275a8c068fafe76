//===- KernelViews.cpp - Contiguous rows in attention and scatters --------===//
//
// (S6) Attention and scatters read views of the operands of their kernel, and
// attention writes its results into the returned tensors, row by row.  So the
// elements of a view's last dimension are contiguous, and a view merges only
// dimensions without gaps between them.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Kernels.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

/// The size and the stride of each dimension, in elements.
struct Strided {
  SmallVector<int64_t> sizes, strides;
};

Strided wholeOf(Value tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  return {SmallVector<int64_t>(shape), computeSuffixProduct(shape)};
}

/// The slice of `from` that `op` extracts or inserts.
template <typename OpTy>
Strided sliceOf(const Strided &from, OpTy op) {
  Strided slice;
  for (auto [i, size, step] :
       llvm::enumerate(op.getStaticSizes(), op.getStaticStrides()))
    if (!op.getDroppedDims().test(i)) {
      slice.sizes.push_back(size);
      slice.strides.push_back(from.strides[i] * step);
    }
  return slice;
}

/// `from`, with each dimension split into those of its group.
Strided expand(const Strided &from, ArrayRef<ReassociationIndices> groups,
               ArrayRef<int64_t> shape) {
  Strided result{SmallVector<int64_t>(shape),
                 SmallVector<int64_t>(shape.size(), 1)};
  for (auto [stride, group] : llvm::zip_equal(from.strides, groups)) {
    int64_t next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      result.strides[dim] = next;
      next *= shape[dim];
    }
  }
  return result;
}

/// `from`, with the dimensions of each group merged; nothing if there are gaps.
std::optional<Strided> collapse(const Strided &from,
                                ArrayRef<ReassociationIndices> groups) {
  Strided result;
  for (ArrayRef<int64_t> group : groups) {
    // The stride of a dimension of one element is irrelevant.
    while (group.size() > 1 && from.sizes[group.back()] == 1)
      group = group.drop_back();
    int64_t stride = from.strides[group.back()], next = stride, size = 1;
    for (int64_t dim : llvm::reverse(group)) {
      if (from.sizes[dim] != 1 && from.strides[dim] != next)
        return std::nullopt;
      next *= from.sizes[dim];
      size *= from.sizes[dim];
    }
    result.sizes.push_back(size);
    result.strides.push_back(stride);
  }
  return result;
}

/// The layout of `value` in the operand that it is a view of.
std::optional<Strided> findOperand(Value value) {
  Operation *def = value.getDefiningOp();
  if (!isView(def))
    return wholeOf(value);
  std::optional<Strided> source = findOperand(def->getOperand(0));
  if (!source)
    return std::nullopt;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def))
    return sliceOf(*source, slice);
  if (auto expanded = dyn_cast<tensor::ExpandShapeOp>(def))
    return expand(*source, expanded.getReassociationIndices(),
                  expanded.getType().getShape());
  return collapse(*source,
                  cast<tensor::CollapseShapeOp>(def).getReassociationIndices());
}

/// The layout of a result in the tensor that it is inserted into.
/// KernelForm.cpp has checked its uses.
std::optional<Strided> findResult(Value value) {
  Operation *user = value.use_empty() ? nullptr : *value.user_begin();
  if (auto collapsed = dyn_cast_or_null<tensor::CollapseShapeOp>(user)) {
    std::optional<Strided> target = findResult(collapsed.getResult());
    if (!target)
      return std::nullopt;
    return expand(*target, collapsed.getReassociationIndices(),
                  cast<RankedTensorType>(value.getType()).getShape());
  }
  if (auto expanded = dyn_cast_or_null<tensor::ExpandShapeOp>(user)) {
    std::optional<Strided> target = findResult(expanded.getResult());
    return target ? collapse(*target, expanded.getReassociationIndices())
                  : std::nullopt;
  }
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(user))
    return sliceOf(wholeOf(insert.getResult()), insert);
  return wholeOf(value);
}

} // namespace

LogicalResult judge::judgeViews(Operation *op) {
  auto judge = [&](Value value, std::optional<Strided> found,
                   StringRef verb) -> LogicalResult {
    if (found && (found->strides.empty() || found->strides.back() == 1))
      return success();
    return op->emitOpError(verb) << " a view of " << value.getType() // (S6)
                                 << " whose rows do not lie side by side (S6)";
  };
  for (Value operand : op->getOperands())
    if (failed(judge(operand, findOperand(operand), "reads")))
      return failure();
  for (Value result : op->getResults())
    if (failed(judge(result, findResult(result), "writes")))
      return failure();
  return success();
}
