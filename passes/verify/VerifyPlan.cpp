//===- VerifyPlan.cpp - Judges a finished plan ----------------------------===//
//
// The judge reads streams, events and byte ranges, and no results of the
// planning passes.  The only code that it shares with them is the dialect.
//
//   Structure          each operation by itself             S1 to S5, V7
//   Agreement          values that ranks agree on           V11
//   SlotUses           slots and scalars                    V12
//   Contributions      gradients and updates                V13
//   Norm               the norm of all gradients            V13
//   Kernels            attributes of kernels                S6
//   Positions          data-dependent indices               S8
//   IntegerTraps       undefined integer arithmetic         S8
//   ModuleAttributes   attributes of the module             S1, S4, S5, V8
//   PlanOptions        options of the plan                  S7
//   HostInterface      arguments and outputs                S5
//   HostOutputs        outputs that the host needs          S5
//   HappensBefore      order of streams and ranks           V3, V4, V10
//   Replay             contents of each byte, rank by rank  V1, V2, V5, V6, V9
//   SplitModel         a model that ranks share             V15
//   Refinement         comparison with the model            V14
//   ModelClaims        options that concern the model       S7
//   this file          programs of one step                 S5, V6
//
//   (S1)  a value has the bytes that its type needs, inside the arena, and
//         arguments do not overlap.
//   (S2)  a view lies in its operand, operands lie in their flat gradient, and
//         a result that must replace an operand has its bytes.
//   (S3)  results overlap neither each other nor an operand, unless they may
//         replace it.
//   (S4)  peers read only exported bytes, whole pages at the end of the arena.
//   (S5)  a plan consists of operations and programs that the runtime knows.
//   (V6)  all programs keep state, inputs, scalars and outputs in the same
//         bytes.
//   (V7)  an operation computes on bytes of the device, or of the host on its
//         stream; a transfer connects neighbouring tiers, on its stream.
//   (V8)  an arena is no larger than its budget.
//   (V14) the programs compute what the model does.
//   (V15) ranks that share a sequence compute what the model does.
//
// A program starts after a join of all streams of its rank, and ends with one.
// So the transitions between programs and steps need no unrolling: every
// program finds the state where its arguments say, with no operation running,
// and leaves it there (V6).  This includes peers: a collective ends on a rank
// only when no peer reads its bytes any more.  The host writes inputs and
// scalars before each program, and the means of @count's outputs after @count.
//
// The judge stops at the first error.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/BytesText.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "passes/verify/Kernels.h"
#include "passes/verify/Passes.h"
#include "passes/verify/Rules.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::zero {
#define GEN_PASS_DEF_VERIFYPLAN
#define GEN_PASS_DEF_VERIFYPOSITIONS
#include "passes/verify/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

