//===- DifferentiateLoss.cpp - Reverse mode on tensors --------------------===//
//
// 1. Check the model: one public function with parameters, a scalar loss, every
//    argument a parameter or an input.
// 2. Generalise named linalg operations; let operations add the statistics that
//    their backward reads.
// 3. Activity: a value is active if it depends on a parameter and the loss
//    depends on it.
// 4. Walk backwards.  Each operation turns the adjoints of its results into
//    adjoints of its active operands; contributions to one value are added in
//    the order of the walk, so sums of tied parameters have a fixed order.
//
// Two sums are better than an addition:
//
// * A scatter into zeros scatters into what has been accumulated already, so a
//   tied embedding adds its rows to the projection's gradient in place.
// * Slices of one value (q, k and v of a packed projection) are inserted into
//   one tensor, which starts undefined when the slices cover it all.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Derivatives.h"
#include "passes/model/Passes.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-differentiate-loss"

namespace mlir::zero {
#define GEN_PASS_DEF_DIFFERENTIATELOSS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<FloatType>(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// 1. The model
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> findModel(ModuleOp module) {
  func::FuncOp model;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration())
      continue;
    bool hasParams =
        llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
          return function.getArgAttr(i, kParamAttr) != nullptr;
        });
    if (!hasParams)
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
  return model;
}

