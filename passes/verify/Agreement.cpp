//===- Agreement.cpp - Values that ranks must agree on --------------------===//
//
// Every rank runs the same program on other data.  Each value is one of
//
//   same    equal on all ranks: scalars, whole parameters, gathered or reduced
//           values
//   part    the part of such a value that is that of the rank's number in its
//           group, equal on all ranks of this number
//   slice   the rank's slice of such a value
//   group   the same part of what the members of the rank's group have added
//           up: it differs between groups
//   own     differs between ranks: the batch, the rank's number in its context,
//           and everything computed from these
//
// A part, a slice or a group's sum may be in a value with room for more of the
// bucket, which is then undefined.
//
// (V11) propagates these kinds through the program:
//
//   * a value computed from an `own` operand is `own`, otherwise `same`.  Only
//     the norm and the update compute with a `part` or a `slice`; other
//     operations need it gathered first.
//   * operands that a launch names in zero.same (the number that a loss is
//     divided by) are `same`; flattens and joins take no `slice` either.
//   * fetch and spill keep the kind of their operand; they may also take the
//     `part` or `slice` of what is `same`, and the `slice` of a `part`.
//   * collectives take and give:
//
//       all_gather      of all         slice            same
//                       over groups    slice            part
//                       over members   part             same
//       reduce_scatter  of all         own              slice
//                       over members   own              group
//                       over groups    group            slice
//       all_reduce      of all         own              same
//       all_to_all      over context   own              own
//
//     What takes `own` takes `same`, and what takes `group` takes `part`: such
//     values are a sum, too, of equal terms.
//   * an update takes a reduced gradient, and scalars that are `same`, since
//     ranks would otherwise drift apart.
//   * parameters and optimizer state end in the kind in which they began;
//     outputs are `same`, except the caches and the logits of @prefill and
//     @decode.
//
// On one rank everything agrees.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/KnownOperations.h"
#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

enum class Kind { Same, Part, Slice, Group, Own };

class Kinds {
public:
  Kinds(ProgramOp program, const judge::BucketLayouts &layouts)
      : program(program), layouts(layouts) {}

