//===- Parts.cpp - Sequences that ranks share -----------------------------===//
//
// A reshard is two moves of elements and an exchange; of heads and positions,
// for C ranks:
//
//   x [b, t, C l, d]   what this rank has: t positions of all heads
//   s [C, b, t, l, d]  packed: a piece for each rank, its l heads
//   r [C, b, t, l, d]  exchanged: from each rank its t positions of l heads
//   y [b, C t, l, d]   all positions, in order
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// part and place
//===----------------------------------------------------------------------===//

/// Checks that `whole` along `dim` is several of `part`.
static LogicalResult verifyCut(Operation *op, RankedTensorType whole,
                               RankedTensorType part, int64_t dim) {
  if (dim < 0 || dim >= whole.getRank()) // (C1)
    return op->emitOpError("cuts dimension ")
           << dim << " of " << whole << ", which has " << whole.getRank();
  SmallVector<int64_t> shape(whole.getShape());
  if (part.getRank() == whole.getRank() && part.getDimSize(dim) > 0 &&
      shape[dim] % part.getDimSize(dim) == 0)
    shape[dim] = part.getDimSize(dim);
  if (part != whole.clone(shape)) // (C1)
    return op->emitOpError("has ") << part << ", which is no part of " << whole
                                   << " along dimension " << dim;
  return success();
}

/// The indices of all loops of a body, and the first index of part `number` of
/// `size` indices each.
static std::pair<SmallVector<Value>, Value>
placesOf(const Scalars &in, int64_t rank, Value number, int64_t size) {
  SmallVector<Value> places;
  for (int64_t loop = 0; loop < rank; ++loop)
    places.push_back(in.index(loop));
  Value part = in.emit<arith::IndexCastOp>(in.b.getIndexType(), number);
  return {places, in.emit<arith::MulIOp>(part, in.number(size))};
}

LogicalResult PartOp::verify() {
  return verifyCut(*this, getX().getType(), getResult().getType(), getDim());
}

SmallVector<Value> PartOp::emitLinalgForm(OpBuilder &b) {
  RankedTensorType type = getResult().getType();
  const std::string all = letters(type.getRank());
  return {emitGeneric(
      b, getLoc(), all, {getNumber()}, {""}, emptyOf(b, getLoc(), type), all,
      [&](const Scalars &in) -> Value {
        auto [places, first] =
            placesOf(in, type.getRank(), in[0].v, type.getDimSize(getDim()));
        places[getDim()] = in.emit<arith::AddIOp>(first, places[getDim()]);
        return in.extract(getX(), places);
      })};
}

LogicalResult PartOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                    ArrayRef<bool>,
                                    SmallVectorImpl<Value> &out) {
  out.append({PlaceOp::create(b, getLoc(), getX().getType(), adjoints[0],
                              getDimAttr(), getNumber()),
              Value()});
  return success();
}

LogicalResult PlaceOp::verify() {
  return verifyCut(*this, getResult().getType(), getX().getType(), getDim());
}

SmallVector<Value> PlaceOp::emitLinalgForm(OpBuilder &b) {
  RankedTensorType type = getResult().getType();
  const std::string all = letters(type.getRank());
  const int64_t size = getX().getType().getDimSize(getDim());
  return {emitGeneric(
      b, getLoc(), all, {getNumber()}, {""}, emptyOf(b, getLoc(), type), all,
      [&](const Scalars &in) -> Value {
        auto [places, first] = placesOf(in, type.getRank(), in[0].v, size);
        Value &place = places[getDim()];
        place = in.emit<arith::SubIOp>(place, first);
        Value isHere =
            in.compare(arith::CmpIPredicate::ult, place, in.number(size));
        place = in.emit<arith::SelectOp>(isHere, place, in.number(0));
        S element = in.extract(getX(), places);
        return select(isHere, element, element.constant(0));
      })};
}

//===----------------------------------------------------------------------===//
// reshard
//===----------------------------------------------------------------------===//

