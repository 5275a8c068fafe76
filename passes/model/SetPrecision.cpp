//===- SetPrecision.cpp - Chooses the tensors of 16 bits ------------------===//
//
// Operations are visited in program order.  Once visited, an operation is
// final: its results have 16 bits or are f32.  An operation that works on f32
// reads a 16-bit operand through an `arith.extf`, one for all readers, before
// the first of them; a result that is to be rounded gets an `arith.truncf`,
// which takes over its readers.
//
// Passes.td has a table of the operations that round.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-set-precision"

namespace mlir::zero {
#define GEN_PASS_DEF_SETPRECISION
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

bool isTensorOf(Type type, llvm::function_ref<bool(Type)> matches) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && matches(tensor.getElementType());
}
bool isWide(Type type) {
  return isTensorOf(type, [](Type element) { return element.isF32(); });
}

/// Whether `op` computes nothing that needs more than the digits of 16 bits:
/// sums, products and choices.
bool isPlain(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::SelectOp, arith::CmpFOp,
             arith::ConstantOp, math::AbsFOp, linalg::YieldOp>(op);
}

/// Whether `op` is a linalg operation without sums.
bool isParallel(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && !isa<linalg::FillOp>(op) &&
         structured.getNumReductionLoops() == 0;
}

bool isElementwise(Operation *op) {
  if (op->hasTrait<nn::IsPlain>())
    return true;
  if (OpTrait::hasElementwiseMappableTraits(op))
    return isPlain(op);
  return isParallel(op) &&
         llvm::all_of(*cast<linalg::LinalgOp>(op).getBlock(),
                      [](Operation &inner) { return isPlain(&inner); });
}

/// Whether the result of `op` consists of unchanged elements of its operands.
bool isMove(Operation *op) {
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
      op->hasTrait<nn::MovesElements>())
    return true;
  // A broadcast is no move: it repeats elements, whose adjoints are added.
  return isParallel(op) && op->getNumResults() == 1 &&
         llvm::hasSingleElement(*cast<linalg::LinalgOp>(op).getBlock()) &&
         llvm::all_of(cast<linalg::LinalgOp>(op).getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); });
}

/// Whether `op` is a product of matrices; one with a vector counts as a sum.
bool isMatmul(Operation *op) {
  if (op->hasTrait<nn::RoundsFactors>())
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !linalg::isaContractionOpInterface(structured))
    return false;
  FailureOr<linalg::ContractionDimensions> loops =
      linalg::inferContractionDims(structured);
  return succeeded(loops) && !loops->m.empty() && !loops->n.empty();
}

/// Whether `value` is the same for any parameters and inputs.
bool isFixed(Value value) {
  Operation *def = value.getDefiningOp();
  return def && (def->hasTrait<OpTrait::ConstantLike>() ||
                 isa<linalg::FillOp, tensor::EmptyOp>(def));
}

class Narrowing {
public:
  Narrowing(func::FuncOp model, Type narrow)
      : block(model.getBody().front()), b(model.getContext()), narrow(narrow) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

private:
  Block &block;
  OpBuilder b;
  Type narrow;
  /// The f32 form of a 16-bit value.
  DenseMap<Value, Value> widened;

  bool isQuantized(Value value) {
    return isTensorOf(value.getType(),
                      [&](Type element) { return element == narrow; });
  }
  Type narrowed(Type type) {
    return cast<RankedTensorType>(type).clone(narrow);
  }

