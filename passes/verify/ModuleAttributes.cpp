//===- ModuleAttributes.cpp - Attributes of a plan's module ---------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/BytesText.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

FailureOr<Arenas> judge::judgeArenas(ModuleOp module) {
  Arenas arenas;
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  if (!arena || arena.size() != kNumTiers)
    return module.emitError(
        "a plan has zero.arena, the bytes of the device, host and nvme arena; "
        "run zero-assign-memory first");
  arenas.bytes = arena.asArrayRef();
  for (int64_t bytes : arenas.bytes)
    if (bytes < 0) // (S1)
      return module.emitError("has an arena of ") << bytes << " bytes (S1)";
  // Without the attribute nothing is exported.
  auto exported = module->getAttrOfType<IntegerAttr>(kExportedAttr);
  int64_t device = arena[0],
          begin = exported ? exported.getValue().trySExtValue().value_or(-1)
                           : device;
  if (begin < 0 || begin > device || (begin % 4096 && begin != device))
    return module.emitError("exports its device arena of ") // (S4)
           << bytesText(device) << " from byte " << begin
           << " on, which is no page of it (S4)";
  arenas.exported = begin;
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  if (target && target.getName() != "cuda") // (S1)
    return module.emitError("is for the target \"")
           << target.getName() << "\", and only \"cuda\" is known (S1)";
  arenas.workspace = module->getAttrOfType<BytesAttr>(kWorkspaceAttr);
  const uint64_t has = arenas.workspace ? arenas.workspace.getSize() : 0,
                 needs = target ? target.getWorkspace() : 0;
  if (has != needs) // (S1)
    return module.emitError("has a zero.workspace of ")
           << bytesText(has) << ", and its zero.target asks for "
           << bytesText(needs) << " (S1)";
  if (Attribute workspace = module->getAttr(kWorkspaceAttr)) {
    constexpr int64_t kAlignment = 256;
    if (!arenas.workspace || arenas.workspace.getTier() != Tier::Device ||
        arenas.workspace.getSize() == 0 ||
        arenas.workspace.getOffset() % kAlignment != 0 ||
        arenas.workspace.getOffset() >
            device - arenas.workspace.getSize()) // (S1)
      return module.emitError("has zero.workspace = ")
             << workspace << " (S1); it is some bytes of the device arena of "
             << bytesText(device) << ", from a multiple of " << kAlignment
             << " on";
  }
  return arenas;
}

LogicalResult judge::judgeWorkspace(ModuleOp module, const Arenas &arenas) {
  nn::MatmulOp first;
  if (arenas.workspace)
    for (auto program : module.getOps<ProgramOp>())
      for (auto product : program.getOps<nn::MatmulOp>()) {
        if (!first)
          first = product;
        if (getStream(product) != getStream(first)) { // (S1)
          InFlightDiagnostic error = product.emitOpError("is on stream ");
          error << stringifyStream(getStream(product))
                << ", and products on another one use zero.workspace too (S1)";
          error.attachNote(first.getLoc())
              << "the first is on stream " << stringifyStream(getStream(first));
          return error;
        }
      }
  return success();
}

LogicalResult judge::judgeBudget(ModuleOp module, const Arenas &arenas) {
  if (auto budget = module->getAttrOfType<DenseI64ArrayAttr>(kBudgetAttr))
    for (int tier = 0; tier < std::min<int>(arenas.bytes.size(), budget.size());
         ++tier)
      if (budget[tier] >= 0 && arenas.bytes[tier] > budget[tier]) // (V8)
        return module.emitError("needs ")
               << bytesText(arenas.bytes[tier]) << " of "
               << stringifyTier(Tier(tier)) << " memory on each rank, "
               << bytesText(arenas.bytes[tier] - budget[tier])
               << " more than the " << bytesText(budget[tier])
               << " that it may have (V8)";
  return success();
}

