//===- GroupRankedSum.cpp - Sums over ranks by groups of threads ----------===//
//
// zrt_ranked_sum_FROM_TO(contributions, how, result, elements): what a collective
// that adds does on the host (runtime/transport/RankedSum.cpp), bit for bit.  A
// unit is an element; a group of 16 threads has 256 of them, a thread takes 16:
//
//   sum = x[0][i] + x[1][i] + ...    in rank order, in f32 (f64 where they are)
//   sum = sum * scale
//   sum = sum + result[i]            where `accumulate`
//   result[i] = sum                  rounded once
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/GroupRankedSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/VectorLoops.h"
#include "passes/codegen/gpu/BlockCode.h"
#include "passes/codegen/gpu/GroupBuffers.h"
#include "passes/codegen/gpu/GroupSquares.h"
#include "passes/codegen/gpu/Shuffle.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class SumBuilder {
public:
  SumBuilder(OpBuilder &builder, Location loc, const RankedSum &sum)
      : code(builder, loc), b(builder), loc(loc), sum(sum),
        wide(sum.from.isF64() ? sum.from : b.getF32Type()) {}

  void build(func::FuncOp function) {
    Value thread = function.getArgument(3), begin = function.getArgument(5),
          end = function.getArgument(6);
    Value how = code.viewAll(function.getArgument(1), code.index(4));
    ranks = loadIndex(how, 0);
    stride = loadIndex(how, 1);
    Value bits = loadInteger(how, 2);
    scale = toWide(arith::BitcastOp::create(b, loc, b.getF64Type(), bits));
    accumulates = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, loadInteger(how, 3),
        arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0)));
    contributions = code.viewAll(function.getArgument(0),
                                 arith::MulIOp::create(b, loc, ranks, stride));
    result = code.viewAll(function.getArgument(2), end);
    code.loop(code.add(begin, thread), end, kGroupThreads, {},
              [&](Value i, ArrayRef<Value>) -> Values {
                addUp(i);
                return {};
              });
  }

private:
  Value loadInteger(Value how, int64_t at) {
    return memref::LoadOp::create(b, loc, how, code.index(at));
  }
  Value loadIndex(Value how, int64_t at) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      loadInteger(how, at));
  }
  /// In the type of the sum.
  Value toWide(Value x) {
    const unsigned has = x.getType().getIntOrFloatBitWidth(),
                   needs = wide.getIntOrFloatBitWidth();
    if (has < needs)
      return arith::ExtFOp::create(b, loc, wide, x);
    return has > needs ? Value(arith::TruncFOp::create(b, loc, wide, x)) : x;
  }

  void addUp(Value i) {
    Value first = toWide(memref::LoadOp::create(b, loc, contributions, i));
    Value all = code.loop(
        code.index(1), ranks, 1, {first},
        [&](Value rank, ArrayRef<Value> carried) -> Values {
          Value at = code.add(arith::MulIOp::create(b, loc, rank, stride), i);
          Value x = toWide(memref::LoadOp::create(b, loc, contributions, at));
          return {code.addf(carried[0], x)};
        })[0];
    all = code.mulf(all, scale);
    all = code.ifThen(accumulates, {all}, [&]() -> Values {
      return {
          code.addf(all, toWide(memref::LoadOp::create(b, loc, result, i)))};
    })[0];
    if (sum.to != wide)
      all = arith::TruncFOp::create(b, loc, sum.to, all);
    memref::StoreOp::create(b, loc, all, result, i);
  }

  BlockCode code;
  OpBuilder &b;
  Location loc;
  const RankedSum &sum;
  Type wide; ///< of the sum
  Value ranks, stride, scale, accumulates, contributions, result;
};

} // namespace

void zero::emitRankedSum(ModuleOp module, const RankedSum &sum) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type index = b.getIndexType();
  auto function = func::FuncOp::create(
      b, loc,
      "zrt_ranked_sum_" + debugString(sum.from) + "_" + debugString(sum.to),
      b.getFunctionType(
          {MemRefType::get({}, sum.from), MemRefType::get({}, b.getI64Type()),
           MemRefType::get({}, sum.to), index,
           MemRefType::get({kMaxSharedBytes}, b.getI8Type()), index, index},
          {}));
  function.setPrivate();
  function->setAttr(kGroupUnitsAttr, b.getI64IntegerAttr(16 * kGroupThreads));
  function->setAttr(kUnitElementsAttr, b.getI64IntegerAttr(1));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&function.front());
  SumBuilder(b, loc, sum).build(function);
}
