//===- SlotUses.cpp - Slots and scalars are used as what they are ---------===//
//
// A flat value is a slot of a bucket: its parameters, its gradient, a moment.
// Its type does not tell which, and two buckets may have the same number of
// elements, so (V12) tracks it:
//
//   * state is the slot that its attribute names, a flatten is the gradient of
//     its bucket;
//   * a gather, a copy and a transfer between tiers keep the slot of their
//     operand; a transfer into a value must match that value's slot, or write a
//     master into f32 parameters; a reduction and a clear take and give
//     gradients;
//   * an operation `of` a bucket takes only values of this bucket; an update
//     takes the parameters, the gradient, the slots of its optimizer in order,
//     and the master; or it takes the master of f32 parameters in their place;
//   * a next state is the slot that it replaces.
//
// Types do not tell scalars apart either.  An update takes the scalars that its
// optimizer names: `clip` is the factor of a zero.clip that skips the same
// steps as the update, and all others are arguments of the step, including the
// random bits for rounding.  zero.clip takes the loss scale, if the step has
// one, and the limits of the norm and of the losses that the program returns.
// The output "grad_norm", and no other, is the norm of zero.clip.  If a step
// updates by the gradients of the previous step, `clip` is the argument of that
// name, and the output of that name is the factor.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
/// A slot of a bucket; none if `bucket` is empty.
struct BucketSlot {
  StringRef bucket, slot;
  bool operator==(const BucketSlot &other) const {
    return bucket == other.bucket && slot == other.slot;
  }
};

std::string describeSlot(const BucketSlot &slot) {
  if (slot.bucket.empty())
    return "no slot of a bucket";
  return (slot.slot + " of @" + slot.bucket).str();
}

class SlotUses {
public:
  explicit SlotUses(ProgramOp program)
      : program(program), module(program->getParentOfType<ModuleOp>()) {}

  LogicalResult run() {
    for (auto &[argument, state, next] : findNextStates(program))
      known[argument] = {state.getBucket().getValue(), state.getSlot()};
    for (Operation &op : program.front())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  LogicalResult expect(Operation *op, Value value, BucketSlot expected) {
    BucketSlot found = known.lookup(value);
    if (found == expected)
      return success();
    return op->emitOpError("takes ") // (V12)
           << judge::describe(value) << ", which is " << describeSlot(found)
           << ", where it needs " << describeSlot(expected) << " (V12)";
  }

  /// `op` takes and gives gradients of `bucket`.
  LogicalResult visitGradients(Operation *op, StringRef bucket) {
    for (Value operand : op->getOperands())
      if (failed(expect(op, operand, {bucket, "grad"})))
        return failure();
    known[op->getResult(0)] = {bucket, "grad"};
    return success();
  }

  /// `op` takes gradients, and the sums "grad", "grad.1", ... in their order,
  /// of which it gives the next ones, or gradients.
  template <typename OpT>
  LogicalResult visitLeaves(OpT op) {
    StringRef bucket = op.getBucket();
    if (failed(expect(op, op.getLeaf(), {bucket, "grad"})))
      return failure();
    for (auto [i, sum] : llvm::enumerate(op.getSums())) {
      StringRef slot = nameOfSum(i);
      if (failed(expect(op, sum, {bucket, slot})))
        return failure();
      if (i < op->getNumResults())
        known[op->getResult(i)] = {bucket, slot};
    }
    if (auto add = dyn_cast<AddLeafOp>(op.getOperation()))
      return expectScalar(op, add.getNumber(), "micro_step");
    return success();
  }

  /// "grad" or "grad.3"
  StringRef nameOfSum(size_t i) {
    return i == 0 ? StringRef("grad")
                  : StringAttr::get(program.getContext(), "grad." + Twine(i))
                        .getValue();
  }

  /// `op` keeps the slot of its operand, which belongs to `bucket`.
  LogicalResult visitSame(Operation *op, StringRef bucket) {
    Value operand = op->getOperand(0);
    BucketSlot same = {bucket, known.lookup(operand).slot};
    known[op->getResult(0)] = same;
    return expect(op, operand, same);
  }

  LogicalResult visitUpdate(UpdateOp op) {
    auto optimizer =
        symbols.lookupNearestSymbolFrom<OptimizerOp>(op, op.getOptimizerAttr());
    StringRef bucket = op.getBucket();
    BucketSlot param = {bucket, "param"}, master = {bucket, "master"};
    if (op.getParam() && !op.getMaster() &&
        known.lookup(op.getParam()) == master)
      param = master;
    if ((op.getParam() && failed(expect(op, op.getParam(), param))) ||
        failed(expect(op, op.getGrad(), {bucket, "grad"})))
      return failure();
    known[op.getNext()[0]] = param;
    auto slots = optimizer.getSlots().getAsValueRange<StringAttr>();
    for (auto [i, slot] : llvm::enumerate(slots)) {
      if (failed(expect(op, op.getSlots()[i], {bucket, slot})))
        return failure();
      known[op.getNext()[1 + i]] = {bucket, slot};
    }
    if (op.getMaster()) {
      if (failed(expect(op, op.getMaster(), master)))
        return failure();
      known[op.getNext().back()] = master;
    }
    unsigned next = 0;
    for (StringRef name : optimizer.getScalars().getAsValueRange<StringAttr>())
      if (name != "decay" && // a constant
          failed(expectScalar(op, op.getScalars()[next++], name)))
        return failure();
    return op.getRounding() ? expectScalar(op, op.getRounding(), kRounding)
                            : success();
  }

  /// A transfer keeps the slot of its source, but a master may be written into
  /// f32 parameters, which equal it.
  template <typename TransferOp>
  LogicalResult visitTransfer(TransferOp op) {
    if (!op.getBucket())
      return success();
    StringRef bucket = *op.getBucket();
    if (failed(visitSame(op, bucket)))
      return failure();
    if (!op.getInto())
      return success();
    BucketSlot &result = known[op.getResult()];
    if (result == BucketSlot{bucket, "master"} &&
        known.lookup(op.getInto()) == BucketSlot{bucket, "param"})
      result.slot = "param";
    return expect(op, op.getInto(), result);
  }

  /// zero.clip must take the loss scale if there is one, since it removes it.
  LogicalResult visitClip(ClipOp op) {
    if (op.maySkip() &&
        (failed(expectScalar(op, op.getWithin()[0], kNormLimit)) ||
         failed(expectScalar(op, op.getWithin()[1], kLossLimit)) ||
         failed(expectLosses(op, op.getWithin().drop_front(2)))))
      return failure();
    if (op.getScale())
      return expectScalar(op, op.getScale(), kLossScale);
    for (BlockArgument argument : program.getArguments())
      if (auto scalar = program.getScalar(argument.getArgNumber());
          scalar && scalar == kLossScale)
        return op.emitOpError("has no scale, and the step takes ") // (V12)
               << scalar << ", by which its gradients are too large (V12)";
    return success();
  }

  /// Checks that `losses` are those that the program returns, each once, in
  /// order.
  LogicalResult expectLosses(ClipOp op, OperandRange losses) {
    SmallVector<Value> expected;
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i)
      if (auto name = program.getOutput(i); name && name == "loss")
        expected.push_back(op->getBlock()->getTerminator()->getOperand(i));
    if (llvm::equal(losses, expected))
      return success();
    return op.emitOpError("is within a limit of ") // (V12)
           << losses.size() << " losses, which are not the " << expected.size()
           << " that the program gives (V12)";
  }

