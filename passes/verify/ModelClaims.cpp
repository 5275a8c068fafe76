//===- ModelClaims.cpp - Options that are compared with the model ---------===//
//
//   zero.adapters    the text that --save writes and --adapter compares with,
//                    equal to the model's.  Its layers and its rank are those
//                    of the adapters among the model's parameters;
//                    lora_alpha / r is the constant between the two products of
//                    an adapter.
//   zero.function    equal to the model's
//   zero.separator   is an id with which @step compares tokens: the host begins
//                    a document after it
//   remat            whether terms are computed again (Recomputation)
//
// These options change no term of a plan, or appear in no program of it.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Origin.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "passes/verify/ModelStep.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// Adapters
//===----------------------------------------------------------------------===//

namespace {
/// The adapter of a layer of the model, found by the names of its parameters.
struct LayerAdapter {
  BlockArgument down, up;    ///< lora_A and lora_B
  bool hasMagnitude = false; ///< lora_magnitude_vector
};
using LayerAdapters = std::map<std::string, LayerAdapter>;
} // namespace

static LayerAdapters findAdapters(func::FuncOp step) {
  LayerAdapters adapters;
  for (BlockArgument argument : step.getArguments()) {
    auto name =
        step.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kParamAttr);
    StringRef module = name ? name.getValue() : "";
    if (!module.consume_front("base_model.model."))
      continue;
    if (module.consume_back(".lora_A.weight"))
      adapters[module.str()].down = argument;
    else if (module.consume_back(".lora_B.weight"))
      adapters[module.str()].up = argument;
    else if (module.consume_back(".lora_magnitude_vector"))
      adapters[module.str()].hasMagnitude = true;
  }
  return adapters;
}

/// The constant that `op` multiplies by, if it does so.
static std::optional<double> findConstantFactor(Operation *op) {
  APFloat number(0.0);
  auto product = dyn_cast<arith::MulFOp>(op);
  if (!product || !(matchPattern(product.getRhs(), m_ConstantFloat(&number)) ||
                    matchPattern(product.getLhs(), m_ConstantFloat(&number))))
    return std::nullopt;
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

/// What `element` of a body is multiplied by, with the casts between the
/// products; the last value of these in `element`.
static double followProducts(Value &element) {
  double factor = 1;
  while (true) {
    Operation *next = nullptr;
    for (Operation *user : element.getUsers())
      if (std::optional<double> found = findConstantFactor(user)) {
        factor *= *found;
        next = user;
        break;
      }
    if (!next && element.hasOneUse() &&
        isa<arith::ExtFOp, arith::TruncFOp>(*element.user_begin()))
      next = *element.user_begin();
    if (!next)
      return factor;
    element = next->getResult(0);
  }
}

/// The constants by which a kernel multiplies the elements of `value`, also by
/// one operation after another; nothing if none reads it.
static std::optional<double> findFactor(Value value) {
  std::optional<double> factor;
  for (OpOperand &use : value.getUses()) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op || !op.isDpsInput(&use))
      continue;
    Value element = op.getMatchingBlockArgument(&use);
    double found = followProducts(element);
    if (element.hasOneUse())
      if (OpOperand &last = *element.use_begin();
          isa<linalg::YieldOp>(last.getOwner()))
        found *= findFactor(op.getResult(last.getOperandNumber())).value_or(1);
    if (!factor || *factor == 1)
      factor = found;
  }
  return factor;
}

/// Collects the factor between `value`, a product of one parameter of an
/// adapter, and each product of it with `other`, the second parameter; 1 if
/// nothing scales it.  Forward and backward have the same factor.
static void collectFactors(Value value, Value other, double factor,
                           SmallVectorImpl<double> &factors) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (nn::isPlanMatmul(user)) {
      if (llvm::is_contained(user->getOperands(), other))
        factors.push_back(factor);
    } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user)) {
      collectFactors(user->getResult(0), other, factor, factors);
    } else if (auto launch = dyn_cast<LaunchOp>(user)) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
          launch, launch.getKernelAttr());
      if (kernel && !kernel.isExternal() && launch->getNumResults() == 1)
        if (std::optional<double> found =
                findFactor(kernel.getArgument(use.getOperandNumber())))
          collectFactors(launch->getResult(0), other, factor * *found, factors);
    }
  }
}

