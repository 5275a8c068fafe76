//===- BlockScatter.cpp - Adding token gradients by blocks of a GPU -------===//
//
// The sums of ScatterKernel.cpp, bit for bit.  A block of 128 threads has one
// row of the table, whose columns its threads share.  Its half-warps share the
// tokens:
//
//   if no token is of this row, and the table does not start from zeros: return
//   sum = the row
//   for pieces of 8 x 256 tokens
//     half-warp h: list[h] = the tokens of its 256 that are of this row
//     for h = 0 ... 7: for each token of list[h]: sum += its gradient
//   the row = sum
//
// So every block reads all tokens.  A token costs a comparison for each row,
// which is little beside the products of a step.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/Precision.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/ScatterSums.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class BlockScatter : public ScatterSums {
public:
  using ScatterSums::ScatterSums;

  static constexpr int64_t kHalfWarps = kBlockThreads / kHalfWarpThreads,
                           kListed = 256, kPiece = kHalfWarps * kListed,
                           kSharedBytes = 4 * kHalfWarps * (kListed + 1);

  /// The number of blocks for each unit, which is a column.
  int64_t countParts() const {
    return llvm::divideCeil(table.getDimSize(0), table.getDimSize(1));
  }

  void emit(Value blockThread, Value unit, Value part) {
    thread = blockThread;
    halfWarp = div(thread, kHalfWarpThreads);
    lane = rem(thread, kHalfWarpThreads);
    auto view = [&](ArrayRef<int64_t> shape, int64_t offset) {
      return viewAs(MemRefType::get(shape, b.getI32Type()), views.shared,
                    index(offset));
    };
    counts = view({kHalfWarps}, 0);
    lists = view({kHalfWarps, kListed}, 4 * kHalfWarps);
    row = add(mul(unit, countParts()), part);
    id = arith::IndexCastOp::create(b, loc, ids.getElementType(), row);
    when(isBelow(row, index(table.getDimSize(0))), [&] {
      if (operands.startsFromZeros)
        return addAll();
      when(hasTokens(), [&] { addAll(); });
    });
  }

