//===- ExpertGroups.cpp - Rows sorted by expert, and back -----------------===//
//
// group_by_expert is a counting sort.  The M = N K pairs are cut into blocks of
// B.  With e[b, j] the expert of pair j of block b:
//
//   count[b, x]   number of pairs of block b with expert x
//   offsets[x]    number of pairs with an expert below x
//   first[b, x]   offsets[x] + count[0 .. b - 1, x]: x's first place in block b
//   places[b, j]  first[b, x] + number of pairs before j in block b with expert
//                 x = e[b, j]
//
// The inverse, for place i:
//
//   x   number of offsets[1 ..] that are at most i: its expert
//   b   number of first[1 .., x] that are at most i: its block
//   j   the one with places[b, j] = i
//
// Each number is a sum over the experts, the blocks, or a block, vectorized and
// on all threads.  B is the divisor of M with the fewest terms, about the root
// of M.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Rows.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;
using arith::CmpIPredicate;

/// Checks that `rows` has an element for each of `pairs`, [N, K].
static LogicalResult verifyPairs(Operation *op, RankedTensorType rows,
                                 RankedTensorType pairs) {
  if (pairs.getRank() == 2 && rows.getRank() == 1 &&
      rows.getNumElements() == pairs.getNumElements())
    return success();
  return op->emitOpError("has rows ") // (C1)
         << rows << " of pairs " << pairs
         << "; pairs are [N, K] and rows as many, in one dimension";
}

//===----------------------------------------------------------------------===//
// group_by_expert
//===----------------------------------------------------------------------===//

LogicalResult GroupByExpertOp::verify() {
  RankedTensorType experts = getExperts().getType(),
                   offsets = getOffsets().getType();
  if (failed(verifyPairs(*this, getRows().getType(), experts))) // (C1)
    return failure();
  if (getPlaces().getType() != experts) // (C1)
    return emitOpError("has a place for each pair: they must be ")
           << experts << ", got " << getPlaces().getType();
  if (offsets.getRank() != 1 || offsets.getDimSize(0) < 2) // (C2)
    return emitOpError("has one offset more than experts, of which there are "
                       "some, got ")
           << offsets;
  return success();
}

/// The divisor of `pairs` whose blocks give the fewest terms to sum.
static int64_t blockSize(int64_t pairs, int64_t experts) {
  int64_t best = pairs;
  auto costOf = [&](int64_t size) {
    double blocks = double(pairs) / double(size);
    return double(pairs) * (2 * double(size) + blocks) +
           blocks * blocks * double(experts);
  };
  for (int64_t size = 1; size <= pairs / size; ++size)
    if (pairs % size == 0)
      for (int64_t one : {size, pairs / size})
        if (costOf(one) < costOf(best))
          best = one;
  return best;
}

namespace {

/// Emits the counts of the file header one after the other.
class Grouping {
public:
  Grouping(OpBuilder &b, GroupByExpertOp op)
      : b(b), loc(op.getLoc()), op(op),
        pairs(op.getRows().getType().getNumElements()),
        numExperts(op.getOffsets().getType().getDimSize(0) - 1),
        size(blockSize(pairs, numExperts)), blocks(pairs / size) {}

