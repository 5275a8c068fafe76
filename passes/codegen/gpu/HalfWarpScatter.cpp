//===- HalfWarpScatter.cpp - Adding token gradients by half-warps ---------===//
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
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/Shuffle.h"
#include "passes/codegen/loops/ScatterSums.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class HalfWarpScatter : public ScatterSums {
public:
  using ScatterSums::ScatterSums;

  void emit() {
    const int64_t units = table.getDimSize(1);
    forEach(views.begin, views.end, 1, [&](Value unit) {
      if (operands.startsFromZeros)
        forEach(unit, index(table.getDimSize(0)), units,
                [&](Value row) { clearRow(row); });
      auto isMine = [&](Value id) {
        return isEqual(rem(rowOf(id), units), unit);
      };
      forTokens(index(0), isMine,
                [&](Value token, Value id) { addToken(token, id); });
    });
  }

private:
  void forEach(Value from, Value to, int64_t step,
               llvm::function_ref<void(Value)> body) {
    loop(from, to, step, {}, [&](Value i, ArrayRef<Value>) {
      body(i);
      return Values();
    });
  }

  void forColumns(llvm::function_ref<void(Value, Value)> emit) override {
    forVectors(index(0), index(table.getDimSize(1)), emit);
  }

  /// The id of this thread's token, one of the 16 from `first` on, and, as an
  /// i32, whether the token is below `end` and matches.
  std::pair<Value, Value> look(Value first, Value end, Match match) {
    Value token = add(first, lanes.thread), exists = isBelow(token, end);
    Value id = idOf(select(exists, token, index(0))),
          hit = both(exists, match(id));
    return {id, arith::ExtUIOp::create(b, loc, b.getI32Type(), hit)};
  }

  Value isSet(Value word) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word,
                                 i32(0));
  }

  /// Whether a thread of the half-warp has a `word` that is not 0.
  Value isSetAnywhere(Value word) {
    for (int64_t apart = kHalfWarpThreads / 2; apart >= 1; apart /= 2)
      word = arith::OrIOp::create(
          b, loc, word, shuffleXor(b, loc, word, lanes.thread, apart));
    return isSet(word);
  }

  /// All threads of the half-warp call `body` together.
  void forTokens(Value first, Match match, Body body) override {
    Value end = index(ids.getNumElements());
    forEach(first, end, kHalfWarpThreads, [&](Value base) {
      auto [id, hit] = look(base, end, match);
      when(isSetAnywhere(hit), [&, id = id, hit = hit] {
        forEach(index(0), index(kHalfWarpThreads), 1, [&](Value from) {
          Value isHit = isSet(shuffle(b, loc, hit, from)),
                itsId = shuffle(b, loc, id, from);
          when(isHit, [&] { body(add(base, from), itsId); });
        });
      });
    });
  }

  Value isBefore(Value end, Value id) override {
    auto isSame = [&](Value other) { return isEqual(other, id); };
    Values seen = loop(index(0), end, kHalfWarpThreads, {i32(0)},
                       [&](Value base, ArrayRef<Value> sofar) -> Values {
                         Value hit = look(base, end, isSame).second;
                         return {arith::OrIOp::create(b, loc, sofar[0], hit)};
                       });
    return isSetAnywhere(seen[0]);
  }
};

} // namespace

void zero::emitHalfWarpScatter(OpBuilder &b, nn::EmbeddingBackwardOp op,
                               KernelViews &views,
                               const ScatterOperands &operands) {
  HalfWarpScatter(b, op, views, operands).emit();
}