private:
  Value thread, halfWarp, lane; ///< of the block, and in the half-warp
  Value counts, lists;          ///< shared: tokens of this row
  Value row, id;                ///< as an index, and as a token

  Value isMine(Value token) { return isEqual(idOf(token), id); }
  Value asWord(Value condition) {
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), condition);
  }
  Value isSet(Value word) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word,
                                 i32(0));
  }
  Value orOf(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value orOfHalfWarp(Value word) {
    for (int64_t apart = kHalfWarpThreads / 2; apart >= 1; apart /= 2)
      word = orOf(word, shuffleXor(b, loc, word, lane, apart));
    return word;
  }
  void onFirst(llvm::function_ref<void()> body) {
    when(isEqual(lane, 0), body);
  }

  /// Whether any token is of this row.
  Value hasTokens() {
    Value mine =
        loop(thread, index(ids.getNumElements()), kBlockThreads, {i32(0)},
             [&](Value token, ArrayRef<Value> sofar) -> Values {
               return {orOf(sofar[0], asWord(isMine(token)))};
             })[0];
    mine = orOfHalfWarp(mine);
    onFirst([&] { storeOne(mine, counts, {halfWarp}); });
    syncBlock(b, loc);
    Value all = i32(0);
    for (int64_t h = 0; h < kHalfWarps; ++h)
      all = orOf(all, loadOne(counts, {index(h)}));
    syncBlock(b, loc);
    return isSet(all);
  }

  /// Lists the half-warp's tokens of the piece from `first` on.
  void listTokens(Value first) {
    Value begin = add(first, mul(halfWarp, kListed)),
          end = index(ids.getNumElements()), last = sub(end, 1);
    Value count =
        loop(begin, min(add(begin, kListed), end), kHalfWarpThreads, {i32(0)},
             [&](Value base, ArrayRef<Value> before) -> Values {
               Value token = add(base, lane);
               Value hit =
                   asWord(both(isBelow(token, end), isMine(min(token, last))));
               return ifThen(isSet(orOfHalfWarp(hit)), before, [&]() -> Values {
                 // Hits of the threads before this one, and of all.
                 Value ahead = before[0], all = before[0];
                 for (int64_t from = 0; from < kHalfWarpThreads; ++from) {
                   Value other = shuffle(b, loc, hit, index(from));
                   Value isAhead = isBelow(index(from), lane);
                   ahead = add(ahead, select(isAhead, other, i32(0)));
                   all = add(all, other);
                 }
                 when(isSet(hit), [&] {
                   storeOne(toI32(token), lists, {halfWarp, toIndex(ahead)});
                 });
                 return {all};
               });
             })[0];
    onFirst([&] { storeOne(count, counts, {halfWarp}); });
  }

  /// Calls body(i, first column, mask) for the thread's vectors of the row.
  void forColumns(llvm::function_ref<void(int64_t, Value, Value)> body) {
    const int64_t width = table.getDimSize(1),
                  stride = lanes.width * kBlockThreads;
    for (int64_t i = 0; i * stride < width; ++i) {
      Value column = add(mul(thread, lanes.width), i * stride);
      const bool isWhole = (i + 1) * stride <= width;
      body(i, column, isWhole ? Value() : maskBelow(column, index(width)));
    }
  }

  Value widened(Value x) {
    return nn::isHalf(table.getElementType()) ? nn::widen(b, loc, x) : x;
  }

  /// sums + the gradients of some tokens, in their order.
  Values plusTokens(ArrayRef<Value> sums, ArrayRef<Value> tokens) {
    Values result(sums);
    SmallVector<Values> terms(tokens.size());
    for (auto [token, values] : llvm::zip(tokens, terms))
      forColumns([&](int64_t, Value column, Value mask) {
        values.push_back(gradientOf(token, column, mask));
      });
    for (const Values &values : terms)
      for (auto [sum, term] : llvm::zip(result, values))
        sum = addf(sum, widened(term));
    return result;
  }

  /// sums + the gradients of the listed tokens; several are loaded at once.
  Values plusListed(ArrayRef<Value> before) {
    constexpr int64_t kAhead = 4;
    return loop(
        index(0), index(kHalfWarps), 1, before,
        [&](Value h, ArrayRef<Value> sums) {
          Value count = toIndex(loadOne(counts, {h})),
                whole = mul(div(count, kAhead), kAhead);
          auto tokensFrom = [&](Value i, int64_t many) {
            Values tokens;
            for (int64_t k = 0; k < many; ++k)
              tokens.push_back(toIndex(loadOne(lists, {h, add(i, k)})));
            return tokens;
          };
          Values next = loop(index(0), whole, kAhead, sums,
                             [&](Value i, ArrayRef<Value> now) {
                               return plusTokens(now, tokensFrom(i, kAhead));
                             });
          return loop(whole, count, 1, next, [&](Value i, ArrayRef<Value> now) {
            return plusTokens(now, tokensFrom(i, 1));
          });
        });
  }

  void addAll() {
    Type element = table.getElementType();
    Values sums;
    forColumns([&](int64_t, Value column, Value mask) {
      sums.push_back(
          widened(operands.startsFromZeros
                      ? constantVector(element, 0)
                      : loadVector(operands.out, {row, column}, mask)));
    });
    sums = loop(index(0), index(ids.getNumElements()), kPiece, sums,
                [&](Value first, ArrayRef<Value> now) {
                  listTokens(first);
                  syncBlock(b, loc);
                  Values next = plusListed(now);
                  syncBlock(b, loc);
                  return next;
                });
    forColumns([&](int64_t i, Value column, Value mask) {
      auto type = VectorType::get({lanes.width}, element);
      Value rounded = nn::isHalf(element)
                          ? arith::TruncFOp::create(b, loc, type, sums[i])
                          : sums[i];
      storeVector(rounded, operands.out, {row, column}, mask);
    });
  }
};

} // namespace

void zero::emitBlockScatter(func::FuncOp kernel, OpBuilder &b,
                            nn::EmbeddingBackwardOp op, KernelViews &views,
                            const ScatterOperands &operands) {
  BlockScatter scatter(b, op, views, operands);
  auto set = [&](StringRef name, int64_t number) {
    kernel->setAttr(name, b.getI64IntegerAttr(number));
  };
  set(kUnitPartsAttr, scatter.countParts());
  set(kSharedBytesAttr, BlockScatter::kSharedBytes);
  scatter.emit(views.lanes.thread, views.begin, views.end);
}
