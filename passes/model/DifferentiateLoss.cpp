//===- DifferentiateLoss.cpp - Reverse mode on tensors --------------------===//
//
// 1. Find the model and check it (ModelFunction.h).
// 2. Generalise named linalg operations; let operations add the statistics that
//    their backward reads.
// 3. Activity: a value is active if it depends on a parameter and the loss
//    depends on it.  A frozen parameter counts as an input; the gradient of one
//    that only nn.detach reads is zero.
// 4. Walk backwards.  Each operation turns the adjoints of its results into
//    adjoints of its active operands; Adjoints.h sums them, in the order of the
//    walk.
// 5. Dropout that a product reads is computed again for the product's backward:
//    the adapters of several layers read one x, each with a mask of its own, so
//    only x is kept.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Adjoints.h"
#include "passes/model/Derivatives.h"
#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/zero/Zero.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-differentiate-loss"

namespace mlir::zero {
#define GEN_PASS_DEF_DIFFERENTIATELOSS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

//===----------------------------------------------------------------------===//
// 4. The walk
//===----------------------------------------------------------------------===//

class Differentiator {
public:
  /// With `scales` the adjoint of the loss is an argument of the step, else 1.
  Differentiator(func::FuncOp model, bool scales, GradDtype gradDtype)
      : model(model), scales(scales), gradDtype(gradDtype),
        b(model.getContext()), adjoints(b) {}

  LogicalResult run() {
    Block &body = model.getBody().front();
    auto returned = cast<func::ReturnOp>(body.getTerminator());
    Value loss = returned.getOperand(0);
    findActive(loss);
    if (failed(setGradientTypes()))
      return failure();
    b.setInsertionPoint(returned);
    adjoints.add(loss,
                 scales ? addLossScale(loss)
                        : nn::constant(b, loss.getLoc(), loss.getType(), 1.0));

    SmallVector<Operation *> forward;
    for (Operation &op : body.without_terminator())
      forward.push_back(&op);
    for (Operation *op : llvm::reverse(forward))
      if (failed(visit(op)))
        return failure();

    SmallVector<Value> results = {loss};
    SmallVector<Attribute> attrs = {
        named(kOutputAttr, b.getStringAttr("loss"))};
    for (BlockArgument arg : model.getArguments()) {
      StringAttr name = getTrained(arg);
      if (!name)
        continue;
      Value gradient = adjoints.get(arg);
      if (!gradient) {
        if (!isDetached(arg))
          emitWarning(arg.getLoc(), "parameter ")
              << name << " does not reach the loss; its gradient is zero";
        auto type = cast<RankedTensorType>(arg.getType());
        if (gradDtype == GradDtype::F32)
          type = type.clone(b.getF32Type());
        gradient = nn::zeros(b, arg.getLoc(), type);
      }
      results.push_back(gradient);
      attrs.push_back(named(kGradAttr, name));
    }
    func::ReturnOp::create(b, returned.getLoc(), results);
    returned.erase();
    model.setName("step");
    model.setType(b.getFunctionType(body.getArgumentTypes(),
                                    ValueRange(results).getTypes()));
    model.setResAttrsAttr(b.getArrayAttr(attrs));
    for (Operation *op : forward)
      if (auto dropout = dyn_cast<nn::DropoutOp>(op))
        dropAgain(dropout, forward.back());
    eraseDead(body);
    return success();
  }

private:
  func::FuncOp model;
  bool scales;
  GradDtype gradDtype;
  OpBuilder b;
  DenseSet<Value> active;
  /// For each value that depends on parameters, the first of them.
  DenseMap<Value, BlockArgument> origin;
  Adjoints adjoints;

  /// The name of a parameter that is trained; else null.
  StringAttr getTrained(BlockArgument arg) {
    unsigned i = arg.getArgNumber();
    return model.getArgAttr(i, kFrozenAttr)
               ? StringAttr()
               : model.getArgAttrOfType<StringAttr>(i, kParamAttr);
  }

  /// Whether only nn.detach reads a value, in its type or in another.
  static bool isDetached(Value value) {
    return !value.use_empty() &&
           llvm::all_of(value.getUsers(), [](Operation *user) {
             return isa<nn::DetachOp>(user) ||
                    (isa<arith::ExtFOp, arith::TruncFOp>(user) &&
                     isDetached(user->getResult(0)));
           });
  }

  Attribute named(StringRef name, Attribute value) {
    return b.getDictionaryAttr(b.getNamedAttr(name, value));
  }