/// Returns true if `factor` is `scale`, rounded to f32, bf16 or f16.
static bool isRounded(double factor, double scale) {
  for (const llvm::fltSemantics *type :
       {&APFloat::IEEEsingle(), &APFloat::BFloat(), &APFloat::IEEEhalf()}) {
    APFloat rounded(scale);
    bool losesInfo;
    rounded.convert(*type, APFloat::rmNearestTiesToEven, &losesInfo);
    rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
    if (rounded.convertToDouble() == factor)
      return true;
  }
  return false;
}

static std::string describeFactor(double factor) {
  return llvm::formatv("{0}", llvm::format("%.6g", factor)).str();
}

/// The modules with parameters that are trained and of no adapter.
static std::set<std::string> findWhole(func::FuncOp step) {
  std::set<std::string> modules;
  for (unsigned i = 0; i != step.getNumArguments(); ++i) {
    auto name = step.getArgAttrOfType<StringAttr>(i, kParamAttr);
    if (!name || step.getArgAttr(i, kFrozenAttr))
      continue;
    StringRef of = name.getValue();
    if (!of.contains(".lora_A.") && !of.contains(".lora_B.") &&
        !of.ends_with(".lora_magnitude_vector"))
      modules.insert(of.rsplit('.').first.str());
  }
  return modules;
}

/// Checks that the factor between the products of `adapter` is `scale`.
static LogicalResult judgeScale(ModuleOp plan, LayerAdapter adapter,
                                double scale) {
  SmallVector<double> factors;
  auto columnsOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape().back();
  };
  int64_t rank = columnsOf(adapter.up);
  // If the rank is as large as the layer, other products have this width, too.
  if (columnsOf(adapter.down) == rank ||
      cast<RankedTensorType>(adapter.up.getType()).getDimSize(0) == rank)
    return success();
  auto collect = [&](Value from, Value to) {
    for (Operation *user : from.getUsers())
      if (nn::isPlanMatmul(user) && columnsOf(user->getResult(0)) == rank)
        collectFactors(user->getResult(0), to, 1, factors);
  };
  collect(adapter.down, adapter.up);
  collect(adapter.up, adapter.down);
  for (double factor : factors)
    if (!isRounded(factor, scale)) // (S7)
      return plan.emitError("has ")
             << kAdaptersAttr << " by which adapters are multiplied by "
             << describeFactor(scale)
             << ", of \"lora_alpha\" and \"r\", and the model multiplies by "
             << describeFactor(factor) << " (S7)";
  return success();
}