LogicalResult checkModel(func::FuncOp model) {
  if (!model.getBody().hasOneBlock())
    return model.emitError("the model must be one block, got ")
           << model.getBody().getBlocks().size()
           << "; branches have no place in a plan";
  if (model.getNumResults() != 1)
    return model.emitError("the model must return one value, the loss, got ")
           << model.getNumResults();
  auto loss = dyn_cast<RankedTensorType>(model.getResultTypes()[0]);
  if (!loss || loss.getRank() != 0 ||
      !(loss.getElementType().isF32() || loss.getElementType().isF64()))
    return model.getBody().front().getTerminator()->emitError(
               "the loss must be a scalar, tensor<f32> or tensor<f64>, got ")
           << model.getResultTypes()[0]
           << "; reduce it, for example with nn.cross_entropy";
  llvm::StringSet<> names;
  for (BlockArgument arg : model.getArguments()) {
    unsigned i = arg.getArgNumber();
    auto name = model.getArgAttrOfType<StringAttr>(i, kParamAttr);
    bool isInput = model.getArgAttr(i, kInputAttr) != nullptr;
    if (name && isInput)
      return emitError(arg.getLoc(), "argument ")
             << i
             << " is both a parameter and an input; drop zero.param or "
                "zero.input";
    if (!name && !isInput)
      return emitError(arg.getLoc(), "argument ")
             << i
             << " is neither a parameter nor an input; give it zero.param or "
                "zero.input";
    if (!name)
      continue;
    if (name.empty() || !names.insert(name).second)
      return emitError(arg.getLoc(),
                       "parameter names must be unique and not empty, got ")
             << name;
    if (!isFloatTensor(arg.getType()))
      return emitError(arg.getLoc(), "parameter ")
             << name << " must be a tensor of floats with a static shape, got "
             << arg.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 4. The walk
//===----------------------------------------------------------------------===//

class Differentiator {
public:
  /// With `scales` the adjoint of the loss is an argument of the step, else 1.
  Differentiator(func::FuncOp model, bool scales)
      : model(model), scales(scales), b(model.getContext()) {}

  LogicalResult run() {
    Block &body = model.getBody().front();
    auto returned = cast<func::ReturnOp>(body.getTerminator());
    Value loss = returned.getOperand(0);
    findActive(loss);
    b.setInsertionPoint(returned);
    adjoints[loss] = scales
                         ? addLossScale(loss)
                         : nn::constant(b, loss.getLoc(), loss.getType(), 1.0);

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
      auto name =
          model.getArgAttrOfType<StringAttr>(arg.getArgNumber(), kParamAttr);
      if (!name)
        continue;
      Value gradient = adjoint(arg);
      if (!gradient) {
        emitWarning(arg.getLoc(), "parameter ")
            << name << " does not reach the loss; its gradient is zero";
        gradient =
            nn::zeros(b, arg.getLoc(), cast<RankedTensorType>(arg.getType()));
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
    eraseDead(body);
    return success();
  }

private:
  func::FuncOp model;
  bool scales;
  OpBuilder b;
  DenseSet<Value> active;
  /// For each value that depends on parameters, the first of them.
  DenseMap<Value, BlockArgument> origin;
  DenseMap<Value, Value> adjoints;
  /// Slices of a value's adjoint that have not been inserted yet.
  DenseMap<Value, SmallVector<tensor::InsertSliceOp>> slices;

  Attribute named(StringRef name, Attribute value) {
    return b.getDictionaryAttr(b.getNamedAttr(name, value));
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
      if (model.getArgAttr(arg.getArgNumber(), kParamAttr))
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

  /// An operation without adjoint that loses a dependency all the same.
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

  LogicalResult visit(Operation *op) {
    SmallVector<Value> results;
    bool any = false;
    for (Value result : op->getResults()) {
      results.push_back(active.contains(result) ? adjoint(result) : Value());
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
      // Models report what they cannot do; only here is known what needs it.
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
        add(operand, contribution);
    return success();
  }

  /// Adds a contribution; slices wait until the adjoint is read.
  void add(Value value, Value contribution) {
    if (auto insert = contribution.getDefiningOp<tensor::InsertSliceOp>();
        insert && nn::isZeros(insert.getDest()) && isStatic(insert) &&
        llvm::none_of(slices[value], [&](tensor::InsertSliceOp other) {
          return overlap(insert, other);
        })) {
      slices[value].push_back(insert);
      return;
    }
    Value &sum = adjoints[value];
    if (!sum) {
      sum = contribution;
      return;
    }
    auto scatter = contribution.getDefiningOp<nn::EmbeddingBackwardOp>();
    if (scatter && nn::isZeros(scatter.getInit())) {
      scatter.getInitMutable().assign(sum);
      sum = contribution;
      return;
    }
    sum = addRounded(value.getLoc(), sum, contribution);
  }

  /// The sum; of 16 bits it is rounded once, its terms are not rounded before.
  Value addRounded(Location loc, Value x, Value y) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getElementTypeBitWidth() > 16)
      return arith::AddFOp::create(b, loc, x, y);
    auto wide = [&](Value term) -> Value {
      if (auto rounded = term.getDefiningOp<arith::TruncFOp>())
        return rounded.getIn();
      return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), term);
    };
    Value sum = arith::AddFOp::create(b, loc, wide(x), wide(y));
    return arith::TruncFOp::create(b, loc, type, sum);
  }

  /// The finished adjoint of `value`, or null.
  Value adjoint(Value value) {
    auto waiting = slices.find(value);
    if (waiting != slices.end() && !waiting->second.empty()) {
      SmallVector<tensor::InsertSliceOp> inserts = std::move(waiting->second);
      slices.erase(waiting);
      auto type = cast<RankedTensorType>(value.getType());
      int64_t covered = 0;
      for (tensor::InsertSliceOp insert : inserts)
        covered += insert.getSourceType().getNumElements();
      Value packed =
          covered == type.getNumElements()
              ? tensor::EmptyOp::create(b, value.getLoc(), type.getShape(),
                                        type.getElementType())
                    .getResult()
              : nn::zeros(b, value.getLoc(), type);
      for (tensor::InsertSliceOp insert : inserts)
        packed = tensor::InsertSliceOp::create(
            b, insert.getLoc(), insert.getSource(), packed,
            insert.getMixedOffsets(), insert.getMixedSizes(),
            insert.getMixedStrides());
      Value &sum = adjoints[value];
      sum = sum ? addRounded(value.getLoc(), sum, packed) : packed;
    }
    return adjoints.lookup(value);
  }

  static bool isStatic(tensor::InsertSliceOp insert) {
    auto known = [](ArrayRef<int64_t> sizes) {
      return llvm::none_of(sizes, ShapedType::isDynamic);
    };
    return known(insert.getStaticOffsets()) && known(insert.getStaticSizes()) &&
           known(insert.getStaticStrides());
  }

  /// Whether two static slices share an element; strides count as dense.
  static bool overlap(tensor::InsertSliceOp x, tensor::InsertSliceOp y) {
    for (size_t d = 0; d < x.getStaticOffsets().size(); ++d) {
      auto range = [&](tensor::InsertSliceOp op) {
        int64_t start = op.getStaticOffsets()[d], size = op.getStaticSizes()[d];
        return std::pair(
            start,
            size ? start + (size - 1) * op.getStaticStrides()[d] + 1 : start);
      };
      auto [xStart, xEnd] = range(x);
      auto [yStart, yEnd] = range(y);
      if (xEnd <= yStart || yEnd <= xStart)
        return false;
    }
    return true;
  }

  static void eraseDead(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

struct DifferentiateLossPass
    : zero::impl::DifferentiateLossBase<DifferentiateLossPass> {
  using DifferentiateLossBase::DifferentiateLossBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModel(getOperation());
    if (failed(model) || failed(checkModel(*model)))
      return signalPassFailure();
    prepare(*model);
    if (failed(Differentiator(*model, scalesLoss).run()))
      return signalPassFailure();
  }

  void prepare(func::FuncOp model) {
    SmallVector<linalg::LinalgOp> namedOps;
    SmallVector<nn::DifferentiableOpInterface> rules;
    IRRewriter rewriter(&getContext());
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
    model.walk([&](nn::DifferentiableOpInterface op) { rules.push_back(op); });
    for (nn::DifferentiableOpInterface op : rules)
      op.saveForBackward(rewriter);
    averageCounts(model);
  }

  /// Every rank and micro-step divides by the same count, their mean.  Counts
  /// of inputs go to the front: they wait for nothing, so their exchange is
  /// over long before the loss needs it.
  void averageCounts(func::FuncOp model) {
    SmallVector<nn::CountValidOp> counts;
    model.walk([&](nn::CountValidOp op) { counts.push_back(op); });
    Operation *front = &model.getBody().front().front();
    OpBuilder b(&getContext());
    for (nn::CountValidOp count : counts) {
      if (isa<BlockArgument>(count.getTargets()) && count != front)
        count->moveBefore(front);
      b.setInsertionPointAfter(count);
      auto average = AverageOp::create(b, count.getLoc(), count.getType(),
                                       count.getResult());
      count.getResult().replaceAllUsesExcept(average, average);
      if (count == front)
        front = average->getNextNode();
    }
  }
};

} // namespace
