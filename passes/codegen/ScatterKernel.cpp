//===- ScatterKernel.cpp - Adding token gradients into a table ------------===//
//
// Units are columns: each thread walks all tokens in order for its own columns,
// so no two threads touch one element, and every element is summed in token
// order.  A GPU has more threads than there are columns, and computes the same
// sums by rows (gpu/GroupScatter.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/gpu/GroupScatter.h"
#include "passes/codegen/loops/KernelViews.h"
#include "passes/codegen/loops/VectorLoops.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

/// Calls `emit` for [begin, end) of `views`, in vectors.
static void
forColumns(OpBuilder &b, Location loc, KernelViews &views,
           llvm::function_ref<void(OpBuilder &, Value, Value)> emit) {
  forVectors(b, loc, views.lanes, views.begin, views.end, {},
             [&](OpBuilder &at, Value column, Value mask, ValueRange) {
               emit(at, column, mask);
               return SmallVector<Value>();
             });
}

/// Adds rows of 16 bits.  Each table row is summed in f32 at the first of its
/// tokens, over all that follow, and then rounded:
///
///   for i: if no token before i is tokens[i]:
///     sum = out[tokens[i]]
///     for j from i on: if tokens[j] = tokens[i]: sum += grad[j]
///     out[tokens[i]] = sum
static void emitSummedRows(OpBuilder &b, nn::EmbeddingBackwardOp op,
                           KernelViews &views, Value tokens, Value grad,
                           Value out) {
  Location loc = op.getLoc();
  RankedTensorType ids = op.getTokens().getType();
  Type wide = b.getF32Type();
  auto constant = [&](OpBuilder &at, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(at, loc, value);
  };
  Value zero = constant(b, 0), one = constant(b, 1),
        count = constant(b, ids.getNumElements());
  Value sum = memref::AllocaOp::create(
      b, loc, MemRefType::get({op.getInit().getType().getDimSize(1)}, wide));
  /// The index of token `i`, counted in row-major order.
  auto placeOf = [&](OpBuilder &at, Value i) {
    SmallVector<Value> place(ids.getRank());
    for (int64_t d = ids.getRank() - 1; d >= 0; --d) {
      Value extent = constant(at, ids.getDimSize(d));
      place[d] =
          d == 0 ? i : arith::RemUIOp::create(at, loc, i, extent).getResult();
      i = arith::DivUIOp::create(at, loc, i, extent);
    }
    return place;
  };
  auto idOf = [&](OpBuilder &at, Value i) -> Value {
    return memref::LoadOp::create(at, loc, tokens, placeOf(at, i));
  };
  auto isSame = [&](OpBuilder &at, Value i, Value id) -> Value {
    return arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, idOf(at, i),
                                 id);
  };
  auto widened = [&](OpBuilder &at, Value memref, ValueRange place,
                     Value mask) -> Value {
    return nn::widen(at, loc,
                     loadVector(at, loc, views.lanes, memref, place, mask));
  };

  auto outer = scf::ForOp::create(b, loc, zero, count, one);
  b = OpBuilder::atBlockBegin(outer.getBody());
  Value i = outer.getInductionVar(), id = idOf(b, i);
  Value never = arith::ConstantIntOp::create(b, loc, 0, 1);
  auto before = scf::ForOp::create(
      b, loc, zero, i, one, ValueRange{never},
      [&](OpBuilder &at, Location, Value j, ValueRange seen) {
        Value any = arith::OrIOp::create(at, loc, seen[0], isSame(at, j, id));
        scf::YieldOp::create(at, loc, any);
      });
  Value isFirst = arith::XOrIOp::create(
      b, loc, before.getResult(0), arith::ConstantIntOp::create(b, loc, 1, 1));
  auto first = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  b = OpBuilder::atBlockBegin(first.thenBlock());
  Value row = arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
  forColumns(b, loc, views, [&](OpBuilder &at, Value column, Value mask) {
    storeVector(at, loc, views.lanes, widened(at, out, {row, column}, mask),
                sum, {column}, mask);
  });
  auto rest = scf::ForOp::create(b, loc, i, count, one);
  OpBuilder at = OpBuilder::atBlockBegin(rest.getBody());
  Value j = rest.getInductionVar();
  auto same = scf::IfOp::create(at, loc, isSame(at, j, id),
                                /*withElseRegion=*/false);
  at = OpBuilder::atBlockBegin(same.thenBlock());
  SmallVector<Value> place = placeOf(at, j);
  forColumns(at, loc, views, [&](OpBuilder &inner, Value column, Value mask) {
    SmallVector<Value> source(place);
    source.push_back(column);
    Value next = arith::AddFOp::create(
        inner, loc, loadVector(inner, loc, views.lanes, sum, {column}, mask),
        widened(inner, grad, source, mask));
    storeVector(inner, loc, views.lanes, next, sum, {column}, mask);
  });
  b.setInsertionPointAfter(rest);
  forColumns(b, loc, views, [&](OpBuilder &inner, Value column, Value mask) {
    Type narrow = cast<MemRefType>(out.getType()).getElementType();
    Value rounded = arith::TruncFOp::create(
        inner, loc, VectorType::get({views.lanes.width}, narrow),
        loadVector(inner, loc, views.lanes, sum, {column}, mask));
    storeVector(inner, loc, views.lanes, rounded, out, {row, column}, mask);
  });
}

