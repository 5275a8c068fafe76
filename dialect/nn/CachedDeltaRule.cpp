//===- CachedDeltaRule.cpp - The gated delta rule with a kept state -------===//
//
// The linalg form is the definition, for `--reference`: from the kept state the
// positions of the open chunk that were read are repeated, and then those of
// the run follow.  Loop names are those of DeltaRuleForm.h, b is a slot, and j
// a position of the chunk.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/DeltaRuleForm.h"
#include "numerics/DeltaRule.h"

using namespace mlir;
using namespace mlir::nn;
using zrt::kDeltaChunk;

LogicalResult CachedDeltaRuleOp::verify() {
  RankedTensorType q = getQ().getType(), v = getV().getType(),
                   gates = getGates().getType();
  if (q.getRank() != 4 || v.getRank() != 4 ||
      q.getShape().take_front(2) != v.getShape().take_front(2) ||
      q.getDimSize(2) == 0 || v.getDimSize(2) % q.getDimSize(2) != 0) // (C1)
    return emitOpError("q and k must be [S, T, G, K] and v [S, T, H, V], with "
                       "H a multiple of G, got ")
           << q << " and " << v;
  if (gates.getShape() != v.getShape().drop_back() ||
      (getBeta() && getBeta().getType() != gates)) // (C2)
    return emitOpError("gates and beta must be [S, T, H] of v, which is ")
           << v << ", got " << gates;
  const int64_t slots = v.getDimSize(0), keyHeads = q.getDimSize(2),
                heads = v.getDimSize(2), keyWidth = q.getDimSize(3),
                valueWidth = v.getDimSize(3);
  const std::pair<RankedTensorType, RankedTensorType> kept[] = {
      {getState().getType(), v.clone({slots, heads, keyWidth, valueWidth})},
      {getKeys().getType(), v.clone({slots, keyHeads, kDeltaChunk, keyWidth})},
      {getUpdates().getType(),
       v.clone({slots, heads, kDeltaChunk, valueWidth})},
      {getDecays().getType(), v.clone({slots, heads, kDeltaChunk})}};
  for (auto [got, expected] : kept)
    if (got != expected) // (C3)
      return emitOpError("must keep state, keys, updates and decays of which "
                         "one is ")
             << expected << ", got " << got;
  for (Value each : {getBegin(), getStarts()})
    if (each && cast<RankedTensorType>(each.getType()).getShape() !=
                    v.getShape().take_front(1)) // (C4)
      return emitOpError("begin, count and starts must have the shape [S] of "
                         "v, which is ")
             << v << ", got " << each.getType();
  return success();
}

namespace {

/// An i32 of a body.
Value number(const Scalars &in, int64_t value) {
  return in.emit<arith::ConstantIntOp>(in.b.getI32Type(), value);
}

struct CachedForm {
  CachedDeltaRuleOp op;
  OpBuilder &b;
  Location loc = op.getLoc();
  DeltaRecurrence<CachedDeltaRuleOp> form{op, b};

  /// A number of each slot from `begin` and `other`.
  Value ofSlots(Value other,
                llvm::function_ref<Value(const Scalars &in)> body) {
    return elementwise(b, loc, {op.getBegin(), other}, {"b", "b"}, "b", body);
  }

  /// Index j of the chunk in what is kept.
  Value keptRow(Value of, int64_t j, ArrayRef<int64_t> shape) {
    return form.slice(of, j, shape, /*dim=*/2);
  }

  /// The kept state; 0 where a sequence begins.
  Value loadState() {
    Value state = form.splitHeads(op.getState());
    return elementwise(b, loc, {state, op.getBegin()}, {"bgnxy", "b"}, "bgnxy",
                       [&](const Scalars &in) {
                         Value goesOn = in.compare(arith::CmpIPredicate::sgt,
                                                   in.values[1], number(in, 0));
                         return select(goesOn, in[0], in[0].constant(0));
                       });
  }

  /// `state` after the first `known` positions of its chunk.
  Value repeatChunk(Value state, Value known) {
    const int64_t slots = form.batch, heads = form.keyHeads * form.perHead;
    for (int64_t j = 0; j < kDeltaChunk; ++j) {
      Value decay = form.splitHeads(keptRow(op.getDecays(), j, {slots, heads})),
            key =
                keptRow(op.getKeys(), j, {slots, form.keyHeads, form.keyWidth}),
            update = form.splitHeads(
                keptRow(op.getUpdates(), j, {slots, heads, form.valueWidth}));
      state = elementwise(
          b, loc, {state, decay, key, update, known},
          {"bgnxy", "bgn", "bgx", "bgny", "b"}, "bgnxy",
          [&](const Scalars &in) {
            Value wasRead = in.compare(arith::CmpIPredicate::sgt, in.values[4],
                                       number(in, j));
            return select(wasRead, in[1] * in[0] + in[2] * in[3], in[0]);
          });
    }
    return state;
  }