  LogicalResult setGradientTypes() {
    if (gradDtype == GradDtype::OfParameters)
      return success();
    Type element = parseElementType(b.getContext(), stringify(gradDtype));
    for (BlockArgument arg : model.getArguments()) {
      StringAttr name = getTrained(arg);
      Type own = getElementTypeOrSelf(arg.getType());
      if (!name || own == element)
        continue;
      if (!element || !element.isF32() || !nn::isHalf(own))
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << arg.getType()
               << ", and grad-dtype=" << stringify(gradDtype)
               << "; gradients are f32 or what their parameters "
               << "are";
      adjoints.keepWide(arg);
    }
    return success();
  }

  Value addLossScale(Value loss) {
    unsigned place = model.getNumArguments();
    (void)model.insertArgument(place, loss.getType(),
                               b.getDictionaryAttr(b.getNamedAttr(
                                   kScalarAttr, b.getStringAttr(kLossScale))),
                               loss.getLoc());
    return model.getArgument(place);
  }

  void findActive(Value loss) {
    for (BlockArgument arg : model.getArguments())
      if (getTrained(arg))
        origin[arg] = arg;
    for (Operation &op : model.getBody().front()) {
      BlockArgument source;
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (!source)
            source = origin.lookup(operand);
      });
      // A float whose bits are read as an integer stays a dependency, so that
      // it is an error and not a gradient that is silently missing.
      if (source)
        for (Value result : op.getResults())
          if (carriesDerivative(result.getType()) || hidesDerivative(&op))
            origin[result] = source;
    }
    DenseSet<Value> needed = {loss};
    for (Operation &op : llvm::reverse(model.getBody().front())) {
      if (llvm::none_of(op.getResults(),
                        [&](Value result) { return needed.contains(result); }))
        continue;
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          needed.insert(operand);
      });
    }
    for (auto [value, source] : origin)
      if (needed.contains(value))
        active.insert(value);
  }

  /// The error for an operation that a parameter reaches.
  LogicalResult reject(Operation *op, const Twine &why) {
    InFlightDiagnostic error = op->emitError()
                               << "'" << op->getName() << "' " << why;
    noteParameter(*error.getUnderlyingDiagnostic(), op);
    return failure();
  }

  void noteParameter(Diagnostic &error, Operation *op) {
    for (Value value :
         llvm::concat<Value>(llvm::to_vector_of<Value>(op->getResults()),
                             llvm::to_vector_of<Value>(op->getOperands())))
      if (BlockArgument source = origin.lookup(value)) {
        error.attachNote(source.getLoc())
            << "parameter "
            << model.getArgAttrOfType<StringAttr>(source.getArgNumber(),
                                                  kParamAttr)
            << " reaches it";
        return;
      }
  }

  /// Rejects an operation without adjoint that nevertheless loses a dependency.
  LogicalResult checkUnvisited(Operation *op) {
    bool reads = llvm::any_of(op->getOperands(),
                              [&](Value v) { return origin.contains(v); });
    if (reads && !isMemoryEffectFree(op))
      return reject(
          op,
          "may have side effects, so it has no derivative; a loss is a pure "
          "function of tensors");
    if (reads && hidesDerivative(op) && active.contains(op->getResult(0)))
      return reject(op, "has no derivative: it reads a float as an integer");
    return success();
  }

  /// Lets operations after `lastForward` read a copy of `dropout`, if all
  /// others are products.
  void dropAgain(nn::DropoutOp dropout, Operation *lastForward) {
    // With the casts that round it.
    SmallVector<Operation *> chain = {dropout};
    while (chain.back()->hasOneUse() &&
           isa<arith::TruncFOp, arith::ExtFOp>(*chain.back()->user_begin()))
      chain.push_back(*chain.back()->user_begin());
    SmallVector<OpOperand *> late;
    for (OpOperand &use : chain.back()->getUses())
      if (lastForward->isBeforeInBlock(use.getOwner()))
        late.push_back(&use);
      else if (!isa<nn::LinearOp>(use.getOwner()))
        return;
    if (late.empty())
      return;
    auto first = llvm::min_element(late, [](OpOperand *x, OpOperand *y) {
      return x->getOwner()->isBeforeInBlock(y->getOwner());
    });
    b.setInsertionPoint((*first)->getOwner());
    IRMapping again;
    for (Operation *op : chain)
      b.clone(*op, again);
    for (OpOperand *use : late)
      use->set(again.lookup(chain.back()->getResult(0)));
  }

  LogicalResult visit(Operation *op) {
    SmallVector<Value> results;
    bool any = false;
    for (Value result : op->getResults()) {
      results.push_back(active.contains(result) ? adjoints.get(result)
                                                : Value());
      any |= results.back() != nullptr;
    }
    if (!any)
      return checkUnvisited(op);
    LDBG() << "derivative of " << op->getName() << " at " << op->getLoc();
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(active.contains(operand));
    // Values that a region captures have no operand to carry their adjoint.
    bool captures = false;
    for (Region &region : op->getRegions())
      region.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          captures |= active.contains(operand) &&
                      !region.isAncestor(operand.getParentRegion());
      });
    auto rule = dyn_cast<nn::DifferentiableOpInterface>(op);
    if (!rule)
      return reject(op, "has no derivative");
    if (captures)
      return reject(
          op, "has no derivative: its region reads a value from outside that "
              "depends on a parameter; pass it as an operand");
    if (isa<nn::NNDialect>(op->getDialect()) &&
        llvm::any_of(ArrayRef(results).drop_front(),
                     [](Value v) { return bool(v); }))
      return reject(op, "has no derivative through its statistics; use its "
                        "first result only");
    SmallVector<Value> operandAdjoints;
    {
      // Models report errors; only here is the parameter known that needs the
      // derivative.
      ScopedDiagnosticHandler addNote(
          op->getContext(), [&](Diagnostic &diagnostic) {
            if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
              noteParameter(diagnostic, op);
            return failure();
          });
      if (failed(rule.differentiate(b, results, needed, operandAdjoints)))
        return failure();
    }
    for (auto [operand, contribution] :
         llvm::zip(op->getOperands(), operandAdjoints))
      if (contribution && active.contains(operand))
        adjoints.add(operand, contribution);
    return success();
  }
};

