//===- VerifyPlan.cpp - Judge a finished plan -----------------------------===//
//
// Reads streams, events and byte ranges, and nothing that the planning passes
// concluded; it shares no code with them but the dialect, which says what an
// operation reads, writes and ties.
//
//   Structure.h   each operation by itself          S1 to S5, V7
//   Meaning.h     what values stand for             V11, V12, V13
//   Kernels.h     what kernels say of themselves    S6
//   Interface.h   what the host reads and writes    S5
//   Order.h       streams and ranks together        V3, V4, V10
//   Replay.h      every byte, rank by rank          V1, V2, V5, V6, V9
//   here          the module                        S4, S5, V6, V8
//
//   (S1)  a value has the bytes that its type needs, inside the arena, and
//         arguments do not overlap.
//   (S2)  a view lies in its operand, packed operands in the pack, and what
//         must replace an operand has its bytes.
//   (S3)  results overlap neither each other nor an operand, unless they may
//         replace it.
//   (S4)  what peers read lies in the exported bytes, whole pages at the end of
//         the arena.
//   (S5)  a plan is made of operations and programs that the runtime knows.
//   (V6)  all programs keep state, inputs, scalars and outputs in the same
//         bytes.
//   (V7)  an operation computes on bytes of the device.
//   (V8)  an arena is no larger than its budget.
//
// A program starts after, and ends with, a join of all streams of its rank.  So
// the seams between programs, and from step to step, need no unrolling: every
// program may find the state as its arguments say, with nothing under way, and
// leaves it so (V6).  Peers are no exception: an exchange is over on a rank
// only when no peer reads its bytes any more.  Inputs and scalars are written
// by the host before each program.
//
// The judge stops at the first offence.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Programs.h"
#include "passes/verify/Interface.h"
#include "passes/verify/Kernels.h"
#include "passes/verify/Kinds.h"
#include "passes/verify/Meaning.h"
#include "passes/verify/Passes.h"
#include "passes/verify/Replay.h"
#include "passes/verify/Words.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::zero {
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/verify/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

struct VerifyPlan : zero::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

class Plan {
public:
  explicit Plan(ModuleOp module) : module(module), layouts(module) {}
  LogicalResult judge();

private:
  using Outputs = llvm::StringMap<std::pair<Type, Attribute>>;
  /// A program, and the ranks that run it.
  using Ranked = llvm::MapVector<func::FuncOp, SmallVector<int64_t>>;

  template <typename AttributeTy>
  LogicalResult judgeType(StringRef name);
  LogicalResult judgeMemory();
  LogicalResult judgeBudget();
  LogicalResult judgePrograms();
  LogicalResult judgeRankPrograms();
  LogicalResult judgeArguments(func::FuncOp program);
  LogicalResult judgeOutputs(func::FuncOp program, Outputs &outputs);
  LogicalResult judgeAlone(func::FuncOp program, Outputs &outputs);
  LogicalResult judgeTogether(StringRef name, Ranked &ranked);
  Ranked findRanked(StringRef name);

  ModuleOp module;
  Layouts layouts;
  func::FuncOp step;
  Arenas arenas;
  DenseMap<Operation *, Ranges> ranges; ///< of each program
};

} // namespace

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// An attribute of another type would be taken for none.
template <typename AttributeTy>
LogicalResult Plan::judgeType(StringRef name) {
  Attribute attribute = module->getAttr(name);
  if (!attribute || isa<AttributeTy>(attribute))
    return success();
  return module.emitError("has ") // (S5)
         << name << " = " << attribute << ", which is none of "
         << AttributeTy::name << " (S5)";
}

