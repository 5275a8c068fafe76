//===- Refinement.cpp - A plan computes the model's step ------------------===//
//
// Other rules check that a plan runs as it is written, and that every bucket is
// updated by the mean of its gradients.  (V14) checks that these are the
// model's gradients:
//
//   * the plan's parameters and inputs are those of the model, and its kernels
//     have the model's bodies;
//   * every program packs for a member the gradient of this parameter, or of
//     its rows;
//   * the loss is the mean over ranks of the model's loss; in @eval the loss,
//     and all numbers that it is averaged over, are those of a single
//     micro-step;
//   * @prefill and @decode return the logits and the next caches of the model's
//     functions, of one micro-step;
//   * in a program with all micro-steps, the gradients, losses and counts of a
//     micro-step are computed from the inputs of this micro-step only;
//   * the model reads parameters, and nothing else of buckets.
//
// The model is @step at level kernels: one rank, no buckets, no streams.  The
// model and the programs are executed symbolically: each value becomes the term
// (TermTable.h) that computes it.  Operations that only move values have no
// terms of their own:
//
//   view of @b0 "w"                           rows of parameter "w"; if it is
//                                             packed, its bytes, for dequantize
//   a gradient that is added to a view of     the gradient: the term lacks the
//   the sum of @b0 "w", by a product or by    sum and the scale, which (V13)
//   zero.accumulate                           checks
//   dequantize                                the parameter of packed bytes, if
//                                             the packing matches
//   gather, copy, fetch, spill                the operand's term
//   join, split                               join, rows
//   all_reduce                                mean over ranks
//   scalar "count0"                           mean over micro-steps of @count's
//                                             result "count0"
//   zero.average (in the model)               mean over micro-steps of the mean
//                                             over ranks
//   kernels, products, reshapes               the operation on its terms
//
// Terms do not contain the micro-step of an input.  In a program with several
// micro-steps, each value has a micro-step beside its term: that of its
// operands, or `mixed`.
//
// A mean of one value is the value itself.  (V11) to (V13) check the operations
// after a flatten.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"
#include "passes/verify/ModelStep.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

using Term = TermTable::Term;
using Leaf = TermTable::Leaf;
using Mean = TermTable::Mean;

class Refinement {
public:
  Refinement(ModuleOp plan, ModuleOp model, int64_t ranks)
      : plan(plan), model(model), ranks(ranks),
        symbolic(ranks, getMicroSteps(plan)), recomputation(plan) {}

  LogicalResult run();

private:
  LogicalResult execute(ProgramOp function, StringRef name);
  SmallVector<int64_t> findRankRepresentatives();
  void enter(BlockArgument argument);
  LogicalResult visit(Operation *op);
  LogicalResult compute(Operation *op);
  void follow(Operation *op);
  LogicalResult visitView(ViewOp op);
  /// The parameter whose packed bytes are `bytes`; fails unless it is of `type`
  /// and `packing`.
  FailureOr<Term> expectPacked(Operation *op, Value bytes, Packing packing,
                               RankedTensorType type);
  LogicalResult visitUnpack(UnpackOp op);
  LogicalResult visitMatmul(nn::MatmulOp op);
  LogicalResult visitAccumulate(AccumulateOp op);
  void countResult(Operation *op);
  LogicalResult visitFlatten(FlattenOp op);
  LogicalResult visitReturn(Operation *op);
  LogicalResult visitForward(Operation *op);
  LogicalResult expect(Operation *op, Value value, Term expected,
                       const Twine &role);
  LogicalResult expectMicro(Operation *op, Value value, IntegerAttr micro,
                            const Twine &role);

  ModuleOp plan, model;
  int64_t ranks;
  SymbolTableCollection symbols;
  SymbolicExecutor symbolic;
  /// @step; @step of a single micro-step, for @eval; the others by name.
  ModelStep step, evaluated;
  llvm::StringMap<ModelStep> forwards;
  /// State of the program that is executed.
  ProgramOp program;
  StringRef programName;
  DenseMap<Value, StateAttr> flats; ///< the state of a flat value
  /// The parameter, or the rows of one, that packed bytes hold, and their
  /// packing.
  DenseMap<Value, std::pair<Term, Packing>> packed;
  /// Views of sums of gradients, and what is added to them: whether they have a
  /// gradient.  Of which member follows from their bytes (S2).
  DenseMap<Value, bool> sums;
  /// The micro-step from whose inputs a value is computed, if from any.
  DenseMap<Value, int64_t> micros;
  static constexpr int64_t kMixed = -1;
  /// Results of @count of the same rank, by name.
  llvm::StringMap<Term> counts;
  Recomputation recomputation;
};

} // namespace

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