LogicalResult zero::emitScatterKernel(func::FuncOp kernel, bool isGroup) {
  nn::EmbeddingBackwardOp op;
  kernel.walk([&](nn::EmbeddingBackwardOp found) { op = found; });
  Location loc = op.getLoc();
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b, isGroup);
  Value tokens = views.operand(op.getTokens()),
        grad = views.operand(op.getGrad()), out = views.result(op.getResult());
  if (!tokens || !grad || !out)
    return op.emitError(
        "reads operands that are no views of the kernel's arguments");

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Type element = op.getInit().getType().getElementType();

  // A fresh table starts from zero; otherwise init's bytes are the result's.
  const bool isFresh = op.getInit().getDefiningOp<linalg::FillOp>();
  if (!isFresh && !isa<BlockArgument>(op.getInit()))
    return op.emitError(
        "starts from a value that is neither zeros nor an operand");
  if (isGroup) {
    emitGroupScatter(b, op, views, {tokens, grad, out}, isFresh);
    views.finish();
    return success();
  }
  if (isFresh) {
    Value rows = arith::ConstantIndexOp::create(
        b, loc, op.getInit().getType().getDimSize(0));
    auto loop = scf::ForOp::create(b, loc, zero, rows, one);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    forVectors(inner, loc, views.lanes, views.begin, views.end, {},
               [&](OpBuilder &at, Value column, Value mask, ValueRange) {
                 auto type = VectorType::get({views.lanes.width}, element);
                 Value zeros =
                     arith::ConstantOp::create(at, loc, at.getZeroAttr(type));
                 storeVector(at, loc, views.lanes, zeros, out,
                             {loop.getInductionVar(), column}, mask);
                 return SmallVector<Value>();
               });
  }

  if (nn::isHalf(element)) {
    emitSummedRows(b, op, views, tokens, grad, out);
    views.finish();
    return success();
  }
  SmallVector<Value> position;
  OpBuilder at = b;
  for (int64_t extent : op.getTokens().getType().getShape()) {
    Value upper = arith::ConstantIndexOp::create(at, loc, extent);
    auto loop = scf::ForOp::create(at, loc, zero, upper, one);
    position.push_back(loop.getInductionVar());
    at = OpBuilder::atBlockBegin(loop.getBody());
  }
  Value id = memref::LoadOp::create(at, loc, tokens, position);
  Value row = arith::IndexCastOp::create(at, loc, at.getIndexType(), id);
  forVectors(
      at, loc, views.lanes, views.begin, views.end, {},
      [&](OpBuilder &inner, Value column, Value mask, ValueRange) {
        SmallVector<Value> source(position);
        source.push_back(column);
        Value old =
            loadVector(inner, loc, views.lanes, out, {row, column}, mask);
        Value term = loadVector(inner, loc, views.lanes, grad, source, mask);
        Value sum = arith::AddFOp::create(inner, loc, old, term);
        storeVector(inner, loc, views.lanes, sum, out, {row, column}, mask);
        return SmallVector<Value>();
      });
  views.finish();
  return success();
}