  void visit(Operation *op) {
    b.setInsertionPoint(op);
    if (isMatmul(op)) {
      for (OpOperand &operand : op->getOpOperands().take_front(2))
        operand.set(round(operand.get()));
      widenOperands(op);
      return roundResults(op);
    }
    if (op->hasTrait<nn::RoundsAll>()) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(round(operand.get()));
      op->getResult(0).setType(narrowed(op->getResult(0).getType()));
      return;
    }
    if (isMove(op) && readsOnlyNarrow(op))
      return retype(op);
    const bool rounds =
        op->hasTrait<nn::RoundsResult>() ||
        (isElementwise(op) && readsOnlyNarrow(op) && !isOnlySummed(op));
    widenOperands(op);
    if (rounds)
      roundResults(op);
  }

  /// Whether an operand has 16 bits, and none is f32 unless it is fixed.
  bool readsOnlyNarrow(Operation *op) {
    bool any = false;
    for (Value operand : op->getOperands()) {
      any |= isQuantized(operand);
      if (isWide(operand.getType()) && !isFixed(operand))
        return false;
    }
    return any;
  }

  /// Whether all readers are sums, which lose digits if their terms are
  /// rounded.
  static bool isOnlySummed(Operation *op) {
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [](Operation *user) {
             auto sum = dyn_cast<linalg::LinalgOp>(user);
             return sum && sum.getNumReductionLoops() > 0 && !isMatmul(user);
           });
  }

  /// Makes an operation that moves elements move those of 16 bits.
  void retype(Operation *op) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &init : structured.getDpsInitsMutable()) {
        auto type = cast<RankedTensorType>(init.get().getType());
        if (!isQuantized(init.get()))
          init.set(tensor::EmptyOp::create(b, op->getLoc(), type.getShape(),
                                           narrow));
      }
      for (BlockArgument argument : structured.getBlock()->getArguments())
        if (argument.getType().isF32())
          argument.setType(narrow);
    } else {
      for (OpOperand &operand : op->getOpOperands())
        if (isWide(operand.get().getType()))
          operand.set(round(operand.get()));
    }
    op->getResult(0).setType(narrowed(op->getResult(0).getType()));
  }

  /// The 16-bit form of `value`, before the operation that is visited.
  Value round(Value value) {
    if (!isWide(value.getType()))
      return value;
    return arith::TruncFOp::create(b, value.getLoc(), narrowed(value.getType()),
                                   value);
  }

  void widenOperands(Operation *op) {
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (isQuantized(operand.get()) &&
            operand.get().getParentBlock() == &block)
          operand.set(widen(operand.get()));
    });
  }

  Value widen(Value value) {
    Value &wide = widened[value];
    if (!wide)
      wide = arith::ExtFOp::create(
          b, value.getLoc(),
          cast<RankedTensorType>(value.getType()).clone(b.getF32Type()), value);
    return wide;
  }

  void roundResults(Operation *op) {
    b.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      if (!isWide(result.getType()))
        continue;
      LDBG() << "rounds " << op->getName() << " at " << op->getLoc();
      Value rounded = arith::TruncFOp::create(
          b, op->getLoc(), narrowed(result.getType()), result);
      result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
  }
};

struct SetPrecisionPass : zero::impl::SetPrecisionBase<SetPrecisionPass> {
  using SetPrecisionBase::SetPrecisionBase;

  void runOnOperation() override {
    Builder types(&getContext());
    if (precision == Precision::FP32)
      return;
    const Type narrow = precision == Precision::BF16 ? Type(types.getBF16Type())
                                                     : types.getF16Type();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(narrowModel(function, narrow)))
        return signalPassFailure();
  }

  /// Skips functions that are no model: DifferentiateLoss reports what is
  /// wrong.
  LogicalResult narrowModel(func::FuncOp function, Type narrow) {
    if (!hasParameters(function) || !function.getBody().hasOneBlock())
      return success();
    for (BlockArgument argument : function.getArguments()) {
      Attribute name = function.getArgAttr(argument.getArgNumber(), kParamAttr);
      if (!name)
        continue;
      if (!isWide(argument.getType()))
        return emitError(argument.getLoc(), "parameter ")
               << name << " is " << argument.getType()
               << "; --precision=" << stringify(precision)
               << " rounds the parameters of a model of f32, so give it f32 "
                  "here or drop the option";
      argument.setType(
          cast<RankedTensorType>(argument.getType()).clone(narrow));
    }
    function.setType(FunctionType::get(
        &getContext(), function.getBody().front().getArgumentTypes(),
        function.getResultTypes()));
    Narrowing(function, narrow).run();
    return success();
  }
};

} // namespace