void Refinement::enter(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  if (auto state = program.getState(i)) {
    flats[argument] = state;
  } else if (auto input = program.getInput(i)) {
    symbolic.set(argument,
                 symbolic.terms.leaf(Leaf::Input, input, argument.getType()));
    if (auto micro = program.getArgAttrOfType<IntegerAttr>(i, kMicroAttr))
      micros[argument] = micro.getInt();
  } else if (auto cache = program.getCache(i)) {
    symbolic.set(argument,
                 symbolic.terms.leaf(Leaf::Cache, cache, argument.getType()));
  } else if (auto name = program.getScalar(i)) {
    auto count = counts.find(name);
    symbolic.set(
        argument,
        count == counts.end()
            ? symbolic.terms.leaf(Leaf::Scalar, name, argument.getType())
            : symbolic.mean(Mean::MicroSteps, count->second));
  }
}

LogicalResult Refinement::expect(Operation *op, Value value, Term expected,
                                 const Twine &role) {
  Term found = symbolic.termOf(value);
  if (found == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError("takes "); // (V14)
  error << judge::describe(value) << " as " << role << ", which is "
        << symbolic.terms.describe(found) << ", and by the model it is "
        << symbolic.terms.describe(expected) << " (V14)";
  error.attachNote(value.getLoc())
      << symbolic.terms.describeDifference(found, expected, "in the model");
  return error;
}

/// Fails if `value`, which belongs to micro-step `micro`, is computed from the
/// inputs of another.
LogicalResult Refinement::expectMicro(Operation *op, Value value,
                                      IntegerAttr micro, const Twine &role) {
  auto found = micros.find(value);
  if (found == micros.end() || (micro && found->second == micro.getInt()))
    return success();
  InFlightDiagnostic error = op->emitOpError("takes "); // (V14)
  error << judge::describe(value) << " as " << role << " of ";
  if (micro)
    error << "micro-step " << micro.getInt();
  else
    error << "no micro-step";
  error << ", which is computed from inputs of ";
  if (found->second == kMixed)
    error << "several micro-steps (V14)";
  else
    error << "micro-step " << found->second << " (V14)";
  return error;
}

LogicalResult Refinement::visitView(ViewOp op) {
  StateAttr state = flats.lookup(op.getFlat());
  if (state && state.getSlot() == "grad") {
    sums[op.getResult()] = false;
    return success();
  }
  if (!state || state.getSlot() != "param") // (V14)
    return op.emitOpError("reads ")
           << judge::describe(op.getFlat())
           << ", and the model reads nothing of a bucket except its parameters "
              "(V14)";
  auto bucket =
      symbols.lookupNearestSymbolFrom<BucketOp>(op, op.getBucketAttr());
  MemberAttr member = bucket.lookup(op.getMember());
  RankedTensorType type = step.parameter(member.getName()).type;
  Term term = symbolic.terms.leaf(Leaf::Parameter, member.getName(), type);
  if (member.isPiece())
    term = symbolic.terms.rows(term, member.getFirstRow(),
                               member.getShape().front());
  if (bucket.getPacking())
    packed[op.getResult()] = {term, *bucket.getPacking()};
  else
    symbolic.set(op.getResult(), term);
  return success();
}

FailureOr<Term> Refinement::expectPacked(Operation *op, Value bytes,
                                         Packing packing,
                                         RankedTensorType type) {
  auto found = packed.find(bytes);
  if (found == packed.end()) // (V14)
    return op->emitOpError("takes ")
           << judge::describe(bytes)
           << ", which is not the bytes of a packed parameter (V14)";
  auto [term, has] = found->second;
  if (packing != has || type != symbolic.terms.typeOf(term)) // (V14)
    return op->emitOpError("makes ")
           << type << " of " << stringifyPacking(packing)
           << ", and its bytes are " << symbolic.terms.describe(term) << ", "
           << symbolic.terms.typeOf(term) << " of " << stringifyPacking(has)
           << " (V14)";
  return term;
}

LogicalResult Refinement::visitUnpack(UnpackOp op) {
  FailureOr<Term> term =
      expectPacked(op, op.getBytes(), op.getPacking(),
                   cast<RankedTensorType>(op.getResult().getType()));
  if (succeeded(term))
    symbolic.set(op.getResult(), *term);
  return term;
}

LogicalResult Refinement::visitAccumulate(AccumulateOp op) {
  auto sum = sums.find(op.getSum());
  if (sum == sums.end() || sum->second) // (V14)
    return op.emitOpError("adds to ")
           << judge::describe(op.getSum())
           << ", which is no view of a sum of gradients (V14)";
  symbolic.set(op.getResult(), symbolic.termOf(op.getMore()));
  sums[op.getResult()] = true;
  return success();
}

LogicalResult Refinement::visitMatmul(nn::MatmulOp op) {
  if (auto sum = sums.find(op.getInit()); sum != sums.end()) {
    SmallVector<Term> operands;
    for (Value operand : op->getOperands())
      if (operand != op.getInit() || sum->second)
        operands.push_back(symbolic.termOf(operand));
    symbolic.set(op.getResult(), symbolic.terms.summand(op, operands));
    sums[op.getResult()] = true;
  } else if (!op.getPacked()) {
    symbolic.execute(op);
  } else {
    FailureOr<Term> b = expectPacked(
        op, op.getB(), *op.getPacking(),
        RankedTensorType::get({op.getN(), op.getK()},
                              op.getA().getType().getElementType()));
    if (failed(b))
      return failure();
    SmallVector<Term> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(
          &operand == &op.getBMutable() ? *b : symbolic.termOf(operand.get()));
    symbolic.set(op.getResult(),
                 symbolic.terms.apply(op, nullptr, operands, 0));
  }
  countResult(op);
  return success();
}

LogicalResult Refinement::visitFlatten(FlattenOp op) {
  auto bucket =
      symbols.lookupNearestSymbolFrom<BucketOp>(op, op.getBucketAttr());
  if (bucket.getFrozen()) // (V14)
    return op.emitOpError("packs gradients of @")
           << op.getBucket() << ", which is frozen (V14)";
  auto members = bucket.getMembers().getAsRange<MemberAttr>();
  for (auto [member, operand] : llvm::zip_equal(members, op.getMembers())) {
    Term gradient = step.parameter(member.getName()).gradient;
    std::string role =
        ("the gradient of \"" + member.getName().getValue() + "\"").str();
    if (member.isPiece()) {
      gradient = symbolic.terms.rows(gradient, member.getFirstRow(),
                                     member.getShape().front());
      role += ", rows from " + std::to_string(member.getFirstRow());
    }
    if (failed(expect(op, operand, gradient, role)) ||
        failed(expectMicro(op, operand,
                           op->getAttrOfType<IntegerAttr>(kMicroAttr), role)))
      return failure();
  }
  return success();
}

/// Checks that @prefill or @decode returns the logits and the next caches, or
/// @score the values, and nothing else.
LogicalResult Refinement::visitForward(Operation *op) {
  const ModelStep &model = forwards[programName];
  const StringRef what = programName == kScore ? kValues : kLogits;
  SmallVector<NextCache> caches = findNextCaches(program);
  if (caches.size() != model.getCaches().size()) // (V14)
    return program.emitOpError("has ")
           << caches.size() << " caches, and the model "
           << model.getCaches().size() << " (V14)";
  for (auto [cache, expected] : llvm::zip_equal(caches, model.getCaches())) {
    auto [name, type, next] = expected;
    if (cache.name != name || cache.argument.getType() != type ||
        !cache.next) // (V14)
      return program.emitOpError("has cache ")
             << cache.name << " of " << cache.argument.getType()
             << ", and the model has " << name << " of " << type << " (V14)";
    if (failed(expect(op, cache.next, next, "the next cache " + name.str())))
      return failure();
  }
  bool hasResult = false;
  auto first = IntegerAttr::get(IntegerType::get(op->getContext(), 64), 0);
  for (OpOperand &value : op->getOpOperands()) {
    auto name = program.getOutput(value.getOperandNumber());
    if (!name)
      continue;
    if (name != what) // (V14)
      return program.emitOpError("has output ")
             << name << ", which is not the " << what << " (V14)";
    if (failed(expect(op, value.get(), model.getResult(), "the " + what)) ||
        failed(expectMicro(op, value.get(), first, "the " + what)))
      return failure();
    hasResult = true;
  }
  if (!hasResult) // (V14)
    return program.emitOpError("has no output \"")
           << what << "\", and the model has " << what << " (V14)";
  return success();
}

LogicalResult Refinement::visitReturn(Operation *op) {
  if (isForward(programName))
    return visitForward(op);
  bool isEval = programName == "eval", isCount = programName == "count";
  bool hasLoss = false;
  std::set<unsigned> weights; // outputs "count<n>" of @eval
  for (OpOperand &value : op->getOpOperands()) {
    unsigned i = value.getOperandNumber();
    auto name = program.getOutput(i);
    if (!name)
      continue;
    bool isLoss = name == "loss";
    hasLoss |= isLoss;
    std::string role = "the output " + name.str();
    Term loss = (isEval ? evaluated : step).getLoss();
    if (isLoss && failed(expect(op, value.get(),
                                symbolic.mean(Mean::Ranks, loss), "the loss")))
      return failure();
    if (isEval && !isLoss) {
      unsigned number = 0;
      StringRef digits = name.getValue();
      if (!digits.consume_front("count") || digits.getAsInteger(10, number) ||
          number >= evaluated.getAverages().size()) // (V14)
        return program.emitOpError("has output ")
               << name
               << ", which is neither the loss nor a number that the "
                  "model averages over (V14)";
      if (failed(
              expect(op, value.get(), evaluated.getAverages()[number], role)))
        return failure();
      weights.insert(number);
    }
    if (isCount) {
      // All values of the mean must be computed in the same way.
      Term count = symbolic.termOf(value.get());
      Term first = counts.try_emplace(name, count).first->second;
      if (failed(expect(op, value.get(), first, role)))
        return failure();
    }
    if ((isLoss || isCount || isEval) &&
        failed(expectMicro(
            op, value.get(),
            program.getResultAttrOfType<IntegerAttr>(i, kMicroAttr), role)))
      return failure();
  }
  if ((programName == "step" || programName == "first" || isEval) &&
      !hasLoss) // (V14)
    return program.emitOpError(
        "has no output \"loss\", and the model has a loss (V14)");
  for (unsigned i = 0, e = evaluated.getAverages().size(); isEval && i != e;
       ++i)
    if (!weights.count(i)) // (V14)
      return program.emitOpError("has no output \"count")
             << i
             << "\", which the model averages over (V14); the host weighs the "
                "losses of batches by it";
  return success();
}

/// Computes from which micro-step's inputs the results of `op` are computed.
void Refinement::follow(Operation *op) {
  // A sum has earlier micro-steps; what is added to it is followed.
  if (isa<FlattenOp>(op))
    return;
  for (Value operand : op->getOperands()) {
    auto mine = micros.find(operand);
    if (mine == micros.end())
      continue;
    int64_t micro = mine->second;
    for (Value result : op->getResults()) {
      auto [known, isNew] = micros.try_emplace(result, micro);
      if (!isNew && known->second != micro)
        known->second = kMixed;
    }
  }
}

void Refinement::countResult(Operation *op) {
  auto micro = micros.find(op->getResult(0));
  for (Value result : op->getResults())
    recomputation.count(op, symbolic.termOf(result),
                        micro == micros.end() ? std::nullopt
                                              : std::optional(micro->second));
}

LogicalResult Refinement::visit(Operation *op) {
  follow(op);
  return compute(op);
}

LogicalResult Refinement::compute(Operation *op) {
  // (S7) says which parameters the model reads as they are exchanged.
  if (has(op, Fact::KeepsState)) {
    flats[op->getResult(0)] = flats.lookup(op->getOperand(0));
    return success();
  }
  // (V12) and (V13) check operations on gradients and state.
  if (has(op, Fact::OnGradients) || isa<FlattenOp>(op))
    flats[op->getResult(0)] = StateAttr::get(
        op->getContext(), op->getAttrOfType<FlatSymbolRefAttr>("bucket"),
        StringAttr::get(op->getContext(), "grad"));
  if (has(op, Fact::OnGradients))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ViewOp view) { return visitView(view); })
      .Case([&](UnpackOp copy) { return visitUnpack(copy); })
      .Case([&](FlattenOp flatten) { return visitFlatten(flatten); })
      .Case([&](AccumulateOp add) { return visitAccumulate(add); })
      .Case([&](ReturnOp) { return visitReturn(op); })
      .Case([&](CopyOp copy) {
        if (StateAttr state = flats.lookup(copy.getSource()))
          flats[copy.getResult()] = state;
        else if (auto bytes = packed.find(copy.getSource());
                 bytes != packed.end())
          packed[copy.getResult()] = std::pair(bytes->second);
        else
          symbolic.set(copy.getResult(), symbolic.termOf(copy.getSource()));
        return success();
      })
      .Case<FetchOp, SpillOp>([&](auto transfer) {
        // The result is the state that `into` is (V12).
        Value same =
            transfer.getInto() ? transfer.getInto() : transfer.getSource();
        if (StateAttr state = flats.lookup(same))
          flats[transfer.getResult()] = state;
        else if (!transfer.getBucket())
          symbolic.set(transfer.getResult(),
                       symbolic.termOf(transfer.getSource()));
        return success();
      })
      .Case([&](AllReduceOp reduce) {
        symbolic.set(
            reduce.getResult(),
            symbolic.mean(Mean::Ranks, symbolic.termOf(reduce.getValue())));
        return success();
      })
      // The first result is the parameters, or their master; (V13) checks
      // whether the model may read them.
      .Case([&](UpdateOp update) {
        flats[update.getNext().front()] =
            StateAttr::get(update.getContext(), update.getBucketAttr(),
                           StringAttr::get(update.getContext(), "param"));
        return success();
      })
      // These, too.
      .Case<AddLeafOp, SumLeavesOp, SumSquaresOp, TotalOp, ClipOp, RecordOp,
            WaitOp>([](auto) { return success(); })
      .Case([&](nn::MatmulOp product) { return visitMatmul(product); })
      .Case([&](SplitOp split) {
        // (V13) checks the squares of segments.
        if (!split.getWhole().getDefiningOp<SumSquaresOp>()) {
          symbolic.execute(op);
          countResult(op);
        }
        return success();
      })
      .Default([&](Operation *) {
        symbolic.execute(op);
        countResult(op);
        return success();
      });
}

