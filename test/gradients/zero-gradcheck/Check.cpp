//===- Check.cpp - Compares gradients with finite differences -------------===//

#include "Check.h"
#include "CompiledFunction.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "passes/model/Passes.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr double kStep = 1e-5;
constexpr double kSmallestScale = 1e-4;

/// One argument of the model: its elements, and whether they are trained.
struct Argument {
  std::string name;
  bool isParameter;
  RankedTensorType type;
  std::vector<double> floats;
  std::vector<int32_t> ints;
  std::vector<int64_t> keys; ///< of dropout
  std::vector<double> gradient;

  const void *data() const {
    if (!keys.empty())
      return keys.data();
    return floats.empty() ? static_cast<const void *>(ints.data())
                          : floats.data();
  }
};

/// Returns an exclusive upper bound of the ids in `argument`.
int64_t countIds(func::FuncOp func, BlockArgument argument) {
  if (auto given = func.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                      kVocabAttr))
    return given.getInt();
  int64_t ids = std::numeric_limits<int64_t>::max();
  for (Operation *user : argument.getUsers()) {
    if (auto embedding = dyn_cast<nn::EmbeddingOp>(user))
      ids = std::min(ids, embedding.getTable().getType().getDimSize(0));
    if (auto loss = dyn_cast<nn::CrossEntropyOp>(user))
      ids = std::min(ids, loss.getLogits().getType().getShape().back());
  }
  if (ids != std::numeric_limits<int64_t>::max())
    return ids;
  for (BlockArgument other : func.getArguments())
    for (int64_t size : cast<ShapedType>(other.getType()).getShape())
      ids = std::min(ids, size);
  return ids;
}

