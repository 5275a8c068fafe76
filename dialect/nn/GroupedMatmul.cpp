//===- GroupedMatmul.cpp - Products with a weight for each group ----------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Rows.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

/// Checks that there is one of `what` for each group.
static LogicalResult verifyGroups(Operation *op, StringRef what, size_t count,
                                  RankedTensorType offsets) {
  if (offsets.getRank() == 1 && count > 0 &&
      offsets.getDimSize(0) == static_cast<int64_t>(count) + 1)
    return success();
  return op->emitOpError("has ") // (C1)
         << count << " " << what << " and offsets " << offsets
         << "; there is one more offset than groups, and one of " << what
         << " for each group";
}

/// The group of each of `rows` rows: the number of groups after the first that
/// begin at or before it.
static Value groupOfRows(OpBuilder &b, Location loc, Value offsets,
                         int64_t rows) {
  return sumInto(
      b, loc, RankedTensorType::get({rows}, b.getI32Type()), "r",
      {firstOffsets(b, loc, offsets)}, {"g"}, "rg", [](const Scalars &in) {
        Type number = in[0].v.getType();
        Value row = in.index(0), group = in.index(1), first = in.number(0);
        row = in.emit<arith::IndexCastOp>(number, row);
        Value begun = in.compare(arith::CmpIPredicate::sle, in[0], row),
              isOther = in.compare(arith::CmpIPredicate::ne, group, first);
        begun = in.emit<arith::AndIOp>(begun, isOther);
        return in.emit<arith::ExtUIOp>(number, begun);
      });
}

//===----------------------------------------------------------------------===//
// grouped_matmul
//===----------------------------------------------------------------------===//

LogicalResult GroupedMatmulOp::verify() {
  if (failed(verifyGroups(*this, "weights", getWeights().size(),
                          getOffsets().getType()))) // (C1)
    return failure();
  RankedTensorType x = getX().getType(), y = getResult().getType();
  auto weight = cast<RankedTensorType>(getWeights().front().getType());
  for (Value other : getWeights())
    if (other.getType() != weight) // (C2)
      return emitOpError("has weights of ")
             << weight << " and of " << other.getType()
             << "; all have one type";
  if (weight.getRank() != 2) // (C2)
    return emitOpError("weights must have two dimensions, got ") << weight;
  int64_t in = weight.getDimSize(getTransposed() ? 0 : 1),
          out = weight.getDimSize(getTransposed() ? 1 : 0);
  if (x.getRank() != 2 || x.getDimSize(1) != in) // (C2)
    return emitOpError("weights take ")
           << in << " inputs, and x is " << x
           << (getTransposed()
                   ? ""
                   : "; weights stored [in, out] need `transposed`");
  auto expected =
      RankedTensorType::get({x.getDimSize(0), out}, x.getElementType());
  if (y != expected || weight.getElementType() != x.getElementType()) // (C3)
    return emitOpError("result must be ")
           << expected << " of weights of that element type, got " << y
           << " of " << weight;
  return success();
}

SmallVector<Value> GroupedMatmulOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  auto weight = cast<RankedTensorType>(getWeights().front().getType());
  int64_t groups = getWeights().size();
  Type sum = getSumType(weight.getElementType());
  // Stacks all weights in one tensor; each row of x reads one of them.
  SmallVector<int64_t> shape = {groups, weight.getDimSize(0),
                                weight.getDimSize(1)};
  Value all = tensor::EmptyOp::create(b, loc, shape, weight.getElementType());
  for (auto [g, one] : llvm::enumerate(getWeights())) {
    auto numbers = [&](ArrayRef<int64_t> values) {
      return getAsIndexOpFoldResult(b.getContext(), values);
    };
    all = tensor::InsertSliceOp::create(
        b, loc, one, all, numbers({static_cast<int64_t>(g), 0, 0}),
        numbers({1, shape[1], shape[2]}), numbers({1, 1, 1}));
  }
  Value x = widen(b, loc, getX());
  Value group =
      groupOfRows(b, loc, getOffsets(), getX().getType().getDimSize(0));
  Value result =
      sumInto(b, loc, getResult().getType().clone(sum), "ro", {x, group},
              {"ri", "r"}, "roi", [&](const Scalars &in) {
                Value g = clampedIndex(in, in[1], groups), o = in.index(1),
                      i = in.index(2);
                Value w = getTransposed() ? in.extract(all, {g, i, o})
                                          : in.extract(all, {g, o, i});
                return in[0] * in[0].with(widen(in.b, in.loc, w));
              });
  return {roundTo(b, loc, result, getResult().getType())};
}

