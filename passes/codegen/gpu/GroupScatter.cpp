//===- GroupScatter.cpp - Adding token gradients by groups of threads -----===//
//
// The sums of ScatterKernel.cpp, bit for bit: gradients are added to a row of
// the table in the order of its tokens.  There, a thread has some columns of
// all rows.  Here, with n columns, there are n units.  Unit u has the rows u, u
// + n, u + 2 n, ... with all of their columns, so that all of a GPU has work:
//
//   for row = u, u + n, ...: clear it      where the table starts from zeros
//   for i = 0, 16, 32, ...                 thread t of a group has token i + t
//     if any of the 16 is of such a row
//       for each of them, in order:
//         row of the token += its gradient
//
// Rows of 16 bits are summed in f32 at the first of their tokens, over all that
// follow, and then rounded.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/GroupScatter.h"

#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/codegen/gpu/Shuffle.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class GroupScatter {
public:
  GroupScatter(nn::EmbeddingBackwardOp op, KernelViews &views,
               const ScatterOperands &operands, bool startsFromZeros)
      : op(op), loc(op.getLoc()), views(views), lanes(views.lanes),
        operands(operands), startsFromZeros(startsFromZeros),
        numTokens(op.getTokens().getType().getNumElements()),
        numRows(op.getInit().getType().getDimSize(0)),
        numColumns(op.getInit().getType().getDimSize(1)) {}

  void emit(OpBuilder &b) {
    const bool isHalf = nn::isHalf(op.getInit().getType().getElementType());
    if (isHalf) {
      int64_t vectors = llvm::divideCeil(numColumns, lanes.stride);
      sum = memref::AllocaOp::create(
          b, loc, MemRefType::get({vectors * lanes.width}, b.getF32Type()),
          b.getI64IntegerAttr(16));
    }
    forEach(b, views.begin, views.end, 1, [&](OpBuilder &at, Value unit) {
      if (startsFromZeros)
        forEach(at, unit, index(at, numRows), numColumns,
                [&](OpBuilder &inner, Value row) { clear(inner, row); });
      auto isMine = [&](OpBuilder &inner, Value id) {
        Value owner = arith::RemUIOp::create(inner, loc, rowOf(inner, id),
                                             index(inner, numColumns));
        return isEqual(inner, owner, unit);
      };
      forTokens(at, index(at, 0), isMine,
                [&](OpBuilder &inner, Value token, Value id) {
                  isHalf ? addAll(inner, token, id) : add(inner, token, id);
                });
    });
  }