  LogicalResult expectScalar(Operation *op, Value value, StringRef name) {
    while (Operation *def = value.getDefiningOp()) {
      if (!judge::has(def, judge::Fact::KeepsValue))
        break;
      value = def->getOperand(0);
    }
    if (name == kClipFactor && !isRotated(module)) {
      auto clip = value.getDefiningOp<ClipOp>();
      if (clip && value == clip.getFactor() &&
          clip.maySkip() == cast<UpdateOp>(op).getSkipNonfinite())
        return success();
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto scalar = program.getScalar(argument.getArgNumber());
      if (scalar && scalar == name &&
          (name != kClipFactor || skips(cast<UpdateOp>(op))))
        return success();
    }
    return op->emitOpError("takes ") // (V12)
           << judge::describe(value) << " as the scalar \"" << name
           << "\", and it is not that (V12)";
  }

  /// Returns true if `op` skips the same steps as every zero.clip of the
  /// module.
  bool skips(UpdateOp op) {
    for (auto other : module.getOps<ProgramOp>())
      for (auto clip : other.getBody().getOps<ClipOp>())
        if (clip.maySkip() != op.getSkipNonfinite())
          return false;
    return true;
  }

  LogicalResult expectOutput(Operation *op, Value value, StringRef name) {
    auto clip = value.getDefiningOp<ClipOp>();
    if (name == kClipFactor && !(clip && value == clip.getFactor()))
      return op->emitOpError("gives ") // (V12)
             << judge::describe(value) << " as the output \"" << name
             << "\", which is the factor of zero.clip (V12)";
    if ((name == "grad_norm") == (clip && value == clip.getNorm()))
      return success();
    return op->emitOpError("gives ") // (V12)
           << judge::describe(value) << " as the output \"" << name
           << "\"; the norm of zero.clip is \"grad_norm\", and nothing else is "
              "(V12)";
  }

  LogicalResult visitReturn(Operation *op) {
    SmallVector<NextState> states = findNextStates(program);
    for (auto &[argument, state, next] : states)
      if (next && failed(expect(op, next, known.lookup(argument))))
        return failure();
    for (unsigned i = states.size(), e = op->getNumOperands(); i < e; ++i)
      if (auto name = program.getOutput(i))
        if (failed(expectOutput(op, op->getOperand(i), name)))
          return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    auto bucket = op->getAttrOfType<FlatSymbolRefAttr>("bucket");
    if (has(op, Fact::KeepsState))
      return visitSame(op, bucket.getValue());
    if (has(op, Fact::OnGradients))
      return visitGradients(op, bucket.getValue());
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](FlattenOp flatten) {
          known[flatten.getResult()] = {flatten.getBucket(), "grad"};
          return success();
        })
        .Case([&](ViewOp view) {
          return expect(op, view.getFlat(),
                        {view.getBucket(), known.lookup(view.getFlat()).slot});
        })
        .Case([&](CopyOp copy) {
          if (known.contains(copy.getSource()))
            known[copy.getResult()] = known.lookup(copy.getSource());
          return success();
        })
        .Case<AddLeafOp, SumLeavesOp>(
            [&](auto sum) { return visitLeaves(sum); })
        .Case([&](SumSquaresOp squares) {
          return expect(op, squares.getFlat(), {squares.getBucket(), "grad"});
        })
        .Case<FetchOp, SpillOp>(
            [&](auto transfer) { return visitTransfer(transfer); })
        .Case([&](UpdateOp update) { return visitUpdate(update); })
        .Case([&](ClipOp clip) { return visitClip(clip); })
        .Case([&](ReturnOp) { return visitReturn(op); })
        .Default([](Operation *) { return success(); });
  }

  ProgramOp program;
  ModuleOp module;
  DenseMap<Value, BucketSlot> known;
  SymbolTableCollection symbols;
};
} // namespace

LogicalResult judge::judgeSlotUses(ProgramOp program) {
  return SlotUses(program).run();
}