LogicalResult Plan::judgeMemory() {
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  constexpr int kTiers = 3;
  if (!arena || arena.size() != kTiers)
    return module.emitError(
        "a plan has zero.arena, the bytes of the device, host and nvme arena; "
        "run zero-assign-memory first");
  arenas.bytes = arena.asArrayRef();
  for (int64_t bytes : arenas.bytes)
    if (bytes < 0) // (S1)
      return module.emitError("has an arena of ") << bytes << " bytes (S1)";
  if (failed(judgeType<IntegerAttr>(kExportedAttr)))
    return failure();
  // Without the attribute nothing is exported.
  auto exported = module->getAttrOfType<IntegerAttr>(kExportedAttr);
  int64_t device = arena[0],
          begin = exported ? exported.getValue().trySExtValue().value_or(-1)
                           : device;
  if (begin < 0 || begin > device || (begin % 4096 && begin != device))
    return module.emitError("exports its device arena of ") // (S4)
           << device << " bytes from byte " << begin
           << " on, which is no page of it (S4)";
  arenas.exported = begin;
  return success();
}

LogicalResult Plan::judgeBudget() {
  if (failed(judgeType<DenseI64ArrayAttr>(kBudgetAttr)))
    return failure();
  if (auto budget = module->getAttrOfType<DenseI64ArrayAttr>(kBudgetAttr))
    for (int tier = 0; tier < std::min<int>(arenas.bytes.size(), budget.size());
         ++tier)
      if (budget[tier] >= 0 && arenas.bytes[tier] > budget[tier]) // (V8)
        return module.emitError("needs ")
               << arenas.bytes[tier] << " bytes of "
               << stringifyTier(Tier(tier)) << " memory on each rank, "
               << arenas.bytes[tier] - budget[tier] << " more than the "
               << budget[tier]
               << " that it may have (V8); a higher stage, more ranks or a "
                  "smaller batch need less";
  return success();
}

/// The programs that a step of so many micro-steps needs are there.
LogicalResult Plan::judgePrograms() {
  auto axes = llvm::to_vector(module.getOps<AxisOp>());
  if (axes.size() > 1) // (S5)
    return axes[1].emitOpError("is a second axis, and the runtime knows one "
                               "group of ranks (S5)");
  if (failed(judgeType<IntegerAttr>(kMicroStepsAttr)))
    return failure();
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  constexpr int64_t kMost = 1 << 30;
  if (steps && (!steps.getType().isSignlessInteger(64) || steps.getInt() < 1 ||
                steps.getInt() > kMost)) // (S5)
    return module.emitError("has ")
           << kMicroStepsAttr << " = " << steps
           << " (S5); it is an i64 from 1 to " << kMost;
  for (StringRef name : kPrograms)
    if (auto program = module.lookupSymbol<func::FuncOp>(name);
        program && program->hasAttr(kKernelAttr)) // (S5)
      return program.emitOpError("is a program and a kernel (S5)");
  bool several = steps && steps.getInt() > 1;
  auto has = [&](StringRef name) {
    auto program = module.lookupSymbol<func::FuncOp>(name);
    return program && !program.isExternal();
  };
  if (several != has("micro")) // (S5)
    return module.emitError("has ")
           << (several ? "no @micro" : "@micro") << ", but a step of "
           << (steps ? steps.getInt() : 1) << " micro-steps (S5)";
  if (!several && has("count")) // (S5)
    return module.emitError("has @count, which runs only in a step of several "
                            "micro-steps (S5)");
  return success();
}