private:
  nn::EmbeddingBackwardOp op;
  Location loc;
  KernelViews &views;
  const Lanes &lanes;
  ScatterOperands operands;
  bool startsFromZeros;
  int64_t numTokens, numRows, numColumns;
  /// For rows of 16 bits: the sum of each vector of this thread, side by side.
  Value sum;

  using Body = llvm::function_ref<void(OpBuilder &, Value)>;
  using Match = llvm::function_ref<Value(OpBuilder &, Value id)>;

  Value index(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value isEqual(OpBuilder &b, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  }
  Value rowOf(OpBuilder &b, Value id) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
  }

  void forEach(OpBuilder &b, Value from, Value to, int64_t step, Body body) {
    scf::ForOp::create(b, loc, from, to, index(b, step), {},
                       [&](OpBuilder &at, Location, Value i, ValueRange) {
                         body(at, i);
                         scf::YieldOp::create(at, loc);
                       });
  }
  void onlyIf(OpBuilder &b, Value condition,
              llvm::function_ref<void(OpBuilder &)> body) {
    OpBuilder then =
        scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false)
            .getThenBodyBuilder();
    body(then);
  }

  //===--------------------------------------------------------------------===//
  // Tokens
  //===--------------------------------------------------------------------===//

  /// The indices of token `i`, counted in row-major order.
  SmallVector<Value> placeOf(OpBuilder &b, Value i) {
    RankedTensorType ids = op.getTokens().getType();
    SmallVector<Value> place(ids.getRank());
    for (int64_t d = ids.getRank() - 1; d >= 0; --d) {
      Value extent = index(b, ids.getDimSize(d));
      place[d] =
          d == 0 ? i : arith::RemUIOp::create(b, loc, i, extent).getResult();
      i = arith::DivUIOp::create(b, loc, i, extent);
    }
    return place;
  }

  /// The id of this thread's token, one of the 16 from `first` on, and, as an
  /// i32, whether the token is below `end` and matches.
  std::pair<Value, Value> look(OpBuilder &b, Value first, Value end,
                               Match match) {
    Value token = arith::AddIOp::create(b, loc, first, lanes.thread);
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, token, end);
    token = arith::SelectOp::create(b, loc, exists, token, index(b, 0));
    Value id =
        memref::LoadOp::create(b, loc, operands.tokens, placeOf(b, token));
    Value hit = arith::AndIOp::create(b, loc, exists, match(b, id));
    return {id, arith::ExtUIOp::create(b, loc, b.getI32Type(), hit)};
  }

  Value isSet(OpBuilder &b, Value word) {
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word, zero);
  }

  /// Whether a thread of the group has a `word` that is not 0.
  Value isSetAnywhere(OpBuilder &b, Value word) {
    for (int64_t apart = kGroupThreads / 2; apart >= 1; apart /= 2) {
      Value from = arith::XOrIOp::create(b, loc, lanes.thread, index(b, apart));
      word = arith::OrIOp::create(b, loc, word, shuffle(b, loc, word, from));
    }
    return isSet(b, word);
  }

  /// Calls `body` for each token from `first` on that matches, in order, with
  /// its id.  All threads of the group do so together.
  void forTokens(OpBuilder &b, Value first, Match match,
                 llvm::function_ref<void(OpBuilder &, Value, Value)> body) {
    Value end = index(b, numTokens);
    forEach(b, first, end, kGroupThreads, [&](OpBuilder &at, Value base) {
      auto [id, hit] = look(at, base, end, match);
      onlyIf(at, isSetAnywhere(at, hit),
             [&, id = id, hit = hit](OpBuilder &in) {
               Value count = index(in, kGroupThreads);
               forEach(
                   in, index(in, 0), count, 1, [&](OpBuilder &one, Value from) {
                     Value isHit = isSet(one, shuffle(one, loc, hit, from)),
                           itsId = shuffle(one, loc, id, from);
                     onlyIf(one, isHit, [&](OpBuilder &then) {
                       body(then, arith::AddIOp::create(then, loc, base, from),
                            itsId);
                     });
                   });
             });
    });
  }

  /// Whether a token before `end` has this id.
  Value isBefore(OpBuilder &b, Value end, Value id) {
    Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
    auto same = [&](OpBuilder &at, Value other) {
      return isEqual(at, other, id);
    };
    auto scan = scf::ForOp::create(
        b, loc, index(b, 0), end, index(b, kGroupThreads), none,
        [&](OpBuilder &at, Location, Value base, ValueRange seen) {
          Value hit = look(at, base, end, same).second;
          Value any = arith::OrIOp::create(at, loc, seen[0], hit);
          scf::YieldOp::create(at, loc, any);
        });
    return isSetAnywhere(b, scan.getResult(0));
  }

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  /// Calls `emit` for the vectors of a row.
  void forColumns(OpBuilder &b,
                  llvm::function_ref<void(OpBuilder &, Value, Value)> emit) {
    forVectors(b, loc, lanes, index(b, 0), index(b, numColumns), {},
               [&](OpBuilder &at, Value column, Value mask, ValueRange) {
                 emit(at, column, mask);
                 return SmallVector<Value>();
               });
  }
  Value load(OpBuilder &b, Value memref, ValueRange place, Value mask) {
    return loadVector(b, loc, lanes, memref, place, mask);
  }
  Value gradient(OpBuilder &b, Value token, Value column, Value mask) {
    SmallVector<Value> place = placeOf(b, token);
    place.push_back(column);
    return load(b, operands.grad, place, mask);
  }

  void clear(OpBuilder &b, Value row) {
    Type element = op.getInit().getType().getElementType();
    forColumns(b, [&](OpBuilder &at, Value column, Value mask) {
      auto type = VectorType::get({lanes.width}, element);
      Value zeros = arith::ConstantOp::create(at, loc, at.getZeroAttr(type));
      storeVector(at, loc, lanes, zeros, operands.out, {row, column}, mask);
    });
  }

  void add(OpBuilder &b, Value token, Value id) {
    Value row = rowOf(b, id);
    forColumns(b, [&](OpBuilder &at, Value column, Value mask) {
      Value next = arith::AddFOp::create(
          at, loc, load(at, operands.out, {row, column}, mask),
          gradient(at, token, column, mask));
      storeVector(at, loc, lanes, next, operands.out, {row, column}, mask);
    });
  }

  /// The index of the sum of the vector at `column`.
  Value placeOfSum(OpBuilder &b, Value column) {
    Value vector =
        arith::DivUIOp::create(b, loc, column, index(b, lanes.stride));
    return arith::MulIOp::create(b, loc, vector, index(b, lanes.width));
  }
  Value loadSum(OpBuilder &b, Value column) {
    return loadVector(b, loc, lanes, sum, placeOfSum(b, column), Value());
  }
  void storeSum(OpBuilder &b, Value value, Value column) {
    storeVector(b, loc, lanes, value, sum, placeOfSum(b, column), Value());
  }

  /// Adds all tokens of a row of 16 bits, at the first of them.
  void addAll(OpBuilder &b, Value token, Value id) {
    Value row = rowOf(b, id);
    Value isFirst =
        arith::XOrIOp::create(b, loc, isBefore(b, token, id),
                              arith::ConstantIntOp::create(b, loc, 1, 1));
    onlyIf(b, isFirst, [&](OpBuilder &then) {
      forColumns(then, [&](OpBuilder &at, Value column, Value mask) {
        Value old = load(at, operands.out, {row, column}, mask);
        storeSum(at, nn::widen(at, loc, old), column);
      });
      auto same = [&](OpBuilder &at, Value other) {
        return isEqual(at, other, id);
      };
      forTokens(then, token, same, [&](OpBuilder &in, Value next, Value) {
        forColumns(in, [&](OpBuilder &at, Value column, Value mask) {
          Value term = nn::widen(at, loc, gradient(at, next, column, mask));
          storeSum(at,
                   arith::AddFOp::create(at, loc, loadSum(at, column), term),
                   column);
        });
      });
      forColumns(then, [&](OpBuilder &at, Value column, Value mask) {
        Type narrow = op.getInit().getType().getElementType();
        Value rounded = arith::TruncFOp::create(
            at, loc, VectorType::get({lanes.width}, narrow),
            loadSum(at, column));
        storeVector(at, loc, lanes, rounded, operands.out, {row, column}, mask);
      });
    });
  }
};

} // namespace

void zero::emitGroupScatter(OpBuilder &b, nn::EmbeddingBackwardOp op,
                            KernelViews &views, const ScatterOperands &operands,
                            bool startsFromZeros) {
  GroupScatter(op, views, operands, startsFromZeros).emit(b);
}
