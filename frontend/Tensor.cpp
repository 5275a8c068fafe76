//===- Tensor.cpp - Sizes, slices and shapes ------------------------------===//
#include "frontend/Builder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
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
  // An argument keeps the name it was made with.
  if (value && value.getDefiningOp())
    value.getDefiningOp()->setLoc(owner->getLoc(name));
  return *this;
}

Tensor Tensor::slice(int64_t dim, int64_t offset, int64_t size) const {
  if (!value)
    return {};
  int64_t rank = shape().size(), at = dim < 0 ? dim + rank : dim;
  if (at < 0 || at >= rank)
    return owner->error("slice of dimension " + Twine(dim) + " of " +
                        describe(*this) + ", which has " + Twine(rank));
  // Written so that it cannot overflow.
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
  return {*owner, tensor::ExtractSliceOp::create(b, owner->getLoc(), value,
                                                 offsets, sizes, strides)};
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
  OpBuilder &b = owner->getOpBuilder();
  Location loc = owner->getLoc();
  auto groups = getReassociationIndicesForReshape(from, to);
  // Where neither shape refines the other, the way leads over one dimension.
  if (!groups || from.getRank() == to.getRank())
    return reshape({from.getNumElements()}).reshape(shape);
  if (from.getRank() > to.getRank())
    return {*owner,
            tensor::CollapseShapeOp::create(b, loc, to, value, *groups)};
  return {*owner, tensor::ExpandShapeOp::create(b, loc, to, value, *groups)};
}