LogicalResult Refinement::execute(ProgramOp function, StringRef name) {
  program = function;
  programName = name;
  symbolic.clear();
  flats.clear();
  packed.clear();
  sums.clear();
  micros.clear();
  recomputation.begin();
  for (BlockArgument argument : function.getArguments())
    enter(argument);
  for (Operation &op : function.front())
    if (failed(visit(&op)))
      return failure();
  return success();
}

/// The ranks with their own programs, and the first of all others.
SmallVector<int64_t> Refinement::findRankRepresentatives() {
  std::set<int64_t> own;
  for (auto function : plan.getOps<ProgramOp>())
    if (std::optional<uint64_t> rank = function.getRank())
      own.insert(*rank);
  SmallVector<int64_t> found(own.begin(), own.end());
  int64_t other = 0;
  while (own.count(other))
    ++other;
  if (other < ranks)
    found.push_back(other);
  return found;
}

LogicalResult Refinement::run() {
  if (failed(ModelStep::matchKernels(plan, model, symbolic)) ||
      failed(step.execute(model, symbolic)) ||
      failed(step.matchParameters(plan)) ||
      failed(judgeModelClaims(plan, model)))
    return failure();
  recomputation.countModel(model, "step", symbolic);
  if (hasProgram(plan, "eval")) {
    symbolic.setMicroSteps(1);
    if (failed(evaluated.execute(model, symbolic)))
      return failure();
    recomputation.countModel(model, "step", symbolic);
    symbolic.setMicroSteps(getMicroSteps(plan));
  }
  for (StringRef name : kForwards)
    if (hasProgram(plan, name)) {
      if (failed(forwards[name].executeForward(model, name, symbolic)))
        return failure();
      recomputation.countModel(model, name, symbolic);
    }
  for (int64_t rank : findRankRepresentatives()) {
    counts.clear();
    for (StringRef name : kPrograms)
      if (ProgramOp function = findProgram(plan, name, rank))
        if (failed(step.matchInputs(function)) ||
            failed(execute(function, name)))
          return failure();
  }
  return recomputation.judge();
}

LogicalResult judge::judgeRefinement(ModuleOp plan, ModuleOp model,
                                     int64_t ranks) {
  return Refinement(plan, model, ranks).run();
}