  /// `after` where position t of the run is there, else `before`.
  Value ifThere(int64_t t, Value after, Value before, StringRef letters) {
    return elementwise(
        b, loc, {after, before, op.getCount()}, {letters, letters, "b"},
        letters, [&](const Scalars &in) {
          Value isThere = in.compare(arith::CmpIPredicate::sgt, in.values[2],
                                     number(in, t));
          return select(isThere, in[0], in[1]);
        });
  }

  /// `kept` with `row` at the place of position t of the run; `letters` are
  /// those of `kept` and of `row`, h being a head.
  Value put(int64_t t, Value row, Value kept, StringRef letters,
            StringRef ofRow) {
    return elementwise(
        b, loc, {kept, row, op.getBegin(), op.getCount()},
        {letters, ofRow, "b", "b"}, letters, [&](const Scalars &in) {
          Value position = in.emit<arith::AddIOp>(in.values[2], number(in, t)),
                place =
                    in.emit<arith::RemUIOp>(position, number(in, kDeltaChunk));
          Value isThere = in.compare(arith::CmpIPredicate::sgt, in.values[3],
                                     number(in, t));
          Value isPlace = in.isEqual(in.index(2, in.b.getI32Type()), place);
          return select(in.emit<arith::AndIOp>(isThere, isPlace), in[1], in[0]);
        });
  }

  /// `after` where the chunk ends with position t of the run, else `before`.
  Value ifChunkEnds(int64_t t, Value after, Value before) {
    return elementwise(
        b, loc, {after, before, op.getBegin(), op.getCount()},
        {"bgnxy", "bgnxy", "b", "b"}, "bgnxy", [&](const Scalars &in) {
          Value next = in.emit<arith::AddIOp>(in.values[2], number(in, t + 1)),
                rest = in.emit<arith::RemUIOp>(next, number(in, kDeltaChunk));
          Value isThere = in.compare(arith::CmpIPredicate::sgt, in.values[3],
                                     number(in, t));
          Value ends =
              in.emit<arith::AndIOp>(isThere, in.isEqual(rest, number(in, 0)));
          return select(ends, in[0], in[1]);
        });
  }
};

} // namespace

SmallVector<Value> CachedDeltaRuleOp::emitLinalgForm(OpBuilder &b) {
  CachedForm cached{*this, b};
  auto &form = cached.form;
  Location loc = getLoc();
  if (Value starts = getStarts())
    form.starts = cached.ofSlots(starts, [](const Scalars &in) -> Value {
      return in.emit<arith::SubIOp>(in.values[1], in.values[0]);
    });
  Value known = cached.ofSlots(getCount(), [](const Scalars &in) -> Value {
    return in.emit<arith::RemUIOp>(in.values[0], number(in, kDeltaChunk));
  });
  Value next = cached.loadState(), state = cached.repeatChunk(next, known);
  Value out = zeros(b, loc, getResult().getType()), keys = getKeys(),
        updates = getUpdates(), decays = getDecays();
  const Value one =
      constant(b, loc, form.type({form.batch, form.keyHeads, form.perHead}), 1);
  for (int64_t t = 0; t < form.length; ++t) {
    const DeltaPosition now = form.step(state, t);
    Value row = form.read(now.after, form.query(t)),
          none = zeros(b, loc, cast<RankedTensorType>(row.getType()));
    out = form.insert(cached.ifThere(t, row, none, "bgny"), out, t);
    keys = cached.put(t, form.key(t), keys, "bgjx", "bgx");
    updates = cached.put(t, form.joinHeads(now.u), updates, "bhjy", "bhy");
    decays = cached.put(t, form.joinHeads(form.decay(one, "bgn", t)), decays,
                        "bhj", "bh");
    next = cached.ifChunkEnds(t, now.after, next);
    state = cached.ifThere(t, now.after, state, "bgnxy");
  }
  return {out, form.joinHeads(next), keys, updates, decays};
}

// A unit puts keys first, and so has all heads of values that read them.
SmallVector<int64_t> CachedDeltaRuleOp::getKernelSpace() {
  return headsOf(getK());
}
Value CachedDeltaRuleOp::getOverwritten(unsigned result) {
  const Value kept[] = {{}, getState(), getKeys(), getUpdates(), getDecays()};
  return kept[result];
}
bool CachedDeltaRuleOp::writesUnused() { return true; }