FailureOr<std::vector<Argument>> makeArguments(func::FuncOp func,
                                               const CheckOptions &options,
                                               std::mt19937_64 &random) {
  std::vector<Argument> arguments;
  std::normal_distribution<double> normal;
  for (BlockArgument value : func.getArguments()) {
    unsigned i = value.getArgNumber();
    auto name = func.getArgAttrOfType<StringAttr>(i, kParamAttr);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isInt = type && type.getElementType().isInteger(32),
         isKeys = type && type.getElementType().isInteger(64);
    if (!type || !type.hasStaticShape() ||
        !(isInt || isKeys || type.getElementType().isF64()))
      return emitError(value.getLoc())
             << "argument " << i << " is " << value.getType()
             << ", but gradients are checked in f64; use tensors of f64 and "
                "i32, and i64 keys of dropout";
    Argument argument{name ? name.str() : "", bool(name), type, {}, {}, {}, {}};
    if (isKeys) {
      for (int64_t n = type.getNumElements(); n > 0; --n)
        argument.keys.push_back(int64_t(random()));
    } else if (!isInt) {
      argument.floats.resize(type.getNumElements());
      for (double &element : argument.floats)
        element = options.scale * normal(random);
      argument.gradient.resize(name ? type.getNumElements() : 0);
    } else {
      int64_t ids =
          options.vocabulary ? options.vocabulary : countIds(func, value);
      std::uniform_int_distribution<int32_t> uniform(0, ids - 1);
      argument.ints.resize(type.getNumElements());
      for (int32_t &element : argument.ints)
        element = uniform(random);
      std::bernoulli_distribution ignore(options.ignored);
      for (Operation *user : value.getUsers())
        if (auto loss = dyn_cast<nn::CrossEntropyOp>(user))
          for (int32_t &element : argument.ints)
            if (ignore(random))
              element = loss.getIgnoreIndex();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

/// The function whose gradients are checked.
func::FuncOp findModel(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.isPublic() && !func.isExternal() &&
          func.getArgAttr(i, kParamAttr))
        return func;
  return {};
}

/// Makes a function that returns a tensor y return its weighted sum (Check.h).
/// The weights c become one more input, with random values like the others.
void weightResult(func::FuncOp func) {
  if (func.getNumResults() != 1 || !func.getBody().hasOneBlock())
    return;
  auto type = dyn_cast<RankedTensorType>(func.getResultTypes()[0]);
  if (!type || type.getRank() == 0 || !type.getElementType().isF64())
    return;
  // The model may not use these dialects yet.
  func.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  Operation *returned = func.getBody().front().getTerminator();
  Value y = returned->getOperand(0);
  Location loc = y.getLoc();
  OpBuilder b(returned);
  unsigned place = func.getNumArguments();
  (void)func.insertArgument(place, type,
                            b.getDictionaryAttr(b.getNamedAttr(
                                kInputAttr, b.getStringAttr("weights"))),
                            loc);
  std::string all = nn::letters(type.getRank());
  Value loss = nn::reduceSum(
      b, loc, {y, func.getArgument(place)}, {all, all}, "",
      [](const nn::Scalars &in) { return in[1] * (in[0] * in[0] + in[0]); });
  returned->setOperand(0, loss);
  func.setType(b.getFunctionType(func.getArgumentTypes(), loss.getType()));
}

/// Types other than f64 and ids would hide the error of a derivative.
LogicalResult checkTypes(func::FuncOp func) {
  WalkResult result = func.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (Type element = getElementTypeOrSelf(type);
          isa<FloatType>(element) && !element.isF64()) {
        op->emitError() << "'" << op->getName() << "' computes in " << element
                        << ", but gradients are checked in f64; write the "
                           "model in f64";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

class Checker {
public:
  Checker(CompiledFunction loss, std::vector<Argument> arguments,
          const CheckOptions &options, std::mt19937_64 &random)
      : lossFunction(std::move(loss)), arguments(std::move(arguments)),
        options(options), random(random) {}

  FailureOr<bool> run(CompiledFunction &step) {
    std::vector<double *> gradients;
    double stepLoss = 0;
    SmallVector<const void *> inputs;
    SmallVector<void *> results = {&stepLoss};
    for (Argument &argument : arguments) {
      inputs.push_back(argument.data());
      if (argument.isParameter)
        results.push_back(argument.gradient.data());
    }
    if (llvm::Error error = step.call(inputs, results)) {
      llvm::errs() << "zero-gradcheck: error: " << error << "\n";
      return failure();
    }

    double plainLoss = loss();
    bool pass = report(
        "loss",
        std::abs(plainLoss - stepLoss) / std::max(1.0, std::abs(plainLoss)), 1);
    for (Argument &argument : arguments)
      if (argument.isParameter)
        pass &= checkElements(argument);
    return pass & checkDirection();
  }

private:
  CompiledFunction lossFunction;
  std::vector<Argument> arguments;
  const CheckOptions &options;
  std::mt19937_64 &random;

  double loss() {
    double result = 0;
    SmallVector<const void *> inputs;
    for (const Argument &argument : arguments)
      inputs.push_back(argument.data());
    if (llvm::Error error = lossFunction.call(inputs, {&result}))
      llvm::report_fatal_error(std::move(error));
    return result;
  }

  /// A NaN is an error, however large the tolerance.
  bool report(StringRef what, double error, uint64_t count) {
    bool pass = error <= options.tolerance;
    llvm::outs() << llvm::format(
                        "%-32s %6llu checked   max relative error %.3g",
                        what.str().c_str(),
                        static_cast<unsigned long long>(count), error)
                 << (pass ? "" : "   <-- above the tolerance") << "\n";
    return pass;
  }

  bool checkElements(Argument &argument) {
    std::vector<size_t> indices(argument.floats.size());
    for (size_t i = 0; i < indices.size(); ++i)
      indices[i] = i;
    std::shuffle(indices.begin(), indices.end(), random);
    indices.resize(std::min<size_t>(indices.size(), options.samples));

    double scale = kSmallestScale, worst = 0;
    for (size_t i : indices) {
      double value = argument.floats[i];
      argument.floats[i] = value + kStep;
      double above = loss();
      argument.floats[i] = value - kStep;
      double below = loss();
      argument.floats[i] = value;
      double numeric = (above - below) / (2 * kStep);
      double difference = std::abs(numeric - argument.gradient[i]);
      // std::max would drop a NaN.
      if (!(difference <= worst))
        worst = difference;
      scale =
          std::max({scale, std::abs(numeric), std::abs(argument.gradient[i])});
    }
    return report(argument.name, worst / scale, indices.size());
  }

  bool checkDirection() {
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> directions;
    double expected = 0, scale = kSmallestScale;
    uint64_t count = 0;
    for (Argument &argument : arguments) {
      std::vector<double> direction(argument.gradient.size());
      for (size_t i = 0; i < direction.size(); ++i) {
        direction[i] = normal(random);
        expected += direction[i] * argument.gradient[i];
        scale += std::abs(direction[i] * argument.gradient[i]);
      }
      count += direction.size();
      directions.push_back(std::move(direction));
    }
    auto lossAt = [&](double distance) {
      for (auto [argument, direction] : llvm::zip_equal(arguments, directions))
        for (size_t i = 0; i < direction.size(); ++i)
          argument.floats[i] += distance * direction[i];
      return loss();
    };
    double above = lossAt(kStep), below = lossAt(-2 * kStep);
    lossAt(kStep);
    double numeric = (above - below) / (2 * kStep);
    return report("(one direction over all)",
                  std::abs(numeric - expected) / scale, count);
  }
};

} // namespace

FailureOr<bool> zero::checkGradients(OwningOpRef<ModuleOp> model,
                                     const CheckOptions &options) {
  std::mt19937_64 random(options.seed);
  func::FuncOp func = findModel(*model);
  std::vector<Argument> arguments;
  // Without a function, DifferentiateLoss reports what is missing.
  if (func) {
    if (failed(checkTypes(func)))
      return failure();
    weightResult(func);
    FailureOr<std::vector<Argument>> made =
        makeArguments(func, options, random);
    if (failed(made))
      return failure();
    arguments = std::move(*made);
  }

  OwningOpRef<ModuleOp> step = model->clone();
  PassManager pm(model->getContext());
  if (options.decomposeFirst) {
    LowerNNToLinalgOptions decompose;
    decompose.keepEmbedding = true;
    pm.addPass(createLowerNNToLinalg(decompose));
  }
  pm.addPass(createNormalizeModel());
  pm.addPass(createSinkScalars());
  pm.addPass(createLowerGathers());
  pm.addPass(createDifferentiateLoss());
  if (failed(pm.run(*step)))
    return failure();

  std::string name = func.getName().str();
  FailureOr<CompiledFunction> loss =
      CompiledFunction::compile(std::move(model), name);
  if (failed(loss))
    return failure();
  FailureOr<CompiledFunction> gradients =
      CompiledFunction::compile(std::move(step), "step");
  if (failed(gradients))
    return failure();
  return Checker(std::move(*loss), std::move(arguments), options, random)
      .run(*gradients);
}
