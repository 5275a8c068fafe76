//===- AddIntoMatmuls.cpp - Short products add to longer ones -------------===//
//
// An adapter adds a product, with as many terms as its rank, to the product of
// its layer.  Stored separately it takes as much memory as the layer's result,
// and a kernel has to read both.  Computed into the bytes of the layer's result
// it takes none:
//
//   %y = nn.matmul %x, %w                 %y = nn.matmul %x, %w
//   %more = nn.matmul %low, %up      =>   %sum = nn.matmul %low, %up init(%y)
//   %sum = arith.addf %y, %more
//
// In f32 a sum of at most kShort terms is added in one piece, so the bits stay
// the same; with 16 bits there is one rounding less.  The layer's result must
// have no other reader.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-add-into-matmuls"

namespace mlir::zero {
#define GEN_PASS_DEF_ADDINTOMATMULS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;

namespace {

/// The longest sum that is added to another.
constexpr int64_t kShort = 128;

/// A product that only a sum reads, through `views`, in order from the product
/// on.
struct Summand {
  nn::MatmulOp product;
  SmallVector<Operation *> views;
};

Summand summandOf(Value value) {
  Summand found;
  while (value.hasOneUse()) {
    Operation *def = value.getDefiningOp();
    if (auto product = dyn_cast_or_null<nn::MatmulOp>(def)) {
      found.product = product;
      std::reverse(found.views.begin(), found.views.end());
      return found;
    }
    if (!isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
      break;
    found.views.push_back(def);
    value = def->getOperand(0);
  }
  return {};
}

/// x + y, possibly widened from 16 bits and rounded to them; other operations
/// read only `result`.
struct Addition {
  Value x, y, result;
};

/// The value that `value` was widened from, if nothing else reads `value`.
Value widenedFrom(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend && value.hasOneUse() ? extend.getIn() : Value();
}

/// The addition as products can do it: in the element type of both.
Addition additionOf(arith::AddFOp op) {
  Addition whole{op.getLhs(), op.getRhs(), op.getResult()};
  Value x = widenedFrom(op.getLhs()), y = widenedFrom(op.getRhs());
  if (!x || !y || x.getType() != y.getType() || !op.getResult().hasOneUse())
    return whole;
  auto round = dyn_cast<arith::TruncFOp>(*op.getResult().user_begin());
  if (!round || round.getType() != x.getType())
    return whole;
  return {x, y, round.getResult()};
}

bool isShort(nn::MatmulOp product) {
  return product.getK() <= kShort && !product.getInit() && !product.getBias();
}

/// Erases `op` if nothing reads it, and operations that only it read.
void eraseUnread(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  llvm::SetVector<Operation *> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      sources.insert(source);
  op->erase();
  llvm::for_each(sources, eraseUnread);
}

void addIntoMatmul(arith::AddFOp op) {
  Addition addition = additionOf(op);
  Summand into = summandOf(addition.x), added = summandOf(addition.y);
  if (!into.product || !added.product ||
      into.product.getType() != added.product.getType())
    return;
  if (!isShort(added.product))
    std::swap(into, added);
  if (!isShort(added.product) ||
      (!into.product.getInit() && into.product.getK() <= added.product.getK()))
    return;
  LDBG() << "adds " << added.product << " to " << into.product;
  OpBuilder b(addition.result.getDefiningOp());
  nn::MatmulOp product = added.product;
  Value sum = nn::MatmulOp::create(
      b, product.getLoc(), product.getType(), product.getA(), product.getB(),
      /*bias=*/Value(), /*init=*/into.product.getResult(),
      product.getTransposeA(), product.getTransposeB());
  for (Operation *view : added.views) {
    IRMapping map;
    map.map(view->getOperand(0), sum);
    sum = b.clone(*view, map)->getResult(0);
  }
  addition.result.replaceAllUsesWith(sum);
  eraseUnread(addition.result.getDefiningOp());
}

struct AddIntoMatmulsPass : zero::impl::AddIntoMatmulsBase<AddIntoMatmulsPass> {
  void runOnOperation() override {
    SmallVector<arith::AddFOp> additions;
    zero::walkFunctions(getOperation(), [&](arith::AddFOp op) {
      if (isa<RankedTensorType>(op.getType()))
        additions.push_back(op);
    });
    llvm::for_each(additions, addIntoMatmul);
  }
};

} // namespace