LogicalResult ReshardOp::verify() {
  RankedTensorType x = getX().getType(), result = getResult().getType();
  const int64_t rank = x.getRank(), from = getFrom(), to = getTo(),
                copies = getCopies().value_or(1), sums = getSums().value_or(1);
  if (from < 0 || from >= rank || to < 0 || to >= rank || from == to ||
      result.getRank() != rank) // (C1)
    return emitOpError("goes from dimension ")
           << from << " to " << to << " of " << x << ", got " << result;
  if ((getCopies() && copies < 2) || (getSums() && sums < 2) ||
      (getCopies() && getSums())) // (C3)
    return emitOpError("has copies of ")
           << copies << " and sums of " << sums
           << "; one of them is there, of 2 or more";
  const int64_t whole = result.getDimSize(from) * sums,
                part = x.getDimSize(from), parts = part > 0 ? whole / part : 0;
  SmallVector<int64_t> shape(x.getShape());
  if (parts > 1 && whole % part == 0 &&
      x.getDimSize(to) * copies % parts == 0 && (sums == 1 || part == 1) &&
      (copies == 1 || x.getDimSize(to) * copies == parts)) {
    shape[from] = part * parts / sums;
    shape[to] = x.getDimSize(to) * copies / parts;
  } else {
    shape.clear();
  }
  if (result != x.clone(shape)) // (C2)
    return emitOpError("makes ") << result << " of " << x
                                 << ", which no number of ranks can exchange";
  return success();
}

namespace {

/// Groups of indices that make two dimensions of number `dim` of `rank`.
SmallVector<ReassociationIndices> pairAt(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    groups.push_back(i < dim    ? ReassociationIndices{i}
                     : i == dim ? ReassociationIndices{i, i + 1}
                                : ReassociationIndices{i + 1});
  return groups;
}

RankedTensorType withSize(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

RankedTensorType insertAt(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, size);
  return type.clone(shape);
}

/// `dims` with the letter z before number `at`.
std::string withZ(StringRef dims, int64_t at) {
  return (dims.take_front(at) + "z" + dims.drop_front(at)).str();
}

/// Moves elements of tensors whose dimensions have letters.
struct Mover {
  OpBuilder &b;
  Location loc;

  /// The elements of `value`, which has the letters `from`, where those of `to`
  /// are; one that `value` lacks repeats it.
  Value move(Value value, StringRef from, RankedTensorType type,
             StringRef to) const {
    return emitGeneric(b, loc, to, {value}, {from}, emptyOf(b, loc, type), to,
                       identity);
  }
  /// Dimension `dim` as `outer` times as many, or back.
  Value split(Value value, int64_t dim, int64_t outer) const {
    auto type = cast<RankedTensorType>(value.getType());
    RankedTensorType inner = withSize(type, dim, type.getDimSize(dim) / outer);
    return tensor::ExpandShapeOp::create(b, loc, insertAt(inner, dim, outer),
                                         value, pairAt(type.getRank(), dim));
  }
  Value merge(Value value, RankedTensorType type, int64_t dim) const {
    return tensor::CollapseShapeOp::create(b, loc, type, value,
                                           pairAt(type.getRank(), dim));
  }
};

} // namespace

SmallVector<Value> ReshardOp::emitLinalgForm(OpBuilder &b) {
  const Mover mover = {b, getLoc()};
  const int64_t parts = getParts(), from = getFrom(), to = getTo();
  RankedTensorType type = getX().getType();
  const std::string dims = letters(type.getRank());
  Value value = getX();
  if (std::optional<int64_t> copies = getCopies()) {
    value = mover.move(value, dims, insertAt(type, to + 1, *copies),
                       withZ(dims, to + 1));
    type = withSize(type, to, parts);
    value = mover.merge(value, type, to);
  }
  // The pieces of all ranks, then those from all ranks.
  RankedTensorType piece = withSize(type, to, type.getDimSize(to) / parts);
  value = mover.move(mover.split(value, to, parts), withZ(dims, to),
                     insertAt(piece, 0, parts), withZ(dims, 0));
  value = zero::AllToAllOp::create(b, getLoc(), value.getType(), value);
  type = withSize(piece, from, piece.getDimSize(from) * parts);
  value = mover.move(value, withZ(dims, 0), insertAt(piece, from, parts),
                     withZ(dims, from));
  value = mover.merge(value, type, from);
  if (std::optional<int64_t> sums = getSums()) {
    value = widen(b, getLoc(), mover.split(value, from, parts / *sums));
    value = reduceSum(b, getLoc(), {value}, {withZ(dims, from + 1)}, dims,
                      identity, dims + "z");
    value = roundTo(b, getLoc(), value, getResult().getType());
  }
  return {value};
}

LogicalResult ReshardOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                       ArrayRef<bool>,
                                       SmallVectorImpl<Value> &out) {
  out.push_back(ReshardOp::create(b, getLoc(), getX().getType(), adjoints[0],
                                  getToAttr(), getFromAttr(),
                                  /*copies=*/getSumsAttr(),
                                  /*sums=*/getCopiesAttr()));
  return success();
}