  LogicalResult run() {
    for (BlockArgument argument : program.getArguments())
      kinds[argument] = ofArgument(argument.getArgNumber());
    for (Operation &op : program.front())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  ProgramOp program;
  const judge::BucketLayouts &layouts;
  DenseMap<Value, Kind> kinds;

  std::string describe(Kind kind) const {
    const std::string members = std::to_string(layouts.getGroupSize());
    switch (kind) {
    case Kind::Same:
      return "equal on all ranks";
    case Kind::Part:
      return "the part of this rank's number in its group of " + members +
             " only";
    case Kind::Slice:
      return "this rank's slice only";
    case Kind::Group:
      return "the sum of this rank's group of " + members + " of " +
             std::to_string(layouts.getRanks()) + " ranks";
    case Kind::Own:
      return "this rank's own";
    }
    llvm_unreachable("a value has one of these kinds");
  }

  /// The kind of a value of `type` that is equal wherever ranks have it.
  static Kind ofType(Type type) {
    constexpr Kind kKinds[] = {Kind::Slice, Kind::Part, Kind::Same};
    return kKinds[int(judge::portionOf(type))];
  }

  Kind ofArgument(unsigned i) {
    auto state = program.getState(i);
    // Gradient sums are reduced later; pending gradients already are.
    bool isSum = state && state.getSlot() == "grad" &&
                 !isRotated(program->getParentOfType<ModuleOp>());
    if (Kind kind = ofType(program.getArgument(i).getType());
        kind != Kind::Same)
      return isSum && kind == Kind::Part ? Kind::Group : kind;
    if (program.getArgAttr(i, kInputAttr) || program.getCache(i) || isSum ||
        (program.getScalar(i) && program.getScalar(i) == kContext))
      return Kind::Own;
    return Kind::Same;
  }

  LogicalResult expect(Operation *op, Value value, ArrayRef<Kind> allowed,
                       StringRef what) {
    Kind kind = kinds.lookup(value);
    if (llvm::is_contained(allowed, kind))
      return success();
    InFlightDiagnostic error = op->emitOpError("takes ")
                               << what << " that must be ";
    const bool hasGroups = layouts.countGroups() > 1;
    llvm::interleave(
        llvm::make_filter_range(
            allowed, [&](Kind one) { return hasGroups || one != Kind::Part; }),
        [&](Kind one) { error << describe(one); }, [&] { error << " or "; });
    error << ", but it is " << describe(kind) << " (V11)";
    if (kind == Kind::Part || kind == Kind::Slice)
      error << "; gather it first";
    else if (kind == Kind::Group)
      error << "; reduce it over groups first";
    else if (kind == Kind::Own)
      error << (allowed.front() == Kind::Group
                    ? "; reduce it over members first"
                    : "; reduce it first");
    if (Operation *def = value.getDefiningOp())
      error.attachNote(def->getLoc()) << "made by '" << def->getName() << '\'';
    return error;
  }

  void set(Operation *op, Kind kind) {
    for (Value result : op->getResults())
      kinds[result] = kind;
  }

  LogicalResult visit(Operation *op) {
    if (has(op, Fact::OrdersStreams))
      return success();
    if (isa<ReturnOp>(op))
      return judgeReturn(op);
    if (auto update = dyn_cast<UpdateOp>(op))
      return judgeUpdate(update);
    if (auto gather = dyn_cast<AllGatherOp>(op)) {
      const std::optional<Over> over = gather.getOver();
      set(op, over == Over::Groups ? Kind::Part : Kind::Same);
      return expect(op, gather.getSource(),
                    {over == Over::Members ? Kind::Part : Kind::Slice},
                    "a value");
    }
    if (auto reduce = dyn_cast<ReduceScatterOp>(op))
      return judgeReduce(reduce);
    if (has(op, Fact::ForCollective)) {
      set(op, kinds.lookup(op->getOperand(0)));
      return success();
    }
    if (isa<AllReduceOp>(op)) {
      set(op, Kind::Same);
      return expect(op, op->getOperand(0), {Kind::Own, Kind::Same}, "a value");
    }
    if (isa<AllToAllOp>(op)) {
      set(op, Kind::Own);
      return expect(op, op->getOperand(0), {Kind::Own, Kind::Same}, "a value");
    }
    if (has(op, Fact::AddsLeaves)) {
      // Sums of all ranks; the scalar that counts micro-steps comes last.
      set(op, Kind::Slice);
      for (Value value : op->getOperands())
        if (getElementType(value.getType()).isF32() ||
            !getHeldTensor(value.getType()))
          if (failed(expect(op, value, {Kind::Slice}, "gradients")))
            return failure();
      return success();
    }
    if (isa<SumSquaresOp>(op)) {
      // Every rank squares the elements of its own slice, even of a whole
      // value.
      set(op, Kind::Own);
      return expect(op, op->getOperand(0),
                    {Kind::Slice, Kind::Part, Kind::Same}, "gradients");
    }
    if (has(op, Fact::GivesZeros)) {
      set(op, ofType(op->getResult(0).getType()));
      return success();
    }
    if (judge::isTransfer(op))
      return judgeTransfer(op);
    return judgeComputation(op);
  }

  LogicalResult judgeReduce(ReduceScatterOp op) {
    const std::optional<Over> over = op.getOver();
    set(op, over == Over::Members ? Kind::Group : Kind::Slice);
    // A sum over members may begin as zeros, which are a part.
    if (op.getInto() &&
        failed(
            over == Over::Members
                ? expect(op, op.getInto(), {Kind::Group, Kind::Part}, "a sum")
                : expect(op, op.getInto(), {Kind::Slice}, "a sum")))
      return failure();
    return over == Over::Groups ? expect(op, op.getSource(),
                                         {Kind::Group, Kind::Part}, "gradients")
                                : expect(op, op.getSource(),
                                         {Kind::Own, Kind::Same}, "gradients");
  }

  /// A transfer may take a part or a slice out of a value that is the same, or
  /// put one into it.  Values without a bucket, and whole ones, keep their
  /// kind.
  LogicalResult judgeTransfer(Operation *op) {
    Value source = op->getOperand(0);
    if (!cast<PlanOpInterface>(op).getBucketRef()) {
      set(op, kinds.lookup(source));
      return success();
    }
    const Kind kind = kinds.lookup(source);
    switch (std::min(judge::portionOf(source.getType()),
                     judge::portionOf(op->getResult(0).getType()))) {
    case judge::Portion::Whole:
      set(op, kind);
      return success();
    case judge::Portion::Part: // of a value that is the same, or a part itself
      set(op, kind == Kind::Same ? Kind::Part : kind);
      return expect(op, source, {Kind::Part, Kind::Group, Kind::Same},
                    "a value");
    case judge::Portion::Slice:
      set(op, Kind::Slice);
      return expect(op, source, {Kind::Slice, Kind::Part, Kind::Same},
                    "a value");
    }
    llvm_unreachable("a value has one of these portions");
  }

  LogicalResult judgeComputation(Operation *op) {
    if (auto same = op->getAttrOfType<DenseI64ArrayAttr>(kSameAttr))
      for (int64_t i : same.asArrayRef()) {
        if (i < 0 || i >= op->getNumOperands())
          return op->emitOpError("names operand ")
                 << i << " in zero.same, and has " << op->getNumOperands()
                 << " (V11)";
        if (failed(expect(op, op->getOperand(i), {Kind::Same}, "an average")))
          return failure();
      }
    Kind all = Kind::Same;
    for (Value operand : op->getOperands()) {
      const Kind kind = kinds.lookup(operand);
      if (judge::namesBytes(op) && op->getNumOperands() == 1 &&
          kind != Kind::Own) {
        set(op, kind);
        return success();
      }
      if (failed(expect(op, operand, {Kind::Same, Kind::Own}, "an operand")))
        return failure();
      all = std::max(all, kinds.lookup(operand));
    }
    set(op, all);
    return success();
  }

  LogicalResult judgeUpdate(UpdateOp op) {
    for (Value scalar : op.getScalars())
      if (failed(expect(op, scalar, {Kind::Same}, "a scalar")))
        return failure();
    if (op.getRounding() &&
        failed(expect(op, op.getRounding(), {Kind::Same}, "random bits")))
      return failure();
    SmallVector<Kind> allowed = {Kind::Same};
    if (op.isSliced())
      allowed = {Kind::Slice, Kind::Part, Kind::Same};
    set(op, allowed.front());
    return failure((op.getParam() && failed(expect(op, op.getParam(), allowed,
                                                   "a parameter"))) ||
                   failed(expect(op, op.getGrad(), allowed, "a gradient")));
  }

  LogicalResult judgeReturn(Operation *op) {
    SmallVector<NextState> states = findNextStates(program);
    for (auto &[argument, state, next] : states) {
      Kind began = ofArgument(argument.getArgNumber());
      SmallVector<Kind> allowed = {began};
      if (began == Kind::Own) // a sum may end as zeros
        allowed.push_back(Kind::Same);
      if (began == Kind::Group)
        allowed.push_back(Kind::Part);
      if (next && failed(expect(op, next, allowed, "a next state")))
        return failure();
    }
    SmallVector<Kind> outputs = {Kind::Same};
    if (isForward(getProgramName(program))) // also next caches
      outputs.push_back(Kind::Own);
    for (Value output : op->getOperands().drop_front(
             std::min<size_t>(states.size(), op->getNumOperands())))
      if (failed(expect(op, output, outputs, "an output")))
        return failure();
    return success();
  }
};

} // namespace

LogicalResult judge::judgeAgreement(ProgramOp program,
                                    const BucketLayouts &layouts) {
  return layouts.getRanks() > 1 ? Kinds(program, layouts).run() : success();
}
