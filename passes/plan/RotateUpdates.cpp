//===- RotateUpdates.cpp - Updates beside the next forward ----------------===//
//
// A step is forward and backward, A, then the updates, B.  B waits for the norm
// of all gradients, and the forward of the next step for B, bucket by bucket.
// So B goes from the end of its step to where the next A needs it:
//
//   @step   A B   A B   A B   ...
//
//   @first  A
//   @step     B A   B A   ...
//   @flush                  B
//
// 1. B is the updates, the transfers that bring their state, and all that
//    follows from them.
// 2. What A leaves for B is pending: gradients become state, slot "grad", and
//    the factor of zero.clip an output, and the scalar of that name.
// 3. @first and @flush are copies without B, and without A.
// 4. In @step a bucket's part of B goes before what reads its parameters first,
//    in A.  What brings its state keeps its lead of one update.
//
// With `delayed` A computes with the parameters before B, so that B has all of A
// to run beside:
//
// 4. In @step B goes to the start, in the order in which A leaves gradients; but
//    the next parameters replace those before them after A has read these last.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/RotateUpdates.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"
#include "passes/plan/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-rotate-updates"

namespace mlir::zero {
#define GEN_PASS_DEF_ROTATEUPDATES
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The update of a bucket, and what belongs to it, in program order.
struct Update {
  UpdateOp op;
  SpillOp gradient;                ///< where it leaves the device
  SmallVector<Operation *> bring;  ///< its state
  SmallVector<Operation *> follow; ///< from its results
  BlockArgument parameters, pending;
};

/// A program of both parts, and what it becomes.
class StepParts {
public:
  explicit StepParts(ProgramOp program) : program(program), b(program) {}

  /// Finds B.
  LogicalResult analyze();
  /// Adds the arguments for what is pending; nothing reads them yet.
  void addPending();

  void makeFirst();
  void makeStep();
  void makeDelayedStep();
  void makeFlush();

private:
  Operation *terminator() { return program.front().getTerminator(); }
  std::optional<unsigned> getFactorOperand(UpdateOp op);
  void collectSources(Value value, SmallVectorImpl<Operation *> &sources);
  void collectFollowers(Update &update);
  void takePending();
  void leavePending();
  SmallVector<Operation *> getReaders(const Update &update);
  void moveUpdates();
  void moveUpdatesBeside();
  void sinkNames();
  void skipReadBack(const Update &update);

  ProgramOp program;
  OpBuilder b;
  SmallVector<Update> updates; ///< in program order
  llvm::SetVector<Operation *> ofUpdates;
  /// What brings state just before its update; all else is one update ahead.
  DenseSet<Operation *> inTime;
  ClipOp clip;
};

bool isBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

} // namespace

//===----------------------------------------------------------------------===//
// The two parts
//===----------------------------------------------------------------------===//

/// Which scalar of an update is the factor of zero.clip.
std::optional<unsigned> StepParts::getFactorOperand(UpdateOp op) {
  auto rule = SymbolTable::lookupNearestSymbolFrom<OptimizerOp>(
      op, op.getOptimizerAttr());
  unsigned i = 0;
  for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>()) {
    if (name == kClipFactor)
      return i;
    i += name != "decay"; // is no operand
  }
  return std::nullopt;
}

/// The transfers that bring `value`, the first ones first.
void StepParts::collectSources(Value value,
                               SmallVectorImpl<Operation *> &sources) {
  Operation *def = value ? value.getDefiningOp() : nullptr;
  if (!isa_and_present<FetchOp, SpillOp>(def))
    return;
  collectSources(def->getOperand(0), sources);
  sources.push_back(def);
}

void StepParts::collectFollowers(Update &update) {
  llvm::SetVector<Operation *> all;
  all.insert(update.op);
  for (unsigned i = 0; i < all.size(); ++i)
    for (Operation *user : all[i]->getUsers())
      if (user != terminator())
        all.insert(user);
  update.follow = llvm::to_vector(llvm::drop_begin(all));
  llvm::sort(update.follow, isBefore);
}

