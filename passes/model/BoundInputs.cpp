//===- BoundInputs.cpp - Bounds of a model's inputs -----------------------===//
//
// 1. Check that the training program can feed the inputs: tensors of f32, i32
//    or i64, each with a name, whose first dimension counts samples.
// 2. Find, for every input of integers, the sizes that it selects from: an
//    element that is a row of a table lies below the number of rows, a target
//    below the number of classes, or is ignored.  The smallest counts.
// 3. Record the bounds in zero.vocab and zero.ignored, which the training
//    program compares every value with.  A zero.vocab that the user wrote may
//    be smaller; a larger one is an error.
//
// Elements are followed back from where they select, through operations that
// move or convert them.  An element that is computed otherwise bounds no input
// here: zero-verify-positions proves that it lies inside, or refuses it.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/InputBound.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-bound-inputs"

namespace mlir::zero {
#define GEN_PASS_DEF_BOUNDINPUTS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// An input holds values in [0, below), and `ignored`.
struct Bound {
  int64_t below;
  std::optional<int64_t> ignored;
  Operation *by; ///< selects from `below` elements

  void meet(Bound other) {
    if (ignored != other.ignored)
      ignored.reset();
    if (other.below < below) {
      below = other.below;
      by = other.by;
    }
  }
};

class Inputs {
public:
  explicit Inputs(func::FuncOp model) : model(model) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    model.walk([&](Operation *op) { find(op); });
    for (BlockArgument input : inputs)
      if (failed(say(input)))
        return failure();
    return success();
  }

private:
  LogicalResult check();
  LogicalResult checkInput(BlockArgument input);
  void find(Operation *op);
  void limit(Value element, Bound bound);
  BlockArgument findInput(Value element, std::optional<int64_t> &ignored);
  LogicalResult say(BlockArgument input);

  StringAttr nameOf(BlockArgument input) {
    return model.getArgAttrOfType<StringAttr>(input.getArgNumber(), kInputAttr);
  }
  InFlightDiagnostic error(BlockArgument input) {
    return emitError(input.getLoc(), "input ") << nameOf(input) << " ";
  }

  func::FuncOp model;
  SmallVector<BlockArgument> inputs;
  llvm::MapVector<BlockArgument, Bound> bounds;
};

} // namespace

//===----------------------------------------------------------------------===//
// 1.  Inputs that can be fed
//===----------------------------------------------------------------------===//

LogicalResult Inputs::check() {
  llvm::StringMap<BlockArgument> names;
  for (BlockArgument argument : model.getArguments()) {
    if (!model.getArgAttr(argument.getArgNumber(), kInputAttr))
      continue;
    StringAttr name = nameOf(argument);
    if (name.empty())
      return emitError(argument.getLoc(), "argument ")
             << argument.getArgNumber() << " needs a name as " << kInputAttr;
    if (name == "lr" || name == "step")
      return error(argument) << "is called as a number that the training "
                                "program writes itself; rename it";
    if (failed(checkInput(argument)))
      return failure();
    auto [known, isNew] = names.try_emplace(name, argument);
    if (!isNew) {
      InFlightDiagnostic error =
          this->error(argument) << "is there twice; names of inputs are unique";
      error.attachNote(known->second.getLoc()) << "the first is here";
      return error;
    }
    inputs.push_back(argument);
  }
  return success();
}

LogicalResult Inputs::checkInput(BlockArgument input) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
      !(type.getElementType().isF32() ||
        type.getElementType().isSignlessInteger(32) ||
        type.getElementType().isSignlessInteger(64)))
    return error(input) << "is " << input.getType()
                        << ", which the training program cannot feed; it has "
                           "tensors of f32, i32 and i64 whose first dimension "
                           "counts samples";
  if (inputs.empty())
    return success();
  int64_t batch = type.getDimSize(0),
          first =
              cast<RankedTensorType>(inputs.front().getType()).getDimSize(0);
  if (batch == first)
    return success();
  InFlightDiagnostic error =
      this->error(input) << "has " << batch << " samples, " << type
                         << "; the first dimension of all inputs is the batch";
  error.attachNote(inputs.front().getLoc())
      << nameOf(inputs.front()) << " has " << first;
  return error;
}

//===----------------------------------------------------------------------===//
// 2.  Sizes that they select from
//===----------------------------------------------------------------------===//

