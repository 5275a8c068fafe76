//===- Agreement.cpp - Values that ranks must agree on --------------------===//
//
// Every rank runs the same program on other data.  Each value is one of
//
//   same    equal on all ranks: scalars, whole parameters, gathered or reduced
//           values
//   slice   the rank's slice of a value that is equal on all ranks; if the
//           value has room for the others' slices, those are undefined
//   own     differs between ranks: the batch, and everything computed from it
//
// (V11) propagates these classes through the program:
//
//   * a value computed from an `own` operand is `own`, otherwise `same`.  Only
//     the norm and the update compute with a `slice`; other operations need it
//     gathered first.
//   * operands that a launch names in zero.same (the number that a loss is
//     divided by) are `same`; packs and joins take no `slice` either.
//   * fetch and spill keep the class of their operand; they may also take the
//     rank's `slice` of a value that is `same`.
//   * all_gather takes a `slice` and gives `same`; reduce_scatter takes `own`
//     and gives a `slice`; all_reduce gives `same`.
//   * an update takes a reduced gradient, and scalars that are `same`, since
//     ranks would otherwise drift apart.
//   * parameters and optimizer state end in the class in which they began;
//     outputs are `same`, except the caches and the logits of @prefill and
//     @decode.
//
// On one rank everything agrees.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/KnownOperations.h"
#include "passes/verify/Rules.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

enum class Part { Same, Slice, Own };

StringRef describePart(Part part) {
  constexpr StringLiteral kWords[] = {
      "equal on all ranks", "this rank's slice only", "this rank's own"};
  return kWords[int(part)];
}

class Parts {
public:
  explicit Parts(ProgramOp program) : program(program) {}