LogicalResult StepParts::analyze() {
  for (auto op : program.front().getOps<ClipOp>())
    clip = op;
  for (auto op : program.front().getOps<UpdateOp>()) {
    auto gradient = op.getGrad().getDefiningOp<SpillOp>();
    if (!clip || !gradient || op.getRounding())
      return op.emitOpError("does not follow the norm in host memory, and "
                            "cannot run beside the next forward; put the "
                            "optimizer's state there");
    Update update{op, gradient, {}, {}, {}, {}};
    collectSources(op.getParam(), update.bring);
    for (Value kept : op.getKept())
      collectSources(kept, update.bring);
    collectFollowers(update);
    for (Operation *before = op->getPrevNode();
         before && llvm::is_contained(update.bring, before);
         before = before->getPrevNode())
      inTime.insert(before);
    ofUpdates.insert(op);
    ofUpdates.insert_range(update.bring);
    ofUpdates.insert_range(update.follow);
    for (auto &[argument, state, next] : findNextStates(program))
      if (state.getBucket() == op.getBucketAttr()) {
        if (state.getSlot() == "param")
          update.parameters = argument;
        else if (state.getSlot() == "grad")
          update.pending = argument;
      }
    updates.push_back(update);
  }
  return success();
}

void StepParts::addPending() {
  SmallVector<NextState> states = findNextStates(program);
  unsigned argument = 1 + states.back().argument.getArgNumber(),
           result = states.size();
  // In the order of the parameters.
  llvm::sort(updates, [](const Update &a, const Update &b) {
    return a.parameters.getArgNumber() < b.parameters.getArgNumber();
  });
  for (Update &update : updates) {
    Type type = update.gradient.getResult().getType();
    auto state = StateAttr::get(b.getContext(), update.op.getBucketAttr(),
                                b.getStringAttr("grad"));
    (void)program.insertArgument(
        argument, type, b.getDictionaryAttr(b.getNamedAttr(kStateAttr, state)),
        update.parameters.getLoc());
    (void)program.insertResult(result, type, b.getDictionaryAttr({}));
    terminator()->insertOperands(result++, program.getArgument(argument++));
  }
  if (std::optional<unsigned> i = getFactorOperand(updates.front().op))
    (void)program.insertArgument(
        program.getNumArguments(),
        updates.front().op.getScalars()[*i].getType(),
        b.getDictionaryAttr(
            b.getNamedAttr(kScalarAttr, b.getStringAttr(kClipFactor))),
        clip.getLoc());
}

//===----------------------------------------------------------------------===//
// What is pending
//===----------------------------------------------------------------------===//

/// B updates by what the program before has left.
void StepParts::takePending() {
  for (Update &update : updates) {
    update.op.getGradMutable().assign(update.pending);
    if (std::optional<unsigned> i = getFactorOperand(update.op))
      update.op.getScalarsMutable()[*i].assign(program.getArguments().back());
  }
}

/// A leaves gradients in their state, and the factor to the host.
void StepParts::leavePending() {
  for (Update &update : updates) {
    b.setInsertionPoint(update.gradient);
    auto into =
        SpillOp::create(b, update.gradient.getLoc(), update.pending.getType(),
                        update.gradient.getSource(),
                        update.gradient.getBucketAttr(), update.pending);
    into->setDiscardableAttrs(update.gradient->getDiscardableAttrDictionary());
    for (auto [i, state] : llvm::enumerate(findNextStates(program)))
      if (state.argument == update.pending)
        terminator()->setOperand(i, into.getResult());
    update.gradient.erase();
    update.gradient = into;
  }
  if (!getFactorOperand(updates.front().op))
    return;
  for (Operation *user :
       llvm::make_early_inc_range(clip.getFactor().getUsers()))
    if (user->use_empty() && isa<SpillOp>(user))
      user->erase();
  unsigned last = program.getNumResults();
  (void)program.insertResult(last, clip.getFactor().getType(),
                             b.getDictionaryAttr(b.getNamedAttr(
                                 kOutputAttr, b.getStringAttr(kClipFactor))));
  terminator()->insertOperands(last, clip.getFactor());
}

//===----------------------------------------------------------------------===//
// The programs
//===----------------------------------------------------------------------===//

/// A alone: state stays as it is.
void StepParts::makeFirst() {
  for (auto [i, state] : llvm::enumerate(findNextStates(program)))
    if (ofUpdates.contains(state.next.getDefiningOp()))
      terminator()->setOperand(i, state.argument);
  takePending(); // nobody reads gradients any more
  leavePending();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.front())))
    if (ofUpdates.contains(&op))
      op.erase();
}

