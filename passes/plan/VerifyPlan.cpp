//===- VerifyPlan.cpp - Judge a finished plan -----------------------------===//
//
// Reads streams, events and byte ranges, and nothing that the planning passes
// concluded; it shares no code with them but the dialect, which says what an
// operation reads, writes and ties.
//
// The judge replays the step in program order.  Each byte of each tier holds a
// version: a number that every write renews.  A value is the versions of its
// bytes when it was defined; a view or a pack defines nothing, it takes over
// the versions of its operands, without padding.
//
//   (V1)  a use finds the versions of its value, and comes after whoever wrote
//         them: on the same stream, or by an event.
//   (V2)  a write comes after every earlier read and write of its bytes.
//   (S1)  a value has the bytes that its type needs, inside the arena, and
//         arguments do not overlap.
//   (S2)  a view lies in its operand, packed operands in the pack, and what
//         must replace an operand has its bytes.
//   (S3)  results overlap neither each other nor an operand, unless they may
//         replace it.
//   (S4)  what peers read lies in the exported bytes, whole pages at the end of
//         the arena.
//   (S5)  a plan is made of operations that the runtime knows.
//   (V6)  next state ends in the bytes of the state, and is still there; all
//         programs keep state, inputs, scalars and outputs in the same bytes.
//   (V7)  an operation computes on bytes of the device.
//   (V10) a wait's event is recorded before it.
//   (V11) what ranks must agree on is equal on all (VerifyAgreement.cpp).
//
// "Comes after" is judged by vector clocks: for each stream, how many
// operations of every other stream are known to be over when its next one
// starts.  Since a write must come after all earlier uses (V2), only the last
// writer and the last reader per stream since then are kept for each byte.
//
// A collective uses its operands on every rank, and is over when the last rank
// has read them: for the bytes of one rank it is an operation like any other.
// In place, peers read the rank's own slice and the rank writes the others, or
// the other way round.
//
// Each program starts after, and ends with, a join of all streams.  The judge
// stops at the first offence.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Programs.h"
#include "passes/plan/JudgeProgram.h"
#include "passes/plan/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::zero {
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {
struct VerifyPlan : zero::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

/// Fails unless `program` keeps its arguments where `step` does.
static LogicalResult judgeArgumentsAgree(func::FuncOp program,
                                         func::FuncOp step) {
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
static LogicalResult
judgeOutputsAgree(func::FuncOp program,
                  llvm::StringMap<std::pair<Type, Attribute>> &outputs) {
  for (OpOperand &value : program.front().getTerminator()->getOpOperands()) {
    unsigned i = value.getOperandNumber();
    auto name = program.getResultAttrOfType<StringAttr>(i, kOutputAttr);
    Operation *def = value.get().getDefiningOp();
    auto bytes = def ? def->getAttrOfType<ArrayAttr>(kBytesAttr) : ArrayAttr();
    if (!name || !bytes)
      continue;
    std::pair<Type, Attribute> mine = {
        value.get().getType(),
        bytes[cast<OpResult>(value.get()).getResultNumber()]};
    auto [known, isNew] = outputs.try_emplace(name, mine);
    if (!isNew && known->second != mine) // (V6)
      return program.emitOpError("has output ")
             << name << " of " << mine.first << " at " << mine.second
             << ", and another program of " << known->second.first << " at "
             << known->second.second << " (V6)";
  }
  return success();
}

/// The programs that a step of so many micro-steps needs are there.
static LogicalResult judgePrograms(ModuleOp module, func::FuncOp step) {
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  bool several = steps && steps.getInt() > 1;
  if (several != (module.lookupSymbol("micro") != nullptr)) // (S5)
    return module.emitError("has ")
           << (several ? "no @micro" : "@micro") << ", but a step of "
           << (steps ? steps.getInt() : 1) << " micro-steps (S5)";
  llvm::StringSet<> counted;
  if (auto count = module.lookupSymbol<func::FuncOp>("count"))
    for (unsigned i = 0, e = count.getNumResults(); i != e; ++i)
      if (auto name = count.getResultAttrOfType<StringAttr>(i, kOutputAttr))
        counted.insert(name);
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    if (auto name = step.getArgAttrOfType<StringAttr>(i, kScalarAttr))
      if (name.getValue().starts_with("count") &&
          !counted.contains(name)) // (S5)
        return step.emitOpError("reads ")
               << name << ", which no output of @count is called (S5)";
  return success();
}

LogicalResult zero::verifyPlan(ModuleOp module) {
  auto step = module.lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return module.emitError(
        "a plan has a function @step of one block; this module has none");
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  if (!arena || arena.size() != judge::kTiers)
    return module.emitError(
        "a plan has zero.arena, the bytes of the device, host and nvme arena; "
        "run zero-assign-memory first");
  auto axis = module.lookupSymbol<AxisOp>("dp");
  // Without the attribute nothing is exported.
  auto exported = module->getAttrOfType<IntegerAttr>(kExportedAttr);
  int64_t begin = exported ? exported.getInt() : arena[0];
  if (begin < 0 || begin > arena[0] || (begin % 4096 && begin != arena[0]))
    return module.emitError("exports its device arena of ") // (S4)
           << arena[0] << " bytes from byte " << begin
           << " on, which is no page of it (S4)";
  if (failed(judgePrograms(module, step)))
    return failure();
  llvm::StringMap<std::pair<Type, Attribute>> outputs;
  for (func::FuncOp program : findPrograms(module)) {
    if (!program.getBody().hasOneBlock())
      return program.emitOpError("has ")
             << program.getBody().getBlocks().size()
             << " blocks; a plan is a straight line";
    if (failed(judgeArgumentsAgree(program, step)) ||
        failed(verifyAgreement(program, axis ? axis.getSize() : 1)) ||
        failed(judgeOutputsAgree(program, outputs)) ||
        failed(judge::Judge(program, arena.asArrayRef(), begin).run()))
      return failure();
  }
  return success();
}