/// Checks that the module has the programs that its number of micro-steps
/// needs.
static LogicalResult judgeSteps(ModuleOp module) {
  auto axes = llvm::to_vector(module.getOps<AxisOp>());
  if (axes.size() > 1) // (S5)
    return axes[1].emitOpError("is a second axis, and the runtime knows one "
                               "group of ranks (S5)");
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  constexpr int64_t kMaxMicroSteps = 1 << 30;
  if (steps && (!steps.getType().isSignlessInteger(64) || steps.getInt() < 1 ||
                steps.getInt() > kMaxMicroSteps)) // (S5)
    return module.emitError("has ")
           << kMicroStepsAttr << " = " << steps
           << " (S5); it is an i64 from 1 to " << kMaxMicroSteps;
  bool several = getMicroSteps(module) > 1;
  auto has = [&](StringRef name) { return hasProgram(module, name); };
  // If inputs belong to micro-steps, @step runs all micro-steps.
  ProgramOp step = findMainProgram(module);
  bool inOne = false;
  for (unsigned i = 0; several && step && i != step.getNumArguments(); ++i)
    inOne |= step.getArgAttr(i, kMicroAttr) != nullptr;
  if (several != (has("micro") || inOne)) // (S5)
    return module.emitError("has ")
           << (several ? "no @micro" : "@micro") << ", but a step of "
           << getMicroSteps(module) << " micro-steps (S5)";
  if (!several && has("count")) // (S5)
    return module.emitError("has @count, which runs only in a step of several "
                            "micro-steps (S5)");
  if (has("first") != has("flush")) // (S5)
    return module.emitError("has ")
           << (has("first") ? "@first and no @flush" : "@flush and no @first")
           << " (S5); what a program leaves pending another ends";
  if (has("first") && has("micro")) // (S5)
    return module.emitError("has @first, which is of steps of one program, and "
                            "@micro (S5)");
  return success();
}

/// Checks that each program of one rank names an existing rank and program.
static LogicalResult judgeRankPrograms(ModuleOp module, int64_t ranks) {
  for (auto program : module.getOps<ProgramOp>()) {
    std::optional<StringRef> name = program.getProgram();
    std::optional<uint64_t> number = program.getRank();
    if (!name && !number)
      continue;
    if (!name || !number || !module.lookupSymbol<ProgramOp>(*name)) // (S5)
      return program.emitOpError("is a program of one rank, and needs a rank, "
                                 "and as program the name of a program of "
                                 "this module (S5)");
    auto axes = module.getOps<AxisOp>();
    if (!axes.empty() && (*axes.begin()).getGroup()) // (S5)
      return program.emitOpError("is a program of rank ")
             << *number << ", and ranks are in groups of "
             << *(*axes.begin()).getGroup()
             << " (S5); then all ranks run the same programs, since the order "
                "of collectives within a group is that of one program";
    if (!axes.empty() && (*axes.begin()).getContextSize() > 1) // (S5)
      return program.emitOpError("is a program of rank ")
             << *number << ", and " << (*axes.begin()).getContextSize()
             << " ranks share a sequence (S5); then all ranks run the same "
                "programs";
    auto rank = static_cast<int64_t>(*number);
    if (rank < 0 || rank >= ranks) // (S5)
      return program.emitOpError("is a program of rank ")
             << rank << ", but the plan has " << ranks << " ranks (S5)";
    if (findProgram(module, *name, rank) != program) // (S5)
      return program.emitOpError("is a second program \"")
             << *name << "\" of rank " << rank << " (S5)";
  }
  return success();
}

/// In a reference the model is one kernel, which computes means within one rank
/// and one micro-step only.
static LogicalResult judgeReference(ModuleOp module, int64_t ranks) {
  int64_t microSteps = getMicroSteps(module);
  if (!module->hasAttr(kReferenceAttr) || (ranks == 1 && microSteps == 1))
    return success();
  return module.emitError("has ") // (S5)
         << kReferenceAttr << ", " << ranks << " ranks and " << microSteps
         << " micro-steps (S5); a reference is one rank and one micro-step";
}

LogicalResult judge::judgePrograms(ModuleOp module, int64_t ranks) {
  return failure(failed(judgeSteps(module)) ||
                 failed(judgeReference(module, ranks)) ||
                 failed(judgeRankPrograms(module, ranks)));
}