/// B alone: no outputs.
void StepParts::makeFlush() {
  takePending();
  for (unsigned i = program.getNumResults(); i-- > 0;)
    if (program.getOutput(i)) {
      (void)program.eraseResult(i);
      terminator()->eraseOperand(i);
    }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.front())))
    if (&op != terminator() && !ofUpdates.contains(&op))
      op.erase();
}

void StepParts::makeStep() {
  takePending();
  moveUpdates();
  leavePending();
}

void StepParts::makeDelayedStep() {
  takePending();
  moveUpdatesBeside();
  leavePending();
}

/// What A does with the parameters of `update`.
SmallVector<Operation *> StepParts::getReaders(const Update &update) {
  SmallVector<Operation *> readers;
  for (Operation *reader : update.parameters.getUsers())
    if (reader != terminator() && !ofUpdates.contains(reader))
      readers.push_back(reader);
  return readers;
}

/// B before A, bucket by bucket.
void StepParts::moveUpdates() {
  SmallVector<std::pair<Operation *, Update *>> places;
  for (Update &update : updates) {
    Value next;
    for (const NextState &state : findNextStates(program))
      if (state.argument == update.parameters)
        next = state.next;
    SmallVector<Operation *> readers = getReaders(update);
    for (Operation *reader : readers)
      reader->replaceUsesOfWith(update.parameters, next);
    // The next gradient takes the bytes of the one before.
    readers.push_back(update.gradient);
    places.emplace_back(findFirstReader(readers), &update);
  }
  llvm::sort(places, [](const auto &a, const auto &b) {
    return a.first == b.first ? a.second < b.second
                              : isBefore(a.first, b.first);
  });
  Operation *before = nullptr;
  for (auto [place, update] : places) {
    LDBG() << update->op << " goes before " << *place;
    for (Operation *op : update->bring)
      op->moveBefore(before && !inTime.contains(op) ? before : place);
    update->op->moveBefore(place);
    for (Operation *op : update->follow)
      op->moveBefore(place);
    before = update->op;
  }
  sinkNames();
  for (const Update &update : updates)
    skipReadBack(update);
}

/// B beside A, which reads the parameters before it.
void StepParts::moveUpdatesBeside() {
  SmallVector<Update *> order;
  for (Update &update : updates)
    order.push_back(&update);
  llvm::sort(order, [](Update *a, Update *b) {
    return isBefore(a->gradient, b->gradient);
  });
  Operation *start = &program.front().front(), *before = nullptr,
            *after = nullptr;
  while (ofUpdates.contains(start))
    start = start->getNextNode();
  for (Update *update : order) {
    llvm::SmallPtrSet<Operation *, 4> replace; // what makes the next parameters
    for (const NextState &state : findNextStates(program))
      if (state.argument == update->parameters)
        for (Operation *op = state.next.getDefiningOp(); op != update->op;
             op = op->getOperand(0).getDefiningOp())
          replace.insert(op);
    for (Operation *op : update->bring)
      op->moveBefore(before && !inTime.contains(op) ? before : start);
    update->op->moveBefore(start);
    before = update->op;
    // In the order of updates: what waits for one holds up its whole stream.
    Operation *last = findLastReader(getReaders(*update));
    if (last && (!after || isBefore(after, last)))
      after = last;
    for (Operation *op : update->follow)
      if (!replace.contains(op) || !after) {
        op->moveBefore(start);
      } else {
        op->moveAfter(after);
        after = op;
      }
  }
}

/// Puts names of parameters after the updates that these come from.
void StepParts::sinkNames() {
  SmallVector<Operation *> names;
  for (Operation &op : program.front())
    if (movesNothing(&op) && &op != terminator())
      names.push_back(&op);
  for (Operation *name : names)
    for (Value operand : name->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && isBefore(name, def))
        name->moveAfter(def);
}

