//===- PlanPrograms.h - The programs of a plan ----------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// What `rank` runs as program `name`: one of its own, or else what all ranks
/// run; null if there is none.
inline ProgramOp findProgram(ModuleOp module, StringRef name, int64_t rank) {
  for (auto program : module.getOps<ProgramOp>())
    if (program.getProgram() == name &&
        program.getRank() == static_cast<uint64_t>(rank))
      return program;
  auto shared = module.lookupSymbol<ProgramOp>(name);
  return shared && !shared.isExternal() ? shared : ProgramOp();
}

/// What `program` is: "step", or what one rank runs as that.
inline StringRef getProgramName(ProgramOp program) {
  return program.getProgram().value_or(program.getSymName());
}

/// The ranks that share the state of `plan`: those of the axis that its buckets
/// are over; 1 without buckets.
inline int64_t getNumRanks(ModuleOp plan) {
  for (auto bucket : plan.getOps<BucketOp>())
    if (auto axis = plan.lookupSymbol<AxisOp>(bucket.getAxisAttr()))
      return axis.getSize();
  return 1;
}

/// The model that `plan` was made from: a module at level kernels inside it,
/// of @step and its kernels; null if there is none.
inline ModuleOp findModel(ModuleOp plan) {
  auto models = plan.getOps<ModuleOp>();
  return models.empty() ? ModuleOp() : *models.begin();
}

/// A state argument of a program, and the value that the program returns for
/// it: next states come first, in the order of the arguments.
struct NextState {
  BlockArgument argument;
  StateAttr state;
  Value next; ///< null if the program returns too little
};
inline SmallVector<NextState> findNextStates(ProgramOp program) {
  SmallVector<NextState> states;
  Operation *returned = program.front().getTerminator();
  for (BlockArgument argument : program.getArguments())
    if (StateAttr state = program.getState(argument.getArgNumber()))
      states.push_back({argument, state,
                        states.size() < returned->getNumOperands()
                            ? returned->getOperand(states.size())
                            : Value()});
  return states;
}

/// The programs that `module` has, in the order in which they run.
inline SmallVector<ProgramOp> findPrograms(ModuleOp module) {
  SmallVector<ProgramOp> programs;
  for (StringRef name : kPrograms)
    if (auto program = module.lookupSymbol<ProgramOp>(name);
        program && !program.isExternal())
      programs.push_back(program);
  return programs;
}

/// Whether `module` has that program.
inline bool hasProgram(ModuleOp module, llvm::StringRef name) {
  auto program = module.lookupSymbol<ProgramOp>(name);
  return program && !program.isExternal();
}

/// The program whose arguments are those of all: @step, or where a plan does not
/// train, @predict; null if there is neither.
inline ProgramOp findMainProgram(ModuleOp module) {
  for (StringRef name : {StringRef("step"), StringRef(kPredict)})
    if (hasProgram(module, name))
      return module.lookupSymbol<ProgramOp>(name);
  return ProgramOp();
}

/// Whether a program of `module` has all micro-steps of a step, and runs once.
inline bool isLayered(ModuleOp module) {
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  return steps && steps.getInt() > 1 && !hasProgram(module, "micro");
}

/// Tells outputs of one name apart where each micro-step has one; "" for a next
/// state.  No name has a NUL in it.
inline std::string getOutputKey(ProgramOp program, unsigned result) {
  StringAttr name = program.getOutput(result);
  if (!name)
    return "";
  auto micro = program.getResultAttrOfType<IntegerAttr>(result, kMicroAttr);
  return name.str() +
         (micro ? '\0' + std::to_string(micro.getInt()) : std::string());
}

/// Whether a step of `module` updates by the gradients of the step before,
/// ahead of its forward or beside all of it.
inline bool isRotated(ModuleOp module) { return hasProgram(module, "first"); }

/// Whether the model reads parameters that this update is not in yet.
inline bool isDelayed(ModuleOp module) {
  auto options = module->getAttrOfType<OptionsAttr>(kOptionsAttr);
  return options && options.getDelayedUpdate();
}

/// Whether steps of `module` whose gradients are not finite change nothing.
inline bool skipsNonfinite(ModuleOp module) {
  for (ProgramOp program : findPrograms(module))
    for (auto clip : program.front().getOps<ClipOp>())
      if (clip.maySkip())
        return true;
  return false;
}

} // namespace mlir::zero