void Inputs::find(Operation *op) {
  if (auto lookup = dyn_cast<nn::EmbeddingOp>(op)) {
    limit(lookup.getTokens(),
          {lookup.getTable().getType().getDimSize(0), {}, op});
  } else if (auto loss = dyn_cast<nn::CrossEntropyOp>(op)) {
    limit(loss.getTargets(), {loss.getLogits().getType().getShape().back(),
                              int32_t(loss.getIgnoreIndex()), op});
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (auto [index, size] : llvm::zip_equal(
             extract.getIndices(), extract.getTensor().getType().getShape()))
      limit(index, {size, {}, op});
  }
}

void Inputs::limit(Value element, Bound bound) {
  BlockArgument input = findInput(element, bound.ignored);
  if (!input)
    return;
  auto [known, isNew] = bounds.insert({input, bound});
  if (!isNew)
    known->second.meet(bound);
}

/// `x < 0 ? x + size : x`, by which front ends count from the end, is x.
static bool countsFromEnd(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
         compare.getLhs() == select.getFalseValue() &&
         isConstantIntValue(compare.getRhs(), 0);
}

/// The c of `x != c ? x : y`, by which front ends ignore a target: x is in
/// bounds, or is c.
static std::optional<int64_t> ignoredBy(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne ||
      compare.getLhs() != select.getTrueValue())
    return std::nullopt;
  return getConstantIntValue(compare.getRhs());
}

/// The input that `element` is read from, possibly moved or converted, and its
/// `ignored` value; null if `element` is computed.
BlockArgument Inputs::findInput(Value element,
                                std::optional<int64_t> &ignored) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(element)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == model)
        return llvm::is_contained(inputs, argument) ? argument
                                                    : BlockArgument();
      auto body = dyn_cast<linalg::LinalgOp>(parent);
      if (!body || argument.getArgNumber() >= body.getNumDpsInputs())
        return {};
      element = body->getOperand(argument.getArgNumber());
      continue;
    }
    Operation *op = element.getDefiningOp();
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp, tensor::ExtractOp,
            tensor::ExtractSliceOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp, tensor::CastOp>(op)) {
      element = op->getOperand(0);
    } else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && countsFromEnd(select)) {
      element = select.getFalseValue();
    } else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && ignoredBy(select) && !ignored) {
      ignored = ignoredBy(select);
      element = select.getTrueValue();
    } else if (auto body = dyn_cast<linalg::LinalgOp>(op);
               body && body.getNumReductionLoops() == 0) {
      element = body.getBlock()->getTerminator()->getOperand(
          cast<OpResult>(element).getResultNumber());
    } else {
      return {};
    }
  }
}

//===----------------------------------------------------------------------===//
// 3.  Bounds
//===----------------------------------------------------------------------===//

LogicalResult Inputs::say(BlockArgument input) {
  unsigned i = input.getArgNumber();
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  Builder b(model.getContext());
  int64_t vocab = 0;
  if (Attribute written = model.getArgAttr(i, kVocabAttr)) {
    auto number = dyn_cast<IntegerAttr>(written);
    if (!number || !number.getType().isSignlessInteger(64) ||
        number.getInt() < 1 || !element.isInteger())
      return error(input) << "has " << kVocabAttr << " = " << written
                          << "; it is a positive i64, of an input of integers";
    vocab = number.getInt();
    if (element.isInteger(32) && vocab - 1 > INT32_MAX)
      return error(input) << "has " << kVocabAttr << " = " << vocab
                          << ", which does not fit " << element;
  }
  auto *found = bounds.find(input);
  if (found == bounds.end())
    return success();
  Bound bound = found->second;
  if (vocab > bound.below) {
    InFlightDiagnostic error = this->error(input)
                               << "has " << kVocabAttr << " = " << vocab
                               << ", but selects one of " << bound.below
                               << "; drop " << kVocabAttr
                               << ", or make what it selects from larger";
    error.attachNote(bound.by->getLoc()) << "it does so here";
    return error;
  }
  LDBG() << "input " << nameOf(input) << " is below " << bound.below << " by "
         << *bound.by;
  if (!vocab)
    model.setArgAttr(i, kVocabAttr, b.getI64IntegerAttr(bound.below));
  if (bound.ignored && (*bound.ignored < 0 || *bound.ignored >= bound.below) &&
      !model.getArgAttr(i, kIgnoredAttr))
    model.setArgAttr(i, kIgnoredAttr, b.getI64IntegerAttr(*bound.ignored));
  return success();
}

namespace {
struct BoundInputsPass : zero::impl::BoundInputsBase<BoundInputsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (hasParameters(function) && !function.isExternal() &&
          failed(Inputs(function).run()))
        return signalPassFailure();
  }
};
} // namespace
