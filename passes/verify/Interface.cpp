//===- Interface.cpp - What the host reads and writes ---------------------===//
//
// The host finds arguments and outputs by name.  What it does not write would
// be read all the same, and what it does not read is lost.  So (S5):
//
//   * an argument is state, an input or a scalar, and only one of them; no two
//     have one name.
//   * state is f32, the whole bucket or the rank's slice of it.
//   * a scalar is a f32: the host's `lr` or `step`, or the mean of the output
//   of
//     that name of @count.
//   * outputs stand behind the next state, each with a name of its own; @micro
//     has the loss if @step has it: the host adds them up.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Interface.h"

#include "dialect/zero/Programs.h"
#include "passes/verify/Words.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Interface {
public:
  explicit Interface(ModuleOp module) : module(module) {}

  LogicalResult run() {
    for (func::FuncOp program : findPrograms(module))
      if (failed(judgeOutputs(program)))
        return failure();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    auto micro = module.lookupSymbol<func::FuncOp>("micro");
    if (micro && outputs["step"].contains("loss") &&
        !outputs["micro"].contains("loss")) // (S5)
      return micro.emitOpError("has no output \"loss\", and @step has (S5); "
                               "the host adds them up");
    // All programs take the same arguments (V6).
    for (BlockArgument argument : step.getArguments())
      if (failed(judgeArgument(step, argument)))
        return failure();
    return success();
  }

private:
  LogicalResult judgeOutputs(func::FuncOp program) {
    unsigned states = 0;
    for (unsigned i = 0, e = program.getNumArguments(); i != e; ++i)
      states += program.getArgAttr(i, kStateAttr) != nullptr;
    llvm::StringSet<> &names = outputs[program.getSymName()];
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i) {
      auto name = program.getResultAttrOfType<StringAttr>(i, kOutputAttr);
      if (i < states && name) // (S5)
        return program.emitOpError("calls next state ")
               << i << " the output " << name << " (S5)";
      if (i >= states && (!name || !names.insert(name).second)) // (S5)
        return program.emitOpError("has result ")
               << i
               << (name ? ", a second output " : ", an output without a name")
               << (name ? name.getValue() : "") << " (S5)";
    }
    return success();
  }

  LogicalResult judgeArgument(func::FuncOp step, BlockArgument argument) {
    unsigned i = argument.getArgNumber();
    auto state = step.getArgAttr(i, kStateAttr);
    auto input = step.getArgAttrOfType<StringAttr>(i, kInputAttr);
    auto scalar = step.getArgAttrOfType<StringAttr>(i, kScalarAttr);
    if ((state != nullptr) + (input != nullptr) + (scalar != nullptr) != 1 ||
        (state && !isa<StateAttr>(state)) || !isBytes(argument)) // (S5)
      return step.emitOpError("takes ") << describe(argument)
                                        << ", which must be one of zero.state, "
                                           "zero.input and zero.scalar, "
                                           "and lie in the arena (S5)";
    if (state)
      return judgeState(step, argument, cast<StateAttr>(state));
    StringAttr name = input ? input : scalar;
    if (!names.insert(name).second) // (S5)
      return step.emitOpError("takes two arguments called ")
             << name << " (S5); the host would write one of them";
    if (!scalar)
      return success();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 0 || !type.getElementType().isF32()) // (S5)
      return step.emitOpError("takes the scalar ")
             << name << " as " << argument.getType()
             << " (S5); scalars are tensor<f32>";
    if (name != "lr" && name != "step" &&
        !outputs["count"].contains(name)) // (S5)
      return step.emitOpError("reads ")
             << name
             << ", which is neither lr nor step, and which no output of @count "
                "is called (S5)";
    return success();
  }

  LogicalResult judgeState(func::FuncOp step, BlockArgument argument,
                           StateAttr state) {
    auto bucket = module.lookupSymbol<BucketOp>(state.getBucket().getAttr());
    auto axis = module.lookupSymbol<AxisOp>(bucket.getAxisAttr().getAttr());
    auto shard = dyn_cast<ShardType>(argument.getType());
    if (axis && shard && shard.getElementType().isF32() &&
        shard.getElements() == int64_t(bucket.getElements()) &&
        (shard.getRanks() == 1 || shard.getRanks() == int64_t(axis.getSize())))
      return success();
    return step.emitOpError("keeps ") // (S5)
           << describe(argument) << " as " << argument.getType()
           << " (S5); state is f32, the whole of its bucket or a rank's slice";
  }

  ModuleOp module;
  llvm::StringMap<llvm::StringSet<>> outputs; ///< by program
  llvm::StringSet<> names;
};
} // namespace

LogicalResult judge::judgeInterface(ModuleOp module) {
  return Interface(module).run();
}