/// What is spilled to nvme need not be read back from there for its first use.
void StepParts::skipReadBack(const Update &update) {
  for (Operation *op : update.follow) {
    auto spill = dyn_cast<SpillOp>(op);
    if (!spill || spill.getInto() != update.parameters)
      continue;
    Operation *first = nullptr;
    for (Operation *user : spill->getUsers())
      if (isa<FetchOp>(user) && (!first || isBefore(user, first)))
        first = user;
    if (!first || first->getResult(0).getType() != spill.getSource().getType())
      return;
    first->replaceAllUsesWith(ValueRange{spill.getSource()});
    first->erase();
    return;
  }
}

LogicalResult
zero::lookAtRotated(ProgramOp step, Rotation rotation,
                    function_ref<LogicalResult(ProgramOp, OriginalOf)> look) {
  if (rotation == Rotation::None || step.front().getOps<UpdateOp>().empty())
    return look(step, [](Operation *op) { return op; });
  constexpr StringLiteral kNumber = "zero.number";
  SmallVector<Operation *> originals;
  OpBuilder b(step);
  for (Operation &op : step.front()) {
    op.setAttr(kNumber, b.getIndexAttr(originals.size()));
    originals.push_back(&op);
  }
  auto copy = cast<ProgramOp>(b.clone(*step));
  StepParts parts(copy);
  LogicalResult looked = parts.analyze();
  if (succeeded(looked)) {
    parts.addPending();
    StepParts rotated(copy);
    (void)rotated.analyze(); // as before
    if (rotation == Rotation::Delayed)
      rotated.makeDelayedStep();
    else
      rotated.makeStep();
    looked = look(copy, [&](Operation *op) -> Operation * {
      auto number = op->getAttrOfType<IntegerAttr>(kNumber);
      return number ? originals[number.getInt()] : nullptr;
    });
  }
  copy.erase();
  for (Operation *op : originals)
    op->removeAttr(kNumber);
  return looked;
}

/// Gives `other` what `step` takes and it does not, and returns what of that is
/// state.
static void takeSame(ProgramOp other, ProgramOp step) {
  unsigned states = 0;
  for (BlockArgument argument : step.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool isState = step.getState(i) != nullptr;
    if (i == other.getNumArguments() ||
        other.getArgAttrDict(i) != step.getArgAttrDict(i)) {
      (void)other.insertArgument(i, argument.getType(), step.getArgAttrDict(i),
                                 argument.getLoc());
      if (isState) {
        (void)other.insertResult(states, argument.getType(),
                                 DictionaryAttr::get(other.getContext()));
        other.front().getTerminator()->insertOperands(states,
                                                      other.getArgument(i));
      }
    }
    states += isState;
  }
}

namespace {
struct RotateUpdates : zero::impl::RotateUpdatesBase<RotateUpdates> {
  using RotateUpdatesBase::RotateUpdatesBase;

  void runOnOperation() override {
    SmallVector<ProgramOp> programs = findPrograms(getOperation());
    ProgramOp eval;
    if (!programs.empty() && programs.back().getName() == "eval")
      eval = programs.pop_back_val();
    if (programs.size() != 1 || programs.front().getName() != "step") {
      getOperation().emitError("updates move to the next step's forward where "
                               "a step is one program, @step; this module has ")
          << programs.size()
          << (programs.size() == 1 ? " of another name" : " programs");
      return signalPassFailure();
    }
    ProgramOp step = programs.front();
    StepParts both(step);
    if (failed(both.analyze()))
      return signalPassFailure();
    if (step.front().getOps<UpdateOp>().empty()) {
      step.emitOpError("has no updates");
      return signalPassFailure();
    }
    both.addPending();
    if (eval)
      takeSame(eval, step);
    OpBuilder b(step);
    auto first = cast<ProgramOp>(b.clone(*step));
    first.setName("first");
    b.setInsertionPointAfter(step);
    auto flush = cast<ProgramOp>(b.clone(*step));
    flush.setName("flush");
    auto makeStep =
        delayed ? &StepParts::makeDelayedStep : &StepParts::makeStep;
    auto rotate = [](ProgramOp program, void (StepParts::*make)()) {
      StepParts parts(program);
      (void)parts.analyze(); // as that of `step`
      (parts.*make)();
    };
    rotate(first, &StepParts::makeFirst);
    rotate(step, makeStep);
    rotate(flush, &StepParts::makeFlush);
  }
};
} // namespace