  LogicalResult run() {
    for (BlockArgument argument : program.getArguments())
      parts[argument] = ofArgument(argument.getArgNumber());
    for (Operation &op : program.front())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  ProgramOp program;
  DenseMap<Value, Part> parts;

  Part ofArgument(unsigned i) {
    auto state = program.getState(i);
    if (zero::detail::isSlice(program.getArgument(i).getType()))
      return Part::Slice;
    // Gradient sums are reduced later; pending gradients already are.
    if (program.getArgAttr(i, kInputAttr) || program.getCache(i) ||
        (state && state.getSlot() == "grad" &&
         !isRotated(program->getParentOfType<ModuleOp>())))
      return Part::Own;
    return Part::Same;
  }

  LogicalResult expect(Operation *op, Value value, ArrayRef<Part> allowed,
                       StringRef what) {
    Part part = parts.lookup(value);
    if (llvm::is_contained(allowed, part))
      return success();
    InFlightDiagnostic error = op->emitOpError("takes ")
                               << what << " that must be ";
    llvm::interleave(
        allowed, [&](Part one) { error << describePart(one); },
        [&] { error << " or "; });
    error << ", but it is " << describePart(part) << " (V11)";
    if (part == Part::Slice)
      error << "; gather it first";
    else if (part == Part::Own)
      error << "; reduce it first";
    if (Operation *def = value.getDefiningOp())
      error.attachNote(def->getLoc()) << "made by '" << def->getName() << '\'';
    return error;
  }

  void set(Operation *op, Part part) {
    for (Value result : op->getResults())
      parts[result] = part;
  }

  LogicalResult visit(Operation *op) {
    if (isa<RecordOp, WaitOp>(op))
      return success();
    if (isa<ReturnOp>(op))
      return judgeReturn(op);
    if (auto update = dyn_cast<UpdateOp>(op))
      return judgeUpdate(update);
    if (isa<AllGatherOp>(op)) {
      set(op, Part::Same);
      return expect(op, op->getOperand(0), {Part::Slice}, "a value");
    }
    if (auto reduce = dyn_cast<ReduceScatterOp>(op)) {
      set(op, Part::Slice);
      if (reduce.getInto() &&
          failed(expect(op, reduce.getInto(), {Part::Slice}, "a sum")))
        return failure();
      return expect(op, reduce.getSource(), {Part::Own, Part::Same},
                    "gradients");
    }
    if (isa<AllReduceOp>(op)) {
      set(op, Part::Same);
      return expect(op, op->getOperand(0), {Part::Own, Part::Same}, "a value");
    }
    if (isa<SumSquaresOp>(op)) {
      // Every rank squares the elements of its own slice, even of a whole
      // value.
      set(op, Part::Own);
      return expect(op, op->getOperand(0), {Part::Slice, Part::Same},
                    "gradients");
    }
    if (isa<ClearOp, ZerosOp>(op)) {
      set(op, zero::detail::isSlice(op->getResult(0).getType()) ? Part::Slice
                                                                : Part::Same);
      return success();
    }
    if (judge::isTransfer(op))
      return judgeTransfer(op);
    return judgeComputation(op);
  }

  /// A transfer may take a slice out of a value that is the same, or put one
  /// into it.  Values without a bucket, and whole ones, keep their class.
  LogicalResult judgeTransfer(Operation *op) {
    Value source = op->getOperand(0);
    if (!cast<PlanOpInterface>(op).getBucketRef()) {
      set(op, parts.lookup(source));
      return success();
    }
    bool isSlice = zero::detail::isSlice(source.getType()) ||
                   zero::detail::isSlice(op->getResult(0).getType());
    set(op, isSlice ? Part::Slice : parts.lookup(source));
    if (!isSlice)
      return success();
    return expect(op, source, {Part::Slice, Part::Same}, "a value");
  }

  LogicalResult judgeComputation(Operation *op) {
    if (auto same = op->getAttrOfType<DenseI64ArrayAttr>(kSameAttr))
      for (int64_t i : same.asArrayRef()) {
        if (i < 0 || i >= op->getNumOperands())
          return op->emitOpError("names operand ")
                 << i << " in zero.same, and has " << op->getNumOperands()
                 << " (V11)";
        if (failed(expect(op, op->getOperand(i), {Part::Same}, "an average")))
          return failure();
      }
    Part all = Part::Same;
    for (Value operand : op->getOperands()) {
      if (judge::namesBytes(op) && op->getNumOperands() == 1 &&
          parts.lookup(operand) == Part::Slice) {
        set(op, Part::Slice);
        return success();
      }
      if (failed(expect(op, operand, {Part::Same, Part::Own}, "an operand")))
        return failure();
      all = std::max(all, parts.lookup(operand));
    }
    set(op, all);
    return success();
  }

  LogicalResult judgeUpdate(UpdateOp op) {
    for (Value scalar : op.getScalars())
      if (failed(expect(op, scalar, {Part::Same}, "a scalar")))
        return failure();
    if (op.getRounding() &&
        failed(expect(op, op.getRounding(), {Part::Same}, "random bits")))
      return failure();
    SmallVector<Part> allowed = {Part::Same};
    if (op.isSliced())
      allowed = {Part::Slice, Part::Same};
    set(op, allowed.front());
    return failure((op.getParam() && failed(expect(op, op.getParam(), allowed,
                                                   "a parameter"))) ||
                   failed(expect(op, op.getGrad(), allowed, "a gradient")));
  }

  LogicalResult judgeReturn(Operation *op) {
    SmallVector<NextState> states = findNextStates(program);
    for (auto &[argument, state, next] : states) {
      Part began = ofArgument(argument.getArgNumber());
      SmallVector<Part> allowed = {began};
      if (began == Part::Own) // a sum may end as zeros
        allowed.push_back(Part::Same);
      if (next && failed(expect(op, next, allowed, "a next state")))
        return failure();
    }
    SmallVector<Part> outputs = {Part::Same};
    if (isForward(getProgramName(program))) // also next caches
      outputs.push_back(Part::Own);
    for (Value output : op->getOperands().drop_front(
             std::min<size_t>(states.size(), op->getNumOperands())))
      if (failed(expect(op, output, outputs, "an output")))
        return failure();
    return success();
  }
};

} // namespace

LogicalResult judge::judgeAgreement(ProgramOp program, int64_t ranks) {
  return ranks > 1 ? Parts(program).run() : success();
}
