//===- ModelClaims.cpp - What a plan says of its model --------------------===//
//
//   zero.adapters    the text that --save writes, and --adapter compares with: that
//                    of the model; r, and the layers that have adapters, are those
//                    of its parameters
//   loss_chunk       the model's
//   remat            whether terms are computed again (Recomputation)
//
//===----------------------------------------------------------------------===//

#include "passes/verify/ModelClaims.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/verify/PlanOptions.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// Adapters
//===----------------------------------------------------------------------===//

/// What adapters the parameters of a model are, as their names and shapes say.
namespace {
struct AdapterShape {
  std::vector<std::string> modules;
  int64_t rank = -1; ///< -1: of several ranks, or none
};
} // namespace

static AdapterShape findAdapters(ModuleOp model) {
  AdapterShape shape;
  auto step = model.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments()) {
    auto name =
        step.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kParamAttr);
    StringRef module = name ? name.getValue() : "";
    if (!module.consume_front("base_model.model.") ||
        !module.consume_back(".lora_A.weight"))
      continue;
    int64_t rank = cast<RankedTensorType>(argument.getType()).getDimSize(0);
    shape.rank = shape.modules.empty() || shape.rank == rank ? rank : -1;
    shape.modules.push_back(module.str());
  }
  llvm::sort(shape.modules);
  return shape;
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
  AdapterShape shape = findAdapters(model);
  if (!config || config->getInteger("r") != shape.rank) // (S7)
    return plan.emitError("has ")
           << kAdaptersAttr << " whose \"r\" is not " << shape.rank
           << ", the rank of the adapters of its model (S7)";
  std::vector<std::string> modules;
  if (const llvm::json::Array *targets = config->getArray("target_modules"))
    for (const llvm::json::Value &target : *targets)
      modules.push_back(target.getAsString().value_or("").str());
  llvm::sort(modules);
  if (modules != shape.modules) // (S7)
    return plan.emitError("has ")
           << kAdaptersAttr
           << " whose \"target_modules\" are not the layers of its model that "
              "have adapters (S7)";
  return success();
}

LogicalResult judge::judgeModelClaims(ModuleOp plan, ModuleOp model) {
  if (failed(judgeAdapters(plan, model)))
    return failure();
  auto options = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  auto chunk = model->getAttrOfType<IntegerAttr>(kLossChunkAttr);
  if (int64_t bytes = chunk ? chunk.getInt() : kLossChunk;
      options && bytes != options.getLossChunk()) // (S7)
    return contradicts(plan, "a loss in chunks of " + Twine(bytes) + " bytes",
                       options, "--loss-chunk");
  return success();
}

//===----------------------------------------------------------------------===//
// What is computed again
//===----------------------------------------------------------------------===//

/// Work, and not a name for bytes.
static bool isWork(Operation *op) {
  return isa<LaunchOp>(op) || nn::isPlanProduct(op);
}

Recomputation::Recomputation(ModuleOp plan) : plan(plan) {
  if (isLayered(plan))
    microStepsHere = plan->getAttrOfType<IntegerAttr>(kMicroStepsAttr).getInt();
}

void Recomputation::countModel(ModuleOp model, StringRef name,
                               SymbolicExecutor &symbolic) {
  DenseMap<Term, int64_t> here;
  for (Operation &op : model.lookupSymbol<func::FuncOp>(name).front())
    if (isWork(&op))
      ++here[symbolic.termOf(op.getResult(0))];
  for (auto [term, times] : here)
    inModel[term] = std::max(inModel.lookup(term), times);
}

void Recomputation::count(Operation *op, Term term,
                          std::optional<int64_t> micro) {
  if (!isWork(op))
    return;
  // What depends on no micro-step may be computed for each.
  int64_t most =
      std::max<int64_t>(inModel.lookup(term), 1) * (micro ? 1 : microStepsHere);
  if (++found[{term, micro.value_or(-2)}] > most && !again)
    again = op;
}

LogicalResult Recomputation::judge() {
  auto options = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  if (!options || (again != nullptr) == (options.getRemat() != "none"))
    return success();
  return contradicts(again ? again : plan.getOperation(),
                     again ? "computed that before"
                           : "nothing that is computed again",
                     options, "--remat");
}
