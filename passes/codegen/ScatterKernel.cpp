//===- ScatterKernel.cpp - Adding token gradients into a table ------------===//
//
// Units are columns: each thread walks all tokens in order for its own columns,
// so no two threads touch one element and every element is summed in token
// order.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/KernelViews.h"
#include "passes/codegen/VectorLoops.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

LogicalResult zero::emitScatterKernel(func::FuncOp kernel) {
  nn::EmbeddingBackwardOp op;
  kernel.walk([&](nn::EmbeddingBackwardOp found) { op = found; });
  Location loc = op.getLoc();
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b);
  Value tokens = views.operand(op.getTokens()),
        grad = views.operand(op.getGrad()), out = views.result(op.getResult());
  if (!tokens || !grad || !out)
    return op.emitError(
        "reads operands that are no views of the kernel's arguments");

  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Type element = op.getInit().getType().getElementType();

  // A fresh table starts from zero; otherwise init's bytes are the result's.
  if (op.getInit().getDefiningOp<linalg::FillOp>()) {
    Value rows = arith::ConstantIndexOp::create(
        b, loc, op.getInit().getType().getDimSize(0));
    auto loop = scf::ForOp::create(b, loc, zero, rows, one);
    OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
    forVectors(inner, loc, views.begin, views.end, {},
               [&](OpBuilder &at, Value column, Value mask, ValueRange) {
                 auto type = VectorType::get({kLanes}, element);
                 Value zeros =
                     arith::ConstantOp::create(at, loc, at.getZeroAttr(type));
                 storeVector(at, loc, zeros, out,
                             {loop.getInductionVar(), column}, mask);
                 return SmallVector<Value>();
               });
  } else if (!isa<BlockArgument>(op.getInit())) {
    return op.emitError(
        "starts from a value that is neither zeros nor an operand");
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
  forVectors(at, loc, views.begin, views.end, {},
             [&](OpBuilder &inner, Value column, Value mask, ValueRange) {
               SmallVector<Value> source(position);
               source.push_back(column);
               Value old = loadVector(inner, loc, out, {row, column}, mask);
               Value term = loadVector(inner, loc, grad, source, mask);
               Value sum = arith::AddFOp::create(inner, loc, old, term);
               storeVector(inner, loc, sum, out, {row, column}, mask);
               return SmallVector<Value>();
             });
  views.finish();
  return success();
}
