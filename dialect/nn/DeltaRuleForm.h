//===- DeltaRuleForm.h - The recurrence of the delta rule -------*- C++ -*-===//
//
// What the linalg forms of the gated delta rule consist of.
//
// Loop names: b batch, g head of q and k, n head of v within g, x element of a
// key, y element of a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

namespace mlir::nn {

/// What the recurrence computes at one position.
struct DeltaPosition {
  Value before;  ///< S of the position before
  Value decayed; ///< with the decay
  Value after;
  Value miss; ///< what v is more than predicted
  Value u;
};

/// The linalg form, whose values have heads [.., G, N, ..].
template <typename OpT>
struct DeltaRecurrence {
  OpT op;
  OpBuilder &b;
  Location loc = op.getLoc();
  RankedTensorType q = op.getQ().getType(), v = op.getV().getType();
  int64_t batch = v.getDimSize(0), length = v.getDimSize(1),
          keyHeads = q.getDimSize(2), perHead = v.getDimSize(2) / keyHeads,
          keyWidth = q.getDimSize(3), valueWidth = v.getDimSize(3);
  /// Where documents begin, [B], if not by position.
  Value starts = {};

  RankedTensorType type(ArrayRef<int64_t> shape) { return v.clone(shape); }
  RankedTensorType stateType() {
    return type({batch, keyHeads, perHead, keyWidth, valueWidth});
  }

  /// [B, H, ...] as [B, G, N, ...].
  Value splitHeads(Value row) {
    auto whole = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape[1] = keyHeads;
    shape.insert(shape.begin() + 2, perHead);
    return tensor::ExpandShapeOp::create(b, loc, whole.clone(shape), row,
                                         partsOf(whole.getRank()));
  }

  Value joinHeads(Value row) {
    auto whole = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape[1] *= shape[2];
    shape.erase(shape.begin() + 2);
    return tensor::CollapseShapeOp::create(b, loc, whole.clone(shape), row,
                                           partsOf(int64_t(shape.size())));
  }

  static SmallVector<ReassociationIndices> partsOf(int64_t rank) {
    SmallVector<ReassociationIndices> parts = {{0}, {1, 2}};
    for (int64_t dim = 2; dim < rank; ++dim)
      parts.push_back({dim + 1});
    return parts;
  }

  Value query(int64_t t) { return keyRow(op.getQ(), t); }
  Value key(int64_t t) { return keyRow(op.getK(), t); }
  Value keyRow(Value of, int64_t t) {
    return slice(of, t, {batch, keyHeads, keyWidth});
  }
  Value valueRow(Value of, int64_t t) {
    return splitHeads(slice(of, t, {batch, keyHeads * perHead, valueWidth}));
  }
  Value numberRow(Value of, int64_t t) {
    return splitHeads(slice(of, t, {batch, keyHeads * perHead}));
  }

  /// Offsets, sizes and strides of index t of dimension `dim` of a tensor.
  std::array<SmallVector<OpFoldResult>, 3> placeOf(RankedTensorType whole,
                                                   int64_t t, unsigned dim) {
    const unsigned rank = whole.getRank();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
        sizes = getAsIndexOpFoldResult(b.getContext(), whole.getShape());
    offsets[dim] = b.getIndexAttr(t);
    sizes[dim] = b.getIndexAttr(1);
    return {offsets, sizes, SmallVector<OpFoldResult>(rank, b.getIndexAttr(1))};
  }

  /// Index t of dimension `dim` of `of`, as `shape`.
  Value slice(Value of, int64_t t, ArrayRef<int64_t> shape, unsigned dim = 1) {
    auto whole = cast<RankedTensorType>(of.getType());
    auto [offsets, sizes, strides] = placeOf(whole, t, dim);
    return tensor::ExtractSliceOp::create(b, loc, whole.clone(shape), of,
                                          offsets, sizes, strides);
  }

  /// `into` with `row`, [B, ...] or with heads apart, at index t of dimension
  /// `dim`.
  Value insert(Value row, Value into, int64_t t, unsigned dim = 1) {
    auto whole = cast<RankedTensorType>(into.getType());
    if (cast<RankedTensorType>(row.getType()).getRank() == whole.getRank())
      row = joinHeads(row);
    auto [offsets, sizes, strides] = placeOf(whole, t, dim);
    return tensor::InsertSliceOp::create(b, loc, row, into, offsets, sizes,
                                         strides);
  }

  /// x times the decay of position t; `letters` are those of x.
  Value decay(Value x, StringRef letters, int64_t t) {
    SmallVector<Value> inputs = {x, numberRow(op.getGates(), t)};
    SmallVector<StringRef> maps = {letters, "bgn"};
    if (op.getStarts()) {
      inputs.push_back(starts ? starts : slice(op.getStarts(), t, {batch}));
      maps.push_back("b");
    }
    return elementwise(b, loc, inputs, maps, letters, [&](const Scalars &in) {
      S decayed = in[0] * exp(in[1]);
      if (!op.getStarts())
        return decayed;
      Value number =
          arith::ConstantIntOp::create(in.b, in.loc, in.b.getI32Type(), t);
      Value begins = in.compare(arith::CmpIPredicate::sge, in[2], number);
      return select(begins, in[0].constant(0), decayed);
    });
  }

  Value stateBegin() { return zeros(b, loc, stateType()); }

  /// Position t, after the state `before`.
  DeltaPosition step(Value before, int64_t t) {
    DeltaPosition now;
    now.before = before;
    now.decayed = decay(before, "bgnxy", t);
    now.u = now.miss = valueRow(op.getV(), t);
    if (op.getBeta()) {
      Value predicted = reduceSum(b, loc, {now.decayed, key(t)},
                                  {"bgnxy", "bgx"}, "bgny", multiply, "bgnyx");
      now.miss = elementwise(b, loc, {now.miss, predicted},
                             [](const Scalars &in) { return in[0] - in[1]; });
      now.u = elementwise(b, loc, {now.miss, numberRow(op.getBeta(), t)},
                          {"bgny", "bgn"}, "bgny", multiply);
    }
    now.after = addOuter(now.decayed, key(t), now.u);
    return now;
  }

  /// s + x y^T.
  Value addOuter(Value s, Value x, Value y, double sign = 1) {
    return elementwise(b, loc, {s, x, y}, {"bgnxy", "bgx", "bgny"}, "bgnxy",
                       [&](const Scalars &in) {
                         S product = in[1] * in[2];
                         return in[0] + (sign < 0 ? -product : product);
                       });
  }

  /// s^T x.
  Value read(Value s, Value x) {
    return reduceSum(b, loc, {s, x}, {"bgnxy", "bgx"}, "bgny", multiply,
                     "bgnyx");
  }
  /// s y, added up over the heads that read a key.
  Value readKeys(Value s, Value y) {
    return reduceSum(b, loc, {s, y}, {"bgnxy", "bgny"}, "bgx", multiply,
                     "bgxny");
  }
};

/// The operations of a rule over the positions of v: of `ofPairs` products of
/// two rows of a chunk for each element of a key and of a value, and `ofState`
/// products of a chunk with the state.
int64_t countRuleFlops(RankedTensorType q, RankedTensorType v, int64_t ofPairs,
                       int64_t ofState);
void addRuleWork(Operation *op, int64_t flops, zero::Work &work);

} // namespace mlir::nn
