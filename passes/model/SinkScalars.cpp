//===- SinkScalars.cpp - Computes scalars where they are read -------------===//
//
// A step is made of tensors: no scalar passes between its kernels.  A scalar
// that is computed from elements of tensors and from constants, outside of any
// generic, is computed again in the body of each generic that reads it.
//
//   %n = tensor.extract %lengths[%c0] : tensor<2xi32>
//   %m = arith.sitofp %n : i32 to f32
//   %y = linalg.generic ... { arith.mulf %in, %m }
// becomes
//   %y = linalg.generic ... {
//     %n = tensor.extract %lengths[%c0]
//     %m = arith.sitofp %n
//     arith.mulf %in, %m
//   }
//
// A tensor that is made of one scalar becomes a generic first.  So does the
// border of a pad if it is computed, from elements or from indices; the padded
// tensor is then inserted into the border.
//
//===----------------------------------------------------------------------===//

#include "passes/model/LoopsOfGeneric.h"
#include "passes/model/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-sink-scalars"

namespace mlir::zero {
#define GEN_PASS_DEF_SINKSCALARS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Whether `value` is a scalar that an operation outside of generics computes.
bool isComputedScalar(Value value) {
  Operation *def = value.getDefiningOp();
  return def && value.getType().isIntOrIndexOrFloat() &&
         !isa<arith::ConstantOp>(def) && isMemoryEffectFree(def) &&
         def->getNumRegions() == 0 && !def->getParentOfType<linalg::LinalgOp>();
}

/// The computed scalar that all elements of the result have; null if there is
/// none.
Value splattedScalar(Operation *op) {
  Value scalar;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    scalar = fill.getInputs()[0];
  else if (auto splat = dyn_cast<tensor::SplatOp>(op))
    scalar = splat.getInput();
  else if (auto tensor = dyn_cast<tensor::FromElementsOp>(op);
           tensor && tensor.getElements().size() == 1)
    scalar = tensor.getElements()[0];
  return scalar && isComputedScalar(scalar) ? scalar : Value();
}

/// A generic that computes each element of `type` by `body`, which yields it
/// for the indices that are its arguments.
Value computePlaces(OpBuilder &b, Location loc, RankedTensorType type,
                    Region &body) {
  return emitParallel(
      b, loc, type, {}, {}, [&](OpBuilder &nested, Location at, ValueRange) {
        IRMapping map;
        for (BlockArgument place : body.getArguments())
          map.map(place,
                  linalg::IndexOp::create(nested, at, place.getArgNumber()));
        for (Operation &op : body.front().without_terminator())
          nested.clone(op, map);
        linalg::YieldOp::create(
            nested, at,
            map.lookupOrDefault(body.front().getTerminator()->getOperand(0)));
      });
}

/// Whether `body` is a block of operations that a generic may have.
bool isStraight(Region &body) {
  return body.hasOneBlock() && llvm::all_of(body.front(), [](Operation &op) {
           return op.getNumRegions() == 0;
         });
}

/// The border of `pad`, as a whole tensor: of one scalar, or of values that its
/// body computes from indices.
Value makeBorder(OpBuilder &b, tensor::PadOp pad) {
  RankedTensorType type = pad.getResultType();
  if (Value scalar = pad.getConstantPaddingValue()) {
    Value empty = tensor::EmptyOp::create(b, pad.getLoc(), type.getShape(),
                                          type.getElementType());
    return linalg::FillOp::create(b, pad.getLoc(), scalar, empty).getResult(0);
  }
  return computePlaces(b, pad.getLoc(), type, pad.getRegion());
}

/// Replaces `pad`, of a known size, by its border with the source inserted.
void splitPad(tensor::PadOp pad) {
  OpBuilder b(pad);
  RankedTensorType source = pad.getSourceType();
  Value border = makeBorder(b, pad);
  SmallVector<OpFoldResult> sizes, ones(source.getRank(), b.getIndexAttr(1));
  for (int64_t size : source.getShape())
    sizes.push_back(b.getIndexAttr(size));
  pad.replaceAllUsesWith(
      tensor::InsertSliceOp::create(b, pad.getLoc(), pad.getSource(), border,
                                    pad.getMixedLowPad(), sizes, ones)
          .getResult());
  pad.erase();
}

bool hasComputedBorder(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  bool isComputed =
      value ? isComputedScalar(value) : isStraight(pad.getRegion());
  auto isPadding = [](int64_t size) { return size >= 0; };
  return isComputed && pad.getResultType().hasStaticShape() &&
         pad.getSourceType().hasStaticShape() &&
         llvm::all_of(pad.getStaticLow(), isPadding) &&
         llvm::all_of(pad.getStaticHigh(), isPadding);
}

void makeGeneric(Operation *op, Value scalar) {
  OpBuilder b(op);
  Value elements = emitParallel(
      b, op->getLoc(), cast<RankedTensorType>(op->getResult(0).getType()), {},
      {}, [&](OpBuilder &nested, Location loc, ValueRange) {
        linalg::YieldOp::create(nested, loc, scalar);
      });
  op->replaceAllUsesWith(ValueRange(elements));
  op->erase();
}

/// Clones the operations that compute `scalar` at the builder's position.
Value cloneInto(OpBuilder &b, Value scalar, IRMapping &map) {
  if (!isComputedScalar(scalar))
    return scalar;
  if (Value known = map.lookupOrNull(scalar))
    return known;
  Operation *def = scalar.getDefiningOp();
  for (Value operand : def->getOperands())
    map.map(operand, cloneInto(b, operand, map));
  b.clone(*def, map);
  return map.lookup(scalar);
}

void sinkInto(linalg::GenericOp op) {
  Block *body = op.getBody();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  IRMapping map;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isComputedScalar(operand->get()))
      op.getMatchingBlockArgument(operand).replaceAllUsesWith(
          cloneInto(b, operand->get(), map));
  SmallVector<OpOperand *> captured;
  for (Operation &inner : *body)
    for (OpOperand &operand : inner.getOpOperands())
      if (isComputedScalar(operand.get()))
        captured.push_back(&operand);
  for (OpOperand *operand : captured) {
    LDBG() << "at " << op.getLoc() << " sinks " << operand->get();
    operand->set(cloneInto(b, operand->get(), map));
  }
}

struct SinkScalarsPass : zero::impl::SinkScalarsBase<SinkScalarsPass> {
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (hasComputedBorder(pad))
        pads.push_back(pad);
    });
    llvm::for_each(pads, splitPad);
    SmallVector<tensor::GenerateOp> generated;
    getOperation().walk([&](tensor::GenerateOp op) {
      if (isStraight(op.getBody()) &&
          cast<RankedTensorType>(op.getType()).hasStaticShape())
        generated.push_back(op);
    });
    for (tensor::GenerateOp op : generated) {
      OpBuilder b(op);
      op.replaceAllUsesWith(computePlaces(
          b, op.getLoc(), cast<RankedTensorType>(op.getType()), op.getBody()));
      op.erase();
    }
    SmallVector<Operation *> splats;
    getOperation().walk([&](Operation *op) {
      if (splattedScalar(op))
        splats.push_back(op);
    });
    for (Operation *op : splats)
      makeGeneric(op, splattedScalar(op));
    getOperation().walk([](linalg::GenericOp op) { sinkInto(op); });

    // Removes operations and operands that nothing reads, above all scalar
    // operands.
    RewritePatternSet patterns(&getContext());
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