/// Programs of one rank are those of a rank and a program that exist.
LogicalResult Plan::judgeRankPrograms() {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto program = function->getAttrOfType<StringAttr>(kProgramAttr);
    auto rank = function->getAttrOfType<IntegerAttr>(kRankAttr);
    if (!program && !rank)
      continue;
    if (!program || !rank || !module.lookupSymbol(program)) // (S5)
      return function.emitOpError("is a program of one rank, and needs "
                                  "zero.rank and, as zero.program, the name "
                                  "of a program of this module (S5)");
    if (rank.getInt() < 0 || rank.getInt() >= layouts.getRanks()) // (S5)
      return function.emitOpError("is a program of rank ")
             << rank.getInt() << ", but the plan has " << layouts.getRanks()
             << " ranks (S5)";
    if (findProgram(module, program, rank.getInt()) != function) // (S5)
      return function.emitOpError("is a second program ")
             << program << " of rank " << rank.getInt() << " (S5)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

/// Fails unless `program` keeps its arguments where @step does.
LogicalResult Plan::judgeArguments(func::FuncOp program) {
  if (program.getArgumentTypes() != step.getArgumentTypes()) // (V6)
    return program.emitOpError("takes other arguments than @step (V6); "
                               "programs of a step share state, "
                               "inputs and scalars");
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    for (StringRef name : {kBytesAttr, kStateAttr, kInputAttr, kScalarAttr})
      if (program.getArgAttr(i, name) != step.getArgAttr(i, name)) // (V6)
        return program.emitOpError("has ")
               << name << " = " << program.getArgAttr(i, name)
               << " for argument " << i << ", and @step has "
               << step.getArgAttr(i, name) << " (V6)";
  return success();
}

/// An output of several programs is one value to the host.
LogicalResult Plan::judgeOutputs(func::FuncOp program, Outputs &outputs) {
  for (OpOperand &value : program.front().getTerminator()->getOpOperands()) {
    unsigned i = value.getOperandNumber();
    auto name = program.getResultAttrOfType<StringAttr>(i, kOutputAttr);
    if (!name)
      continue;
    std::pair<Type, Attribute> mine = {value.get().getType(),
                                       ranges[program].lookup(value.get())};
    auto [known, isNew] = outputs.try_emplace(name, mine);
    if (!isNew && known->second != mine) // (V6)
      return program.emitOpError("has output ")
             << name << " of " << mine.first << " at " << mine.second
             << ", and another program of " << known->second.first << " at "
             << known->second.second << " (V6)";
  }
  return success();
}

LogicalResult Plan::judgeAlone(func::FuncOp program, Outputs &outputs) {
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
                 failed(judgeAgreement(program, layouts.getRanks())) ||
                 failed(judgeIdentity(program)));
}

//===----------------------------------------------------------------------===//
// All ranks
//===----------------------------------------------------------------------===//

Plan::Ranked Plan::findRanked(StringRef name) {
  Ranked ranked;
  for (int64_t rank = 0; rank < layouts.getRanks(); ++rank)
    if (func::FuncOp program = findProgram(module, name, rank))
      ranked[program].push_back(rank);
  return ranked;
}

LogicalResult Plan::judgeTogether(StringRef name, Ranked &ranked) {
  SmallVector<Side> sides;
  for (auto &[program, ranks] : ranked)
    sides.push_back({program, ranks.front()});
  FailureOr<Order> order = Order::of(sides);
  if (failed(order))
    return failure();
  for (auto &[program, ranks] : ranked)
    for (int64_t rank :
         findKinds(program, ranks, this->ranges[program], layouts))
      if (failed(replay(program, name, rank, ranges[program], *order, layouts)))
        return failure();
  return success();
}

LogicalResult Plan::judge() {
  step = module.lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return module.emitError(
        "a plan has a function @step of one block; this module has none");
  if (failed(judgeMemory()) || failed(judgePrograms()) ||
      failed(judgeRankPrograms()) || failed(judgeKernels(module)))
    return failure();
  SmallVector<std::pair<StringRef, Ranked>> programs;
  for (StringRef name : kPrograms) {
    programs.push_back({name, findRanked(name)});
    if (auto shared = module.lookupSymbol<func::FuncOp>(name);
        shared && !shared.isExternal() &&
        !programs.back().second.contains(shared)) // (S5)
      return shared.emitOpError("is run by no rank: each has a program of its "
                                "own (S5)");
  }
  Outputs outputs;
  for (auto &[name, ranked] : programs)
    for (auto &[program, ranks] : ranked)
      if (failed(judgeAlone(program, outputs)))
        return failure();
  for (auto &[name, ranked] : programs)
    if (failed(judgeTogether(name, ranked)))
      return failure();
  if (failed(judgeInterface(module)))
    return failure();
  for (auto &[name, ranked] : programs)
    for (auto &[program, ranks] : ranked)
      if (failed(judgeContributions(program, name, layouts.getRanks())))
        return failure();
  return judgeBudget();
}

LogicalResult zero::verifyPlan(ModuleOp module) { return Plan(module).judge(); }
