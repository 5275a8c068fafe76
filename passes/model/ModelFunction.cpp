//===- ModelFunction.cpp - The function that is trained -------------------===//

#include "passes/model/ModelFunction.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::zero;

bool zero::hasParameters(func::FuncOp function) {
  return llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
    return function.getArgAttr(i, kParamAttr) != nullptr;
  });
}

void zero::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void zero::removeDropout(func::FuncOp function) {
  function.walk([](nn::DropoutOp op) {
    op.getResult().replaceAllUsesWith(op.getX());
    op.erase();
  });
  function.walk([](nn::AttentionOp op) {
    op.getKeysMutable().clear();
    op.removeRateAttr();
    op.removePlaceAttr();
  });
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<FloatType>(tensor.getElementType());
}

static LogicalResult checkModel(func::FuncOp model) {
  if (!model.getBody().hasOneBlock())
    return model.emitError("the model must be one block, got ")
           << model.getBody().getBlocks().size()
           << "; branches have no place in a plan";
  if (model.getNumResults() != 1 && model.getNumResults() != 2)
    return model.emitError("the model must return one value, the loss, or "
                           "values of samples beside it, got ")
           << model.getNumResults();
  if (model.getNumResults() == 2)
    if (auto values = dyn_cast<RankedTensorType>(model.getResultTypes()[1]);
        !values || !values.hasStaticShape() || values.getRank() == 0 ||
        !values.getElementType().isF32())
      return model.emitError("values of samples must be f32 [batch, ...], got ")
             << model.getResultTypes()[1];
  auto loss = dyn_cast<RankedTensorType>(model.getResultTypes()[0]);
  if (!loss || loss.getRank() != 0 ||
      !(loss.getElementType().isF32() || loss.getElementType().isF64()))
    return model.getBody().front().getTerminator()->emitError(
               "the loss must be a scalar, tensor<f32> or tensor<f64>, got ")
           << model.getResultTypes()[0]
           << "; reduce it, for example with nn.cross_entropy";
  llvm::StringSet<> names;
  bool hasTrained = false;
  for (BlockArgument arg : model.getArguments()) {
    unsigned i = arg.getArgNumber();
    auto name = model.getArgAttrOfType<StringAttr>(i, kParamAttr);
    bool isInput = model.getArgAttr(i, kInputAttr) != nullptr;
    if (name && isInput)
      return emitError(arg.getLoc(), "argument ")
             << i
             << " is both a parameter and an input; drop zero.param or "
                "zero.input";
    // SplitContext adds the number of the rank.
    if (!name && !isInput && !model.getArgAttr(i, kScalarAttr))
      return emitError(arg.getLoc(), "argument ")
             << i
             << " is neither a parameter nor an input; give it zero.param or "
                "zero.input";
    const bool isFrozen = model.getArgAttr(i, kFrozenAttr) != nullptr;
    if (isFrozen && !name)
      return emitError(arg.getLoc(), "argument ")
             << i << " is frozen, but no parameter; drop zero.frozen";
    if (model.getArgAttr(i, kPackingAttr) && !isFrozen)
      return emitError(arg.getLoc(), "argument ")
             << i << " is packed, and not frozen; add zero.frozen";
    if (!name)
      continue;
    hasTrained |= !isFrozen;
    if (name.empty() || !names.insert(name).second)
      return emitError(arg.getLoc(),
                       "parameter names must be unique and not empty, got ")
             << name;
    if (!isFloatTensor(arg.getType()))
      return emitError(arg.getLoc(), "parameter ")
             << name << " must be a tensor of floats with a static shape, got "
             << arg.getType();
  }
  if (!hasTrained)
    return model.emitError(
        "all parameters of the model are frozen, so there is "
        "nothing to train; drop zero.frozen from some");
  return success();
}

FailureOr<func::FuncOp> zero::findModelFunction(ModuleOp module) {
  func::FuncOp model;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration())
      continue;
    if (!hasParameters(function))
      continue;
    if (model) {
      InFlightDiagnostic error =
          function.emitError("is a second function with zero.param arguments; "
                             "a module holds one model");
      error.attachNote(model.getLoc()) << "the first is here";
      return failure();
    }
    model = function;
  }
  if (!model)
    return module.emitError(
        "has no public function with zero.param arguments; mark the "
        "parameters of @loss");
  if (failed(checkModel(model)))
    return failure();
  return model;
}

LogicalResult zero::checkGradients(func::FuncOp step) {
  if (!step.getBody().hasOneBlock())
    return step.emitOpError("has ")
           << llvm::range_size(step.getBody()) << " blocks; a step has one";
  SmallVector<Type> trained;
  for (BlockArgument argument : step.getArguments())
    if (unsigned i = argument.getArgNumber();
        step.getArgAttr(i, kParamAttr) && !step.getArgAttr(i, kFrozenAttr))
      trained.push_back(argument.getType());
  TypeRange results = step.getResultTypes();
  if (results.size() != trained.size() + 1)
    return step.emitOpError("returns ")
           << results.size() << " values; a step returns a loss, and gradients "
           << "of its " << trained.size() << " trained parameters";
  for (auto [parameter, gradient] : llvm::zip(trained, results.drop_front()))
    if (RankedTensorType of = getHeldTensor(parameter),
        held = getHeldTensor(gradient);
        !of || !held || of.getShape() != held.getShape())
      return step.emitOpError("has a parameter ")
             << parameter << " with a gradient " << gradient;
  return success();
}

void zero::generalize(func::FuncOp model) {
  SmallVector<linalg::LinalgOp> namedOps;
  IRRewriter rewriter(model.getContext());
  // linalg.softmax and its like are aggregates of structured operations.
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  model.walk(
      [&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    rewriter.setInsertionPoint(op);
    if (FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
        succeeded(parts))
      rewriter.replaceOp(op, *parts);
  }
  model.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      namedOps.push_back(op);
  });
  for (linalg::LinalgOp op : namedOps) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}
