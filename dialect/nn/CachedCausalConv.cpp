//===- CachedCausalConv.cpp - Causal convolutions with kept inputs --------===//
//
// The linalg form is the definition, for `--reference`.  An input is read from
// x, or if it is of an earlier run from its row of what is kept.
//
// Loop names: s slot, i position of the run, r kept row, c channel.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult CachedCausalConvOp::verify() {
  RankedTensorType x = getX().getType(), weight = getWeight().getType(),
                   inputs = getInputs().getType();
  if (x.getRank() != 3 || weight.getRank() != 2 || inputs.getRank() != 3 ||
      weight.getDimSize(0) != x.getDimSize(2) ||
      inputs.getDimSize(0) != x.getDimSize(0) ||
      inputs.getDimSize(2) != x.getDimSize(2) ||
      inputs.getElementType() != x.getElementType()) // (C1)
    return emitOpError("x must be [S, T, C], weight [C, K] and inputs [S, R, "
                       "C], got ")
           << x << ", " << weight << " and " << inputs;
  if (inputs.getDimSize(1) < x.getDimSize(1) ||
      inputs.getDimSize(1) < weight.getDimSize(1)) // (C1)
    return emitOpError("keeps ")
           << inputs.getDimSize(1) << " inputs, and needs at least the "
           << x.getDimSize(1) << " of x and those of " << weight.getDimSize(1)
           << " taps";
  for (Value each : {getBegin(), getStarts()})
    if (each && cast<RankedTensorType>(each.getType()).getShape() !=
                    x.getShape().take_front(1)) // (C2)
      return emitOpError("begin, count and starts must have the shape [S] of "
                         "x, which is ")
             << x << ", got " << each.getType();
  return success();
}

namespace {

/// An i32 of a body as an index, at least 0.
Value positionOf(const Scalars &in, Value number) {
  Value index =
      in.emit<arith::IndexCastOp>(in.b.getIndexType(), number).getResult();
  return in.emit<arith::MaxSIOp>(index, in.number(0));
}

struct CachedTaps {
  CachedCausalConvOp op;
  OpBuilder &b;
  Location loc = op.getLoc();
  int64_t taps = op.getWeight().getType().getDimSize(1),
          kept = op.getInputs().getType().getDimSize(1),
          length = op.getX().getType().getDimSize(1),
          channels = op.getX().getType().getDimSize(2);

  Value weight(int64_t tap) {
    const auto indices = [&](ArrayRef<int64_t> values) {
      return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
        return b.getIndexAttr(value);
      });
    };
    RankedTensorType type = op.getWeight().getType();
    return tensor::ExtractSliceOp::create(
        b, loc, type.clone({channels}), op.getWeight(), indices({0, tap}),
        indices({channels, 1}), indices({1, 1}));
  }

  /// The input `back` positions before that of the body, 0 if there is none.
  S input(const Scalars &in, Value position, int64_t back) {
    if (back == 0)
      return in[0];
    Value zero = in.number(0), distance = in.number(back), i = in.index(1),
          row = in.emit<arith::SubIOp>(i, distance),
          at = in.emit<arith::SubIOp>(position, distance);
    Value place = in.emit<arith::RemUIOp>(
        in.emit<arith::MaxSIOp>(at, zero).getResult(), in.number(kept));
    S fresh =
        in.extract(op.getX(), {in.index(0), in.emit<arith::MaxSIOp>(row, zero),
                               in.index(2)});
    S old = in.extract(op.getInputs(), {in.index(0), place, in.index(2)});
    S value =
        select(in.compare(arith::CmpIPredicate::sge, row, zero), fresh, old);
    return select(in.compare(arith::CmpIPredicate::sge, at, zero), value,
                  value.constant(0));
  }

  Value result() {
    SmallVector<Value> inputs = {op.getX(), op.getBegin(), op.getCount()};
    SmallVector<StringRef> maps = {"sic", "s", "s"};
    for (int64_t tap = 0; tap < taps; ++tap) {
      inputs.push_back(weight(tap));
      maps.push_back("c");
    }
    if (op.getStarts()) {
      inputs.push_back(op.getStarts());
      maps.push_back("s");
    }
    return elementwise(b, loc, inputs, maps, "sic", [&](const Scalars &in) {
      Value position =
          in.emit<arith::AddIOp>(positionOf(in, in.values[1]), in.index(1));
      std::optional<S> all;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t back = taps - 1 - tap;
        S term = input(in, position, back) * in[unsigned(3 + tap)];
        if (op.getStarts()) {
          Value start = in.emit<arith::IndexCastOp>(in.b.getIndexType(),
                                                    in.values[3 + taps]);
          Value at = in.emit<arith::SubIOp>(position, in.number(back));
          term = select(in.compare(arith::CmpIPredicate::sge, at, start), term,
                        term.constant(0));
        }
        all = all ? *all + term : term;
      }
      Value isThere = in.compare(
          arith::CmpIPredicate::slt, in.index(1),
          in.emit<arith::IndexCastOp>(in.b.getIndexType(), in.values[2]));
      return select(isThere, *all, all->constant(0));
    });
  }

  Value nextInputs() {
    return elementwise(
        b, loc, {op.getInputs(), op.getBegin(), op.getCount()},
        {"src", "s", "s"}, "src", [&](const Scalars &in) {
          // The row of the run whose place this is.
          Value rows = in.number(kept),
                first =
                    in.emit<arith::RemUIOp>(positionOf(in, in.values[1]), rows),
                row = in.emit<arith::RemUIOp>(
                    in.emit<arith::AddIOp>(
                          in.emit<arith::SubIOp>(in.index(1), first)
                              .getResult(),
                          rows)
                        .getResult(),
                    rows);
          Value last = in.number(length - 1);
          Value isNew = in.compare(
              arith::CmpIPredicate::slt, row,
              in.emit<arith::IndexCastOp>(in.b.getIndexType(), in.values[2]));
          S fresh = in.extract(
              op.getX(),
              {in.index(0), in.emit<arith::MinSIOp>(row, last), in.index(2)});
          return select(isNew, fresh, in[0]);
        });
  }
};

} // namespace

SmallVector<Value> CachedCausalConvOp::emitLinalgForm(OpBuilder &b) {
  CachedTaps taps{*this, b};
  return {taps.result(), taps.nextInputs()};
}

// A unit has all channels of a slot.
SmallVector<int64_t> CachedCausalConvOp::getKernelSpace() {
  return {getX().getType().getDimSize(0), 1};
}
Value CachedCausalConvOp::getOverwritten(unsigned result) {
  return result == 0 ? Value() : getInputs();
}
bool CachedCausalConvOp::writesUnused() { return true; }