struct DifferentiateLossPass
    : zero::impl::DifferentiateLossBase<DifferentiateLossPass> {
  using DifferentiateLossBase::DifferentiateLossBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModelFunction(getOperation());
    if (failed(model))
      return signalPassFailure();
    generalize(*model);
    prepare(*model);
    if (failed(Differentiator(*model, scalesLoss, gradDtype).run()))
      return signalPassFailure();
    forgetUnused(*model);
  }

  /// Removes what was kept for a backward that does not exist, because nothing
  /// before is trained.
  static void forgetUnused(func::FuncOp model) {
    SmallVector<Operation *> unused;
    model.walk([&](Operation *op) {
      if (isa<nn::AttentionOp, nn::GatedDeltaRuleOp>(op) &&
          op->getNumResults() > 1 && op->getResult(1).use_empty())
        unused.push_back(op);
    });
    for (Operation *op : unused) {
      Operation *plain = Operation::create(
          op->getLoc(), op->getName(),
          op->getResults().take_front(1).getTypes(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          /*successors=*/BlockRange(),
          /*numRegions=*/0);
      OpBuilder(op).insert(plain);
      op->getResult(0).replaceAllUsesWith(plain->getResult(0));
      op->erase();
    }
  }

  void prepare(func::FuncOp model) {
    SmallVector<nn::DifferentiableOpInterface> rules;
    IRRewriter rewriter(&getContext());
    model.walk([&](nn::DifferentiableOpInterface op) { rules.push_back(op); });
    for (nn::DifferentiableOpInterface op : rules)
      op.saveForBackward(rewriter);
    averageCounts(model);
  }

  /// Every rank and micro-step divides by the same count, their mean.  Counts
  /// of inputs go to the front, with what computes them: they wait for nothing,
  /// so their collective is over long before the loss needs it, and no kernel
  /// computes one beside what depends on another.
  void averageCounts(func::FuncOp model) {
    SmallVector<nn::CountValidOp> counts;
    model.walk([&](nn::CountValidOp op) { counts.push_back(op); });
    Operation *front = &model.getBody().front().front();
    OpBuilder b(&getContext());
    DenseSet<Operation *> isInFront; // counts may share what computes them
    BackwardSliceOptions withBodies;
    withBodies.omitUsesFromAbove = false; // constants that bodies read
    auto isInput = [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return !argument || argument.getOwner() != front->getBlock() ||
             model.getArgAttr(argument.getArgNumber(), kInputAttr) ||
             model.getArgAttr(argument.getArgNumber(), kScalarAttr);
    };
    for (nn::CountValidOp count : counts) {
      SetVector<Operation *> needed;
      (void)getBackwardSlice(count.getOperation(), &needed, withBodies);
      needed.insert(count);
      if (llvm::all_of(needed, [&](Operation *op) {
            return !isa<AverageOp>(op) &&
                   llvm::all_of(op->getOperands(), isInput);
          }))
        for (Operation *op : needed) {
          if (op == front)
            front = front->getNextNode();
          else if (!isInFront.contains(op))
            op->moveBefore(front);
          isInFront.insert(op);
        }
      b.setInsertionPointAfter(count);
      auto average = AverageOp::create(b, count.getLoc(), count.getType(),
                                       count.getResult());
      count.getResult().replaceAllUsesExcept(average, average);
    }
  }
};

} // namespace