LogicalResult GroupedMatmulOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                             ArrayRef<bool> needed,
                                             SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value dy = adjoints[0], dx;
  if (needed[0])
    dx = GroupedMatmulOp::create(b, loc, getX().getType(), dy, getOffsets(),
                                 getWeights(), !getTransposed());
  out.append({dx, Value()});
  if (llvm::none_of(needed.drop_front(2), [](bool one) { return one; })) {
    out.append(getWeights().size(), Value());
    return success();
  }
  Value a = getTransposed() ? getX() : dy, c = getTransposed() ? dy : getX();
  auto products = GroupedMatmulBackwardOp::create(
      b, loc, getWeights().getTypes(), a, c, getOffsets());
  llvm::append_range(out, products.getResults());
  return success();
}

int64_t GroupedMatmulOp::getFlops(SymbolTableCollection &) {
  return 2 * getResult().getType().getNumElements() *
         getX().getType().getDimSize(1);
}

void GroupedMatmulOp::addWork(SymbolTableCollection &symbols,
                              zero::Work &work) {
  addMatmulWork(*this, getFlops(symbols), work);
}

//===----------------------------------------------------------------------===//
// grouped_matmul_backward
//===----------------------------------------------------------------------===//

LogicalResult GroupedMatmulBackwardOp::verify() {
  if (failed(verifyGroups(*this, "results", getNumResults(),
                          getOffsets().getType()))) // (C1)
    return failure();
  RankedTensorType a = getA().getType(), other = getB().getType();
  if (a.getRank() != 2 || other.getRank() != 2 ||
      a.getDimSize(0) != other.getDimSize(0) ||
      a.getElementType() != other.getElementType()) // (C2)
    return emitOpError("multiplies rows of two matrices of one element type, "
                       "got ")
           << a << " and " << other;
  auto expected = RankedTensorType::get({a.getDimSize(1), other.getDimSize(1)},
                                        a.getElementType());
  for (Type type : getResultTypes())
    if (type != expected &&
        type != expected.clone(getSumType(a.getElementType()))) // (C3)
      return emitOpError("results must be ")
             << expected << ", or of f32 where that has 16 bits, got " << type;
  return success();
}

SmallVector<Value> GroupedMatmulBackwardOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType a = getA().getType(), other = getB().getType();
  auto sum = RankedTensorType::get({a.getDimSize(1), other.getDimSize(1)},
                                   getSumType(a.getElementType()));
  Value x = widen(b, loc, getA()), y = widen(b, loc, getB());
  Value group = groupOfRows(b, loc, getOffsets(), a.getDimSize(0));
  SmallVector<Value> results;
  for (OpResult result : getResults()) {
    int64_t g = result.getResultNumber();
    Value product = sumInto(b, loc, sum, "ij", {x, y, group}, {"ri", "rj", "r"},
                            "ijr", [&](const Scalars &in) {
                              Value isOwn =
                                  in.isEqual(in[2], in[2].constant(double(g)));
                              S term = in[0] * in[1];
                              return select(isOwn, term, term.constant(0));
                            });
    results.push_back(roundTo(b, loc, product, result.getType()));
  }
  return results;
}

int64_t GroupedMatmulBackwardOp::getFlops(SymbolTableCollection &) {
  return 2 * getA().getType().getNumElements() * getB().getType().getDimSize(1);
}

void GroupedMatmulBackwardOp::addWork(SymbolTableCollection &symbols,
                                      zero::Work &work) {
  addMatmulWork(*this, getFlops(symbols), work);
}