static LogicalResult judgeAdapters(ModuleOp plan, ModuleOp model) {
  auto text = plan->getAttrOfType<StringAttr>(kAdaptersAttr);
  if (text != model->getAttrOfType<StringAttr>(kAdaptersAttr)) // (S7)
    return plan.emitError("has ")
           << kAdaptersAttr
           << " that are not those of the model (S7); --save would write them";
  if (!text)
    return success();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text.getValue());
  if (!value)
    llvm::consumeError(value.takeError());
  const llvm::json::Object *config = value ? value->getAsObject() : nullptr;
  auto fails = [&](const Twine &what) {
    return plan.emitError("has ") << kAdaptersAttr << " " << what << " (S7)";
  };
  if (!config)
    return fails("that are no object of JSON");
  LayerAdapters adapters =
      findAdapters(model.lookupSymbol<func::FuncOp>("step"));
  std::set<std::string> named;
  if (const llvm::json::Array *targets = config->getArray("target_modules"))
    for (const llvm::json::Value &target : *targets)
      named.insert(target.getAsString().value_or("").str());
  if (!llvm::equal(named, llvm::make_first_range(adapters))) // (S7)
    return fails("whose \"target_modules\" are not the layers of its model "
                 "that have adapters");
  std::set<std::string> saved;
  if (const llvm::json::Array *modules = config->getArray("modules_to_save"))
    for (const llvm::json::Value &module : *modules)
      saved.insert(module.getAsString().value_or("").str());
  if (saved != findWhole(model.lookupSymbol<func::FuncOp>("step"))) // (S7)
    return fails("whose \"modules_to_save\" are not the modules of its model "
                 "that are trained whole");
  int64_t rank = config->getInteger("r").value_or(0);
  double alpha = config->getNumber("lora_alpha").value_or(0);
  bool isStabilized = config->getBoolean("use_rslora").value_or(false);
  bool hasMagnitudes = config->getBoolean("use_dora").value_or(false);
  for (auto &[module, adapter] : adapters) {
    if (adapter.hasMagnitude != hasMagnitudes) // (S7)
      return fails("whose \"use_dora\" is " +
                   Twine(hasMagnitudes ? "true" : "false") +
                   ", which is not so for the adapter of \"" + module + "\"");
    auto isOf = [&](BlockArgument parameter, unsigned dim) {
      auto type = parameter ? dyn_cast<RankedTensorType>(parameter.getType())
                            : RankedTensorType();
      return type && type.getRank() == 2 && type.getDimSize(dim) == rank;
    };
    if (!isOf(adapter.down, 0) || !isOf(adapter.up, 1)) // (S7)
      return fails("whose \"r\" is " + Twine(rank) +
                   ", which is not the rank of the adapter of \"" + module +
                   "\"");
    double divisor = isStabilized ? std::sqrt(double(rank)) : double(rank);
    if (failed(judgeScale(plan, adapter, alpha / divisor)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

/// Whether `kernel` compares the elements of operand `i` with `id`; those of a
/// reference have the model's operation.
static bool compares(KernelOp kernel, unsigned i, int64_t id) {
  for (Operation *user : kernel.getArgument(i).getUsers())
    if (auto starts = dyn_cast<nn::DocumentStartsOp>(user);
        starts && starts.getSeparator() == uint64_t(id))
      return true;
  auto isId = [&](Value value) { return getConstantIntValue(value) == id; };
  WalkResult found = kernel.walk([&](linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (input->get() == kernel.getArgument(i))
        for (Operation *user : op.getMatchingBlockArgument(input).getUsers())
          if (auto compare = dyn_cast<arith::CmpIOp>(user);
              compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
              llvm::any_of(compare->getOperands(), isId))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return found.wasInterrupted();
}

static LogicalResult judgeSeparator(ModuleOp model) {
  auto step = model.lookupSymbol<func::FuncOp>("step");
  Value tokens;
  IntegerAttr separator;
  for (BlockArgument argument : step.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (step.getArgAttr(i, kInputAttr) ==
        StringAttr::get(step.getContext(), "tokens"))
      tokens = argument;
    if (auto id = step.getArgAttrOfType<IntegerAttr>(i, kSeparatorAttr))
      separator = id;
  }
  if (!separator)
    return success();
  if (tokens)
    for (OpOperand &use : tokens.getUses())
      if (auto launch = dyn_cast<LaunchOp>(use.getOwner()))
        if (auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
                launch, launch.getKernelAttr());
            compares(kernel, use.getOperandNumber(), separator.getInt()))
          return success();
  return step.emitOpError("has ") // (S5)
         << kSeparatorAttr << " = " << separator.getInt()
         << ", and compares no token with it (S5); the host begins documents "
            "after it";
}

LogicalResult judge::judgeModelClaims(ModuleOp plan, ModuleOp model) {
  if (failed(judgeAdapters(plan, model)) || failed(judgeSeparator(model)))
    return failure();
  if (plan->getAttr(kFunctionAttr) != model->getAttr(kFunctionAttr)) // (S7)
    return plan.emitError("has ")
           << kFunctionAttr
           << " that is not that of the model (S7); checkpoints would say it";
  return success();
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// Returns true for launches and products, not for operations that name bytes.
static bool isWork(Operation *op) {
  return isa<LaunchOp>(op) || nn::isPlanMatmul(op);
}

Recomputation::Recomputation(ModuleOp plan) : plan(plan) {
  if (isLayered(plan))
    microStepsHere = getMicroSteps(plan);
}

void Recomputation::countModel(ModuleOp model, StringRef name,
                               SymbolicExecutor &symbolic) {
  DenseMap<Term, int64_t> here;
  for (Operation &op : model.lookupSymbol<func::FuncOp>(name).front())
    if (isWork(&op))
      for (Value result : op.getResults())
        ++here[symbolic.termOf(result)];
  for (auto [term, times] : here)
    inModel[term] = std::max(inModel.lookup(term), times);
}

void Recomputation::count(Operation *op, Term term,
                          std::optional<int64_t> micro) {
  if (!isWork(op))
    return;
  // A term that depends on no micro-step may be computed once, or for each of
  // them: its copies can be those of micro-steps, or computed again.
  int64_t least = std::max<int64_t>(inModel.lookup(term), 1),
          most = least * (micro ? 1 : microStepsHere);
  int64_t times = ++found[{term, micro.value_or(-2)}];
  mayBeAgain |= times > least;
  if (times > most && !again)
    again = op;
}

LogicalResult Recomputation::judge() {
  auto options = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  bool isClaimed = options && options.getRemat() != "none";
  if (!options || (isClaimed ? mayBeAgain : !again))
    return success();
  return contradicts(again ? again : plan.getOperation(),
                     again ? "computed that before"
                           : "nothing that is computed again",
                     options, "remat");
}
