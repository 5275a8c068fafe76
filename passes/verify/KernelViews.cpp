//===- KernelViews.cpp - Where attention and scatters read and write ------===//
//
// (S6) Attention and scatters find what they read in the operands of their
// kernel, and attention writes its results into what is returned, row by row:
// the elements of a view's last dimension lie side by side, and dimensions that
// a view makes one are no gaps apart.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "passes/verify/Kernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

/// How far apart the elements of each dimension are, in elements.
struct Strided {
  SmallVector<int64_t> sizes, strides;
};

Strided wholeOf(Value tensor) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.getType()).getShape();
  Strided whole{SmallVector<int64_t>(shape),
                SmallVector<int64_t>(shape.size(), 1)};
  for (size_t i = shape.size(); i-- > 1;)
    whole.strides[i - 1] = whole.strides[i] * shape[i];
  return whole;
}

/// The slice of `from` that `op` takes, or inserts.
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

/// `from`, with each dimension cut into those of a group.
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

/// `from`, with the dimensions of each group as one, if they are no gaps apart.
std::optional<Strided> collapse(const Strided &from,
                                ArrayRef<ReassociationIndices> groups) {
  Strided result;
  for (ArrayRef<int64_t> group : groups) {
    // What has one element is at no distance.
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

/// Where the elements of `value` lie in the operand that it is a view of.
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

/// Where those of a result lie in what it is inserted into; KernelForm.cpp
/// knows what uses it.
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
