//===- ScatterKernel.cpp - Adding token gradients into a table ------------===//
//
// Units are columns: each thread walks all tokens in order for its own columns,
// so no two threads touch one element, and every element is summed in token
// order.  A GPU has more threads than there are columns, and computes the same
// sums by rows (gpu/HalfWarpScatter.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/loops/ScatterSums.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class ThreadScatter : public ScatterSums {
public:
  using ScatterSums::ScatterSums;

  void emit() {
    Value first = index(0);
    if (operands.startsFromZeros)
      loop(first, index(table.getDimSize(0)), 1, {},
           [&](Value row, ArrayRef<Value>) {
             clearRow(row);
             return Values();
           });
    forTokens(first, nullptr,
              [&](Value token, Value id) { addToken(token, id); });
  }

private:
  void forColumns(llvm::function_ref<void(Value, Value)> emit) override {
    forVectors(views.begin, views.end, emit);
  }

  void forTokens(Value first, Match match, Body body) override {
    loop(first, index(ids.getNumElements()), 1, {},
         [&](Value token, ArrayRef<Value>) {
           Value id = idOf(token);
           if (match)
             when(match(id), [&] { body(token, id); });
           else
             body(token, id);
           return Values();
         });
  }

  Value isBefore(Value end, Value id) override {
    Value never = arith::ConstantIntOp::create(b, loc, 0, 1);
    return loop(index(0), end, 1, {never},
                [&](Value token, ArrayRef<Value> seen) -> Values {
                  Value isSame = isEqual(idOf(token), id);
                  return {arith::OrIOp::create(b, loc, seen[0], isSame)};
                })[0];
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
    emitHalfWarpScatter(b, op, views, operands);
  else
    ThreadScatter(b, op, views, operands).emit();
  views.finish();
  return success();
}
