//===- ScatterKernel.cpp - Adding token gradients into a table ------------===//
//
// Units are columns: each thread walks all tokens in order for its own columns,
// so no two threads touch one element, and every element is summed in token
// order.  A GPU has more threads than there are columns, and computes the same
// sums by rows (gpu/BlockScatter.cpp).
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/Precision.h"
#include "passes/codegen/KernelCode.h"
#include "passes/codegen/loops/ScatterSums.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class ThreadScatter : public ScatterSums {
public:
  ThreadScatter(OpBuilder &b, nn::EmbeddingBackwardOp op, KernelViews &views,
                const ScatterOperands &operands)
      : ScatterSums(b, op, views, operands) {
    if (!nn::isHalf(table.getElementType()))
      return;
    int64_t vectors = llvm::divideCeil(table.getDimSize(1), lanes.stride);
    sum = memref::AllocaOp::create(
        b, loc, MemRefType::get({vectors * lanes.width}, b.getF32Type()),
        b.getI64IntegerAttr(16));
  }

  void emit() {
    Value first = index(0);
    if (operands.startsFromZeros)
      loop(first, index(table.getDimSize(0)), 1, {},
           [&](Value row, ArrayRef<Value>) {
             clearRow(row);
             return Values();
           });
    forTokens(first, [&](Value token, Value id) {
      if (sum)
        when(isNot(isBefore(token, id)), [&] { addAll(token, id); });
      else
        addToken(token, id);
    });
  }

private:
  /// For rows of 16 bits: the sum of each vector of this thread, side by side.
  Value sum;

  void forColumns(llvm::function_ref<void(Value, Value)> emit) {
    forVectors(views.begin, views.end, emit);
  }

  void forTokens(Value first, llvm::function_ref<void(Value, Value)> body) {
    loop(first, index(ids.getNumElements()), 1, {},
         [&](Value token, ArrayRef<Value>) {
           body(token, idOf(token));
           return Values();
         });
  }

  /// Whether a token before `end` has this id.
  Value isBefore(Value end, Value id) {
    Value never = arith::ConstantIntOp::create(b, loc, 0, 1);
    return loop(index(0), end, 1, {never},
                [&](Value token, ArrayRef<Value> seen) -> Values {
                  Value isSame = isEqual(idOf(token), id);
                  return {arith::OrIOp::create(b, loc, seen[0], isSame)};
                })[0];
  }

  void clearRow(Value row) {
    forColumns([&](Value column, Value mask) {
      storeVector(constantVector(table.getElementType(), 0), operands.out,
                  {row, column}, mask);
    });
  }

  void addToken(Value token, Value id) {
    Value row = toIndex(id);
    forColumns([&](Value column, Value mask) {
      Value old = loadVector(operands.out, {row, column}, mask);
      storeVector(addf(old, gradientOf(token, column, mask)), operands.out,
                  {row, column}, mask);
    });
  }

  /// Adds all tokens of a row of 16 bits, from the first of them on:
  ///
  ///   sum = out[id]
  ///   for j from `first` on: if tokens[j] = id: sum += grad[j]
  ///   out[id] = sum
  void addAll(Value first, Value id) {
    Value row = toIndex(id);
    auto placeOfSum = [&](Value column) {
      return mul(div(column, lanes.stride), lanes.width);
    };
    auto loadSum = [&](Value column) {
      return loadVector(sum, placeOfSum(column));
    };
    auto storeSum = [&](Value value, Value column) {
      storeVector(value, sum, placeOfSum(column));
    };
    forColumns([&](Value column, Value mask) {
      Value old = loadVector(operands.out, {row, column}, mask);
      storeSum(nn::widen(b, loc, old), column);
    });
    forTokens(first, [&](Value token, Value other) {
      when(isEqual(other, id), [&] {
        forColumns([&](Value column, Value mask) {
          Value term = nn::widen(b, loc, gradientOf(token, column, mask));
          storeSum(addf(loadSum(column), term), column);
        });
      });
    });
    forColumns([&](Value column, Value mask) {
      auto type = VectorType::get({lanes.width}, table.getElementType());
      Value rounded = arith::TruncFOp::create(b, loc, type, loadSum(column));
      storeVector(rounded, operands.out, {row, column}, mask);
    });
  }
};

} // namespace

LogicalResult zero::emitScatterKernel(func::FuncOp kernel, bool isHalfWarp) {
  nn::EmbeddingBackwardOp op;
  kernel.walk([&](nn::EmbeddingBackwardOp found) { op = found; });
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b, isHalfWarp);
  // A fresh table starts from zero; otherwise init's bytes are the result's.
  const bool isFresh = op.getInit().getDefiningOp<linalg::FillOp>();
  ScatterOperands operands = {views.operand(op.getTokens()),
                              views.operand(op.getGrad()),
                              views.result(op.getResult()), isFresh};
  if (!operands.tokens || !operands.grad || !operands.out)
    return op.emitError(
        "reads operands that are no views of the kernel's arguments");
  if (!isFresh && !isa<BlockArgument>(op.getInit()))
    return op.emitError(
        "starts from a value that is neither zeros nor an operand");
  if (isHalfWarp)
    emitBlockScatter(kernel, b, op, views, operands);
  else
    ThreadScatter(b, op, views, operands).emit();
  views.finish();
  return success();
}
