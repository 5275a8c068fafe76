//===- Tensor.cpp - Sizes, slices and shapes ------------------------------===//
#include "frontend/Emit.h"
#include "frontend/Functions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::frontend;

ArrayRef<int64_t> Tensor::shape() const {
  return value ? getType().getShape() : ArrayRef<int64_t>();
}

int64_t Tensor::size(int64_t dim) const {
  int64_t rank = shape().size();
  if (dim < 0)
    dim += rank;
  return dim >= 0 && dim < rank ? shape()[dim] : 0;
}

Tensor Tensor::named(StringRef name) const {
  // An argument keeps its original name.
  if (value && value.getDefiningOp())
    value.getDefiningOp()->setLoc(owner->getLoc(name));
  return *this;
}

std::optional<int64_t> frontend::findDimension(const Twine &what, Tensor x,
                                               int64_t dim) {
  int64_t rank = x.shape().size(), at = dim < 0 ? dim + rank : dim;
  if (at >= 0 && at < rank)
    return at;
  x.getBuilder().error(what + " dimension " + Twine(dim) + " of " +
                       describe(x) + ", which has " + Twine(rank));
  return std::nullopt;
}

Tensor Tensor::slice(int64_t dim, int64_t offset, int64_t size) const {
  if (!value)
    return {};
  auto found = findDimension("slice of", *this, dim);
  if (!found)
    return {};
  int64_t rank = shape().size(), at = *found;
  // This form cannot overflow.
  if (offset < 0 || size < 1 || offset > shape()[at] ||
      size > shape()[at] - offset)
    return owner->error("slice of " + Twine(size) + " from " + Twine(offset) +
                        " does not lie in dimension " + Twine(dim) + " of " +
                        describe(*this));
  if (size == shape()[at])
    return *this;
  OpBuilder &b = owner->getOpBuilder();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
      strides(rank, b.getIndexAttr(1));
  for (int64_t extent : shape())
    sizes.push_back(b.getIndexAttr(extent));
  offsets[at] = b.getIndexAttr(offset);
  sizes[at] = b.getIndexAttr(size);
  return emit<tensor::ExtractSliceOp>(*owner, value, offsets, sizes, strides);
}

Tensor Tensor::reshape(ArrayRef<int64_t> shape) const {
  if (!value)
    return {};
  RankedTensorType from = getType();
  RankedTensorType to = owner->getType(shape, from.getElementType());
  if (!to)
    return {};
  if (from == to)
    return *this;
  if (from.getNumElements() != to.getNumElements()) {
    std::string text;
    llvm::raw_string_ostream(text) << to;
    return owner->error("reshape of " + describe(*this) + " to " + text + ": " +
                        Twine(from.getNumElements()) +
                        " elements do not fill " + Twine(to.getNumElements()));
  }
  auto groups = getReassociationIndicesForReshape(from, to);
  // If neither shape refines the other, reshape through one dimension.
  if (!groups || from.getRank() == to.getRank())
    return reshape({from.getNumElements()}).reshape(shape);
  if (from.getRank() > to.getRank())
    return emit<tensor::CollapseShapeOp>(*owner, to, value, *groups);
  return emit<tensor::ExpandShapeOp>(*owner, to, value, *groups);
}

Tensor Tensor::transpose(ArrayRef<int64_t> dims) const {
  if (!value)
    return {};
  int64_t rank = shape().size();
  SmallVector<int64_t> from, sizes;
  for (int64_t dim : dims) {
    auto at = findDimension("transpose to", *this, dim);
    if (!at)
      return {};
    from.push_back(*at);
    sizes.push_back(shape()[*at]);
  }
  if (int64_t(from.size()) != rank || !isPermutationVector(from)) {
    std::string list;
    llvm::raw_string_ostream out(list);
    llvm::interleaveComma(dims, out);
    return owner->error("transpose of " + describe(*this) + " to {" + list +
                        "}: each of its " + Twine(rank) +
                        " dimensions must be there once");
  }
  if (llvm::is_sorted(from))
    return *this;
  Tensor empty =
      emit<tensor::EmptyOp>(*owner, sizes, getType().getElementType());
  return emit<linalg::TransposeOp>(*owner, value, empty.getValue(), from);
}

Tensor frontend::concat(ArrayRef<Tensor> tensors, int64_t dim) {
  if (tensors.empty() || !allValid(tensors))
    return {};
  Tensor first = tensors.front();
  ModelBuilder &m = first.getBuilder();
  auto at = findDimension("concat along", first, dim);
  if (!at)
    return {};
  SmallVector<int64_t> shape(first.shape());
  SmallVector<Value> values = {first.getValue()};
  for (Tensor t : tensors.drop_front()) {
    SmallVector<int64_t> others(t.shape());
    if (others.size() == shape.size())
      others[*at] = shape[*at];
    if (ArrayRef(others) != ArrayRef(shape) ||
        t.getType().getElementType() != first.getType().getElementType())
      return m.error("concat along dimension " + Twine(dim) + ": " +
                     describe(first) + " and " + describe(t) +
                     " differ in more than that");
    // Such a size has no type, which is reported later.
    if (llvm::AddOverflow(shape[*at], t.size(dim), shape[*at]))
      shape[*at] = INT64_MAX;
    values.push_back(t.getValue());
  }
  if (values.size() == 1)
    return first;
  RankedTensorType type = m.getType(shape, first.getType().getElementType());
  if (!type)
    return {};
  return emit<tensor::ConcatOp>(m, type, uint64_t(*at), values);
}