struct VerifyPlan : zero::impl::VerifyPlanBase<VerifyPlan> {
  using VerifyPlanBase::VerifyPlanBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> file;
    FailureOr<ModuleOp> against = findModelToCompare(file);
    if (failed(against) || failed(verifyPlan(getOperation(), *against)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Returns null if no model is asked for.  `file` owns a model that was read.
  FailureOr<ModuleOp> findModelToCompare(OwningOpRef<ModuleOp> &file) {
    if (withoutModel && !model.empty())
      return getOperation().emitError("is to be judged against ")
             << model.getValue() << " and without a model; drop one of the two";
    if (withoutModel)
      return ModuleOp();
    if (!model.empty()) {
      file = parseSourceFile<ModuleOp>(model.getValue(), &getContext());
      if (!file)
        return getOperation().emitError("cannot be judged against ")
               << model.getValue() << ", which is no valid MLIR";
      return *file;
    }
    auto models = llvm::to_vector(getOperation().getOps<ModuleOp>());
    if (models.size() > 1) // (V14)
      return models[1].emitError("is a second module inside a plan, and a plan "
                                 "is compared with one model (V14)");
    ModuleOp own = findModel(getOperation());
    if (!own) // (V14)
      return getOperation().emitError(
          "carries no model to be compared with (V14); compile it again from "
          "level kernels or before, or judge it by the other rules alone: "
          "zero-verify-plan=without-model");
    return own;
  }
};

class Plan {
public:
  explicit Plan(ModuleOp module) : module(module), layouts(module) {}
  LogicalResult judge(ModuleOp model);

private:
  using Outputs = llvm::StringMap<std::pair<Type, Attribute>>;
  /// A program, and the ranks that run it.
  using Ranked = llvm::MapVector<ProgramOp, SmallVector<int64_t>>;

  LogicalResult judgeArguments(ProgramOp program);
  LogicalResult judgeCaches(ProgramOp program);
  LogicalResult judgeOutputs(ProgramOp program, Outputs &outputs);
  LogicalResult judgeAlone(ProgramOp program, Outputs &outputs);
  LogicalResult judgeTogether(StringRef name, Ranked &ranked);
  Ranked findRanked(StringRef name);

  ModuleOp module;
  BucketLayouts layouts;
  ProgramOp step;
  ProgramOp decoding; ///< the first program with caches
  Arenas arenas;
  DenseMap<Operation *, Ranges> ranges; ///< by program
};

} // namespace

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

/// Fails unless `program` keeps its arguments where @step keeps them.
LogicalResult Plan::judgeArguments(ProgramOp program) {
  const unsigned shared = getNumShared(step);
  if (getNumShared(program) != shared ||
      program.getArgumentTypes().take_front(shared) !=
          step.getArgumentTypes().take_front(shared)) // (V6)
    return program.emitOpError("takes other arguments than @step (V6); "
                               "programs of a step share state, "
                               "inputs and scalars");
  for (unsigned i = 0; i != shared; ++i)
    for (StringRef name :
         {kBytesAttr, kStateAttr, kInputAttr, kVocabAttr, kIgnoredAttr,
          kScalarAttr, kMicroAttr, kSeparatorAttr, kKeptEveryAttr})
      if (program.getArgAttr(i, name) != step.getArgAttr(i, name)) // (V6)
        return program.emitOpError("has ")
               << name << " = " << program.getArgAttr(i, name)
               << " for argument " << i << ", and @step has "
               << step.getArgAttr(i, name) << " (V6)";
  return judgeCaches(program);
}

/// Fails unless only @prefill and @decode have caches, and the same ones in the
/// same bytes.
LogicalResult Plan::judgeCaches(ProgramOp program) {
  SmallVector<NextCache> caches = findNextCaches(program);
  if (!isDecoding(getProgramName(program))) {
    if (!caches.empty()) // (V6)
      return program.emitOpError("takes the cache ")
             << caches.front().name
             << " (V6); only @prefill and @decode have caches";
    return success();
  }
  if (!decoding)
    decoding = program;
  const unsigned first = getNumShared(program);
  if (caches.size() != program.getNumArguments() - first ||
      program.getArgumentTypes() != decoding.getArgumentTypes()) // (V6)
    return program.emitOpError("takes other caches than @")
           << decoding.getSymName() << " (V6); they continue each other";
  for (unsigned i = first, e = program.getNumArguments(); i != e; ++i)
    for (StringRef name : {kBytesAttr, kCacheAttr})
      if (program.getArgAttr(i, name) != decoding.getArgAttr(i, name)) // (V6)
        return program.emitOpError("has ")
               << name << " = " << program.getArgAttr(i, name)
               << " for argument " << i << ", and @" << decoding.getSymName()
               << " has " << decoding.getArgAttr(i, name) << " (V6)";
  return success();
}

/// Checks that an output has the same type and bytes in all programs: the host
/// sees one value.
LogicalResult Plan::judgeOutputs(ProgramOp program, Outputs &outputs) {
  for (OpOperand &value : program.front().getTerminator()->getOpOperands()) {
    unsigned i = value.getOperandNumber();
    auto name = program.getOutput(i);
    if (!name)
      continue;
    std::pair<Type, Attribute> mine = {value.get().getType(),
                                       ranges[program].lookup(value.get())};
    auto [known, isNew] = outputs.try_emplace(getOutputKey(program, i), mine);
    if (!isNew && known->second != mine) // (V6)
      return program.emitOpError("has output ")
             << name << " of " << mine.first << " at " << mine.second
             << ", and another program of " << known->second.first << " at "
             << known->second.second << " (V6)";
  }
  return success();
}

LogicalResult Plan::judgeAlone(ProgramOp program, Outputs &outputs) {
  if (program.isExternal() || !program.getBody().hasOneBlock()) // (S5)
    return program.emitOpError("has ")
           << program.getBody().getBlocks().size()
           << " blocks; a plan is a straight line (S5)";
  if (failed(judgeArguments(program)))
    return failure();
  FailureOr<Ranges> found = judgeStructure(program, arenas, layouts);
  if (failed(found))
    return failure();
  ranges[program] = std::move(*found);
  return failure(failed(judgeOutputs(program, outputs)) ||
                 failed(judgeAgreement(program, layouts)) ||
                 failed(judgeSlotUses(program)));
}

//===----------------------------------------------------------------------===//
// All ranks
//===----------------------------------------------------------------------===//

Plan::Ranked Plan::findRanked(StringRef name) {
  Ranked ranked;
  for (int64_t rank = 0; rank < layouts.getRanks(); ++rank)
    if (ProgramOp program = findProgram(module, name, rank))
      ranked[program].push_back(rank);
  return ranked;
}

LogicalResult Plan::judgeTogether(StringRef name, Ranked &ranked) {
  SmallVector<Side> sides;
  for (auto &[program, ranks] : ranked)
    sides.push_back({program, ranks.front()});
  FailureOr<HappensBefore> order = simulate(sides);
  if (failed(order))
    return failure();
  for (auto &[program, ranks] : ranked)
    for (int64_t rank : findRankRepresentatives(program, ranks,
                                                this->ranges[program], layouts))
      if (failed(replay(program, name, rank, ranges[program], *order, layouts)))
        return failure();
  return success();
}

/// Returns true if any value lies on NVMe: state, or a temporary.
static bool usesNvme(FunctionOpInterface program) {
  auto isNvme = [](Value value) {
    return getTier(value.getType()) == Tier::Nvme;
  };
  return llvm::any_of(program.getArguments(), isNvme) ||
         llvm::any_of(program.front(), [&](Operation &op) {
           return llvm::any_of(op.getResults(), isNvme);
         });
}

LogicalResult Plan::judge(ModuleOp model) {
  step = findMainProgram(module);
  if (!step)
    return module.emitError(
        "a plan has a program @step, or @prefill alone, of one block; this "
        "module has none");
  for (auto function : module.getOps<func::FuncOp>()) // (S5)
    return function.emitOpError("is no part of a plan (S5), which is made of "
                                "zero.program and zero.kernel");
  FailureOr<Arenas> memory = judgeArenas(module);
  if (failed(memory) || failed(judgePrograms(module, layouts.getRanks())) ||
      failed(judgeKernels(module)) || failed(judgeWorkspace(module, *memory)))
    return failure();
  arenas = *memory;
  SmallVector<std::pair<StringRef, Ranked>> programs;
  for (StringRef name : kPrograms) {
    programs.push_back({name, findRanked(name)});
    if (auto shared = module.lookupSymbol<ProgramOp>(name);
        shared && !shared.isExternal() &&
        !programs.back().second.contains(shared)) // (S5)
      return shared.emitOpError("is run by no rank: each has a program of its "
                                "own (S5)");
  }
  Outputs outputs;
  SmallVector<FunctionOpInterface> all;
  for (auto &[name, ranked] : programs)
    for (auto &[program, ranks] : ranked) {
      if (failed(judgeAlone(program, outputs)))
        return failure();
      all.push_back(program);
    }
  for (auto &[name, ranked] : programs)
    if (failed(judgeTogether(name, ranked)))
      return failure();
  if (failed(judgeHostInterface(module)))
    return failure();
  if (failed(judgePositions(module, all)))
    return failure();
  for (auto &[name, ranked] : programs)
    for (auto &[program, ranks] : ranked)
      if (failed(judgeContributions(program, name, layouts)))
        return failure();
  if (int64_t bytes = arenas.bytes[int(Tier::Nvme)];
      bytes && llvm::none_of(all, usesNvme)) // (S5)
    return module.emitError("has an nvme arena of ")
           << bytesText(bytes) << ", and keeps nothing there (S5)";
  if (failed(judgeOptions(module, model, layouts)) ||
      (model && failed(judgeSplit(module, model))) ||
      (model && failed(judgeRefinement(module, model, layouts.getRanks()))))
    return failure();
  return judgeBudget(module, arenas);
}

namespace {
struct VerifyPositions : zero::impl::VerifyPositionsBase<VerifyPositions> {
  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        functions.push_back(function);
    if (failed(judgePositions(getOperation(), functions)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult zero::verifyPlan(ModuleOp plan, ModuleOp model) {
  return Plan(plan).judge(model);
}