  SmallVector<Value> emit() {
    auto reshape = [&](Value matrix, RankedTensorType type) {
      SmallVector<ReassociationIndices> both = {{0, 1}};
      Value line = tensor::CollapseShapeOp::create(b, loc, matrix, both);
      return tensor::ExpandShapeOp::create(b, loc, type, line, both);
    };
    Value experts = reshape(op.getExperts(), ofNumbers({blocks, size}));
    Value count = emitCount(experts), offsets = emitOffsets(count),
          first = emitFirst(count, offsets),
          places = emitPlaces(experts, first),
          rows = emitRows(offsets, first, places);
    places = reshape(places, op.getPlaces().getType());
    return {rows, places, offsets};
  }

private:
  RankedTensorType ofNumbers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getI32Type());
  }
  /// The index of loop `loop`, as an i32.
  static Value number(const Scalars &in, unsigned loop) {
    return in.index(loop, in.b.getI32Type());
  }
  /// `value` where `x predicate y`, else 0.
  static Value where(const Scalars &in, CmpIPredicate predicate, Value x,
                     Value y, Value value) {
    Value holds = in.compare(predicate, x, y);
    Value zero = constant(in.b, in.loc, value.getType(), 0);
    return in.emit<arith::SelectOp>(holds, value, zero);
  }
  static Value one(const Scalars &in) {
    return constant(in.b, in.loc, in.b.getI32Type(), 1);
  }

  Value emitCount(Value experts) {
    return sumInto(b, loc, ofNumbers({blocks, numExperts}), "bx", {experts},
                   {"bj"}, "bxj", [](const Scalars &in) {
                     return where(in, CmpIPredicate::eq, in[0], number(in, 1),
                                  one(in));
                   });
  }

  Value emitOffsets(Value count) {
    return sumInto(b, loc, ofNumbers({numExperts + 1}), "x", {count}, {"by"},
                   "xby", [](const Scalars &in) {
                     return where(in, CmpIPredicate::slt, number(in, 2),
                                  number(in, 0), in[0]);
                   });
  }

  Value emitFirst(Value count, Value offsets) {
    Value before = sumInto(b, loc, ofNumbers({blocks, numExperts}), "bx",
                           {count}, {"ax"}, "bax", [](const Scalars &in) {
                             return where(in, CmpIPredicate::slt, number(in, 1),
                                          number(in, 0), in[0]);
                           });
    return elementwise(b, loc, {before}, [&](const Scalars &in) {
      return plus(in[0], in.extract(offsets, in.index(1)));
    });
  }

  Value emitPlaces(Value experts, Value first) {
    Value before =
        sumInto(b, loc, ofNumbers({blocks, size}), "bj", {experts, experts},
                {"bj", "bi"}, "bij", [](const Scalars &in) {
                  Value same =
                      where(in, CmpIPredicate::eq, in[0], in[1], one(in));
                  return where(in, CmpIPredicate::slt, number(in, 1),
                               number(in, 2), same);
                });
    return elementwise(b, loc, {before, experts}, [&](const Scalars &in) {
      Value block = in.index(0), x = clampedIndex(in, in[1], numExperts);
      return plus(in[0], in.extract(first, {block, x}));
    });
  }

  Value emitRows(Value offsets, Value first, Value places) {
    // The term of loop 1 in the number of `bounds[1 ..]` that are at most the
    // place (loop 0).
    auto passed = [](const Scalars &in, Value bound) {
      Value reached =
          where(in, CmpIPredicate::sle, bound, number(in, 0), one(in));
      Value zero = constant(in.b, in.loc, reached.getType(), 0);
      return where(in, CmpIPredicate::ne, number(in, 1), zero, reached);
    };
    Value expert = sumInto(
        b, loc, ofNumbers({pairs}), "i", {firstOffsets(b, loc, offsets)}, {"x"},
        "ix", [&](const Scalars &in) { return passed(in, in[0]); });
    // These operands only give the loops over blocks, or over a block, their
    // extent.
    auto extent = [&](int64_t size) {
      return constant(b, loc, ofNumbers({size}), 0);
    };
    Value block =
        sumInto(b, loc, ofNumbers({pairs}), "i", {expert, extent(blocks)},
                {"i", "b"}, "ib", [&](const Scalars &in) {
                  Value other = in.index(1),
                        x = clampedIndex(in, in[0], numExperts);
                  return passed(in, in.extract(first, {other, x}));
                });
    return sumInto(
        b, loc, ofNumbers({pairs}), "i", {block, extent(size)}, {"i", "j"},
        "ij", [&](const Scalars &in) {
          Value own = clampedIndex(in, in[0], blocks), j = in.index(1);
          Value place = in.extract(places, {own, j});
          Value begin =
              in.emit<arith::MulIOp>(in[0], in[0].constant(double(size)));
          Value pair = in.emit<arith::AddIOp>(begin, number(in, 1));
          return where(in, CmpIPredicate::eq, place, number(in, 0), pair);
        });
  }

  OpBuilder &b;
  Location loc;
  GroupByExpertOp op;
  int64_t pairs, numExperts, size, blocks;
};

} // namespace

SmallVector<Value> GroupByExpertOp::emitLinalgForm(OpBuilder &b) {
  return Grouping(b, *this).emit();
}

//===----------------------------------------------------------------------===//
// gather_rows
//===----------------------------------------------------------------------===//

