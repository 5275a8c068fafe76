//===- StepParts.cpp - Separates the updates of a step --------------------===//

#include "passes/plan/StepParts.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-rotate-updates"

using namespace mlir;
using namespace mlir::zero;

static bool isBefore(Operation *a, Operation *b) {
  return a->isBeforeInBlock(b);
}

//===----------------------------------------------------------------------===//
// The two parts
//===----------------------------------------------------------------------===//

/// The index of the scalar operand that is the factor of zero.clip, if any.
static std::optional<unsigned> getFactorOperand(UpdateOp op) {
  auto rule = SymbolTable::lookupNearestSymbolFrom<OptimizerOp>(
      op, op.getOptimizerAttr());
  unsigned i = 0;
  for (StringRef name : rule.getScalars().getAsValueRange<StringAttr>()) {
    if (name == kClipFactor)
      return i;
    i += name != "decay"; // decay is no operand
  }
  return std::nullopt;
}

/// Appends the transfers that bring `value`, in program order.
static void collectSources(Value value, SmallVectorImpl<Operation *> &sources) {
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
// Pending values
//===----------------------------------------------------------------------===//

/// Makes B read the pending gradients and factor of the previous program.
void StepParts::takePending() {
  for (Update &update : updates) {
    update.op.getGradMutable().assign(update.pending);
    if (std::optional<unsigned> i = getFactorOperand(update.op))
      update.op.getScalarsMutable()[*i].assign(program.getArguments().back());
  }
}

/// Makes A leave gradients in their state, and return the factor to the host.
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

/// Keeps only A; it returns state unchanged.
void StepParts::makeFirst() {
  for (auto [i, state] : llvm::enumerate(findNextStates(program)))
    if (ofUpdates.contains(state.next.getDefiningOp()))
      terminator()->setOperand(i, state.argument);
  takePending(); // so that nothing reads gradients any more
  leavePending();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.front())))
    if (ofUpdates.contains(&op))
      op.erase();
}

/// Keeps only B, without outputs.
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

/// The operations of A that read the parameters of `update`.
SmallVector<Operation *> StepParts::getReaders(const Update &update) {
  SmallVector<Operation *> readers;
  for (Operation *reader : update.parameters.getUsers())
    if (reader != terminator() && !ofUpdates.contains(reader))
      readers.push_back(reader);
  return readers;
}

/// Moves B before A, bucket by bucket.
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
    // The next gradient overwrites the pending one.
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

/// Moves B to the start, beside A, which reads the old parameters.
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
    llvm::SmallPtrSet<Operation *, 4> replace; // makes the next parameters
    for (const NextState &state : findNextStates(program))
      if (state.argument == update->parameters)
        for (Operation *op = state.next.getDefiningOp(); op != update->op;
             op = op->getOperand(0).getDefiningOp())
          replace.insert(op);
    for (Operation *op : update->bring)
      op->moveBefore(before && !inTime.contains(op) ? before : start);
    update->op->moveBefore(start);
    before = update->op;
    // Keep the order of updates: an operation that waits for one blocks its
    // stream.
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

/// Moves operations that only name bytes after the updates that they depend on.
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

/// Parameters that were just spilled to NVMe are not read back for their first
/// use.
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
