//===- PlanPrograms.h - The programs of a plan ----------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// The program that `rank` runs as `name`: one of its own, or else the one that
/// all ranks run; null if there is none.
inline ProgramOp findProgram(ModuleOp module, StringRef name, int64_t rank) {
  for (auto program : module.getOps<ProgramOp>())
    if (program.getProgram() == name &&
        program.getRank() == static_cast<uint64_t>(rank))
      return program;
  auto shared = module.lookupSymbol<ProgramOp>(name);
  return shared && !shared.isExternal() ? shared : ProgramOp();
}

/// The name that `program` runs as, such as "step", also for a rank's own
/// program.
inline StringRef getProgramName(ProgramOp program) {
  return program.getProgram().value_or(program.getSymName());
}

/// The axis that the buckets of `plan` are over; null without buckets.
inline AxisOp findAxis(ModuleOp plan) {
  for (auto bucket : plan.getOps<BucketOp>())
    return plan.lookupSymbol<AxisOp>(bucket.getAxisAttr());
  return AxisOp();
}

/// The ranks that share the state of `plan`.
inline int64_t getNumRanks(ModuleOp plan) {
  AxisOp axis = findAxis(plan);
  return axis ? int64_t(axis.getSize()) : 1;
}

/// Ranks of a group; 0 where they are not in groups.
inline int64_t getGroupSize(ModuleOp plan) {
  AxisOp axis = findAxis(plan);
  return axis ? int64_t(axis.getGroup().value_or(0)) : 0;
}

/// Ranks that share a sequence; 1 where none do.
inline int64_t getContextSize(ModuleOp plan) {
  AxisOp axis = findAxis(plan);
  return axis ? axis.getContextSize() : 1;
}

/// The model that `plan` was made from: a nested module at level kernels with
/// @step and its kernels; null if there is none.
inline ModuleOp findModel(ModuleOp plan) {
  auto models = plan.getOps<ModuleOp>();
  return models.empty() ? ModuleOp() : *models.begin();
}

/// The module in `module`, a step or a model, with @whole and @split; null if
/// no ranks share sequences.
inline ModuleOp findContext(ModuleOp module) {
  return module.lookupSymbol<ModuleOp>(kContextModule);
}

/// Result `i` that `program` returns; null if it returns too little.
inline Value getReturned(ProgramOp program, size_t i) {
  Operation *returned = program.front().getTerminator();
  return i < returned->getNumOperands() ? returned->getOperand(unsigned(i))
                                        : Value();
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
  for (BlockArgument argument : program.getArguments())
    if (StateAttr state = program.getState(argument.getArgNumber()))
      states.push_back({argument, state, getReturned(program, states.size())});
  return states;
}

/// A cache that a program takes, and the value that it returns for it: next
/// caches follow next states, in the order of the arguments.
struct NextCache {
  BlockArgument argument;
  StringAttr name;
  Value next; ///< null if the program returns too little
};
inline SmallVector<NextCache> findNextCaches(ProgramOp program) {
  SmallVector<NextCache> caches;
  const size_t states = findNextStates(program).size();
  for (BlockArgument argument : program.getArguments())
    if (StringAttr name = program.getCache(argument.getArgNumber()))
      caches.push_back(
          {argument, name, getReturned(program, states + caches.size())});
  return caches;
}

/// The number of arguments that all programs take, before caches.
inline unsigned getNumShared(ProgramOp program) {
  unsigned count = program.getNumArguments();
  while (count > 0 && program.getCache(count - 1))
    --count;
  return count;
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

/// A program that has the arguments that all programs take: @step, or if the
/// plan does not train, @prefill or @score; null if there is none of them.
inline ProgramOp findMainProgram(ModuleOp module) {
  for (StringRef name :
       {StringRef("step"), StringRef(kPrefill), StringRef(kScore)})
    if (hasProgram(module, name))
      return module.lookupSymbol<ProgramOp>(name);
  return ProgramOp();
}

/// The number of micro-steps of a step of `module`.
inline int64_t getMicroSteps(ModuleOp module) {
  auto steps = module->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
  return steps ? steps.getInt() : 1;
}

/// Whether one program of `module` holds all micro-steps of a step.
inline bool isLayered(ModuleOp module) {
  return getMicroSteps(module) > 1 && !hasProgram(module, "micro");
}

/// The number of times that a step runs the program `name`; 0 for @first and
/// @flush, which begin and end a run, and for those that do not train.
inline int64_t getRuns(ModuleOp module, StringRef name) {
  if (name == "count")
    return isLayered(module) ? 1 : getMicroSteps(module);
  return name == "micro" ? getMicroSteps(module) - 1 : name == "step";
}

/// A key that differs for outputs of one name in several micro-steps; "" for a
/// next state.  Names contain no NUL.
inline std::string getOutputKey(ProgramOp program, unsigned result) {
  StringAttr name = program.getOutput(result);
  if (!name)
    return "";
  auto micro = program.getResultAttrOfType<IntegerAttr>(result, kMicroAttr);
  return name.str() +
         (micro ? '\0' + std::to_string(micro.getInt()) : std::string());
}

/// Whether a step of `module` applies the gradients of the previous step,
/// before its forward or in parallel to all of it.
inline bool isRotated(ModuleOp module) { return hasProgram(module, "first"); }

/// Whether the model reads parameters that do not have this update yet.
inline bool isDelayed(ModuleOp module) {
  auto options = module->getAttrOfType<OptionsAttr>(kOptionsAttr);
  return options && options.getDelayedUpdate();
}

/// Whether steps of `module` with gradients that are not finite are skipped.
inline bool skipsNonfinite(ModuleOp module) {
  for (ProgramOp program : findPrograms(module))
    for (auto clip : program.front().getOps<ClipOp>())
      if (clip.maySkip())
        return true;
  return false;
}

} // namespace mlir::zero