/// Checks that `tokens` is [N, columns] and `sorted` [N K, columns], of one
/// element type, for `pairs`, [N, K].
static LogicalResult verifyColumns(Operation *op, RankedTensorType tokens,
                                   RankedTensorType sorted,
                                   RankedTensorType rows,
                                   RankedTensorType pairs) {
  if (failed(verifyPairs(op, rows, pairs)))
    return failure();
  if (tokens.getRank() == 2 && sorted.getRank() == 2 &&
      tokens.getDimSize(0) == pairs.getDimSize(0) &&
      sorted.getDimSize(0) == rows.getDimSize(0) &&
      tokens.getDimSize(1) == sorted.getDimSize(1) &&
      tokens.getElementType() == sorted.getElementType())
    return success();
  return op->emitOpError("has a row for each of ") // (C1) to (C3)
         << pairs.getDimSize(0) << " tokens and for each of "
         << rows.getDimSize(0) << " pairs, of one width and type, got "
         << tokens << " and " << sorted;
}

LogicalResult GatherRowsOp::verify() {
  return verifyColumns(*this, getX().getType(), getResult().getType(),
                       getRows().getType(), getPlaces().getType());
}

/// The token of pair `pair`, an i32, and the pair's index among the token's K.
static std::pair<Value, Value> tokenOf(const Scalars &in, S pair,
                                       RankedTensorType pairs) {
  Value place = clampedIndex(in, pair, pairs.getNumElements()),
        each = in.number(pairs.getDimSize(1));
  return {in.emit<arith::DivUIOp>(place, each),
          in.emit<arith::RemUIOp>(place, each)};
}

SmallVector<Value> GatherRowsOp::emitLinalgForm(OpBuilder &b) {
  return {overRows(
      b, getLoc(), getResult().getType(), {getRows()}, [&](const Scalars &in) {
        Value token = tokenOf(in, in[0], getPlaces().getType()).first;
        return in.extract(getX(), {token, in.index(1)});
      })};
}

LogicalResult GatherRowsOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                          ArrayRef<bool>,
                                          SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  Value sum = CombineRowsOp::create(
      b, loc, type.clone(getSumType(type.getElementType())),
      widen(b, loc, adjoints[0]), getRows(), getPlaces(), /*weights=*/Value());
  out.append({roundTo(b, loc, sum, type), Value(), Value()});
  return success();
}

//===----------------------------------------------------------------------===//
// combine_rows
//===----------------------------------------------------------------------===//

LogicalResult CombineRowsOp::verify() {
  if (failed(verifyColumns(*this, getResult().getType(), getY().getType(),
                           getRows().getType(), getPlaces().getType())))
    return failure();
  if (!getWeights())
    return success();
  auto weights = cast<RankedTensorType>(getWeights().getType());
  auto expected = RankedTensorType::get(getPlaces().getType().getShape(),
                                        getY().getType().getElementType());
  if (weights != expected) // (C2)
    return emitOpError("has a weight for each pair: they must be ")
           << expected << ", got " << weights;
  return success();
}

SmallVector<Value> CombineRowsOp::emitLinalgForm(OpBuilder &b) {
  return {sumOfRows(b, getLoc(), getResult().getType(), getY(), getPlaces(),
                    getWeights())};
}

LogicalResult CombineRowsOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                           ArrayRef<bool> needed,
                                           SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  RankedTensorType type = getY().getType(), pairs = getPlaces().getType();
  Value dout = adjoints[0], weights = getWeights(), dy, dw;
  if (needed[0] && !weights)
    dy = GatherRowsOp::create(b, loc, type, dout, getRows(), getPlaces());
  else if (needed[0])
    dy = overRows(b, loc, type, {getRows()}, [&](const Scalars &in) {
      auto [token, which] = tokenOf(in, in[0], pairs);
      Value column = in.index(1);
      S weight = in.extract(weights, {token, which}),
        adjoint = in.extract(dout, {token, column});
      return weight * adjoint;
    });
  out.append({dy, Value(), Value()});
  if (!weights)
    return success();
  if (needed[3])
    dw = reduceSum(
        b, loc, {getPlaces(), dout}, {"nk", "nc"}, "nk",
        [&](const Scalars &in) {
          Value row = clampedIndex(in, in[0], type.getDimSize(0));
          return in[1] * in.extract(getY(), {row, in.index(2)});
        },
        "nkc");
  out.push_back(dw);
  return success();
}
