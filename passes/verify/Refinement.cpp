//===- Refinement.cpp - A plan computes the model's step ------------------===//
//
// Other rules say that a plan runs as it is written, and that every bucket is
// updated by the mean of its gradients.  (V14) says that these are the model's:
//
//   * the plan's parameters and inputs are those of the model, and its kernels
//     have the model's bodies;
//   * in every program, what is packed for a member is the gradient of this
//     parameter, or of its rows;
//   * the loss is the mean over ranks of the model's;
//   * the model reads parameters, and of buckets nothing else.
//
// The model is @step at level kernels: one rank, no buckets, no streams.  It
// and the programs are executed symbolically: each value becomes the term
// (Terms.h) that it is computed by.  What only moves values has no term of its
// own:
//
//   plan                                      term
//   view of @b0 "w"                           rows of parameter "w"
//   gather, copy                              that of the operand
//   join, split                               join, rows
//   all_reduce                                mean over ranks
//   scalar "count0"                           mean over micro-steps of what
//                                             @count returns as "count0"
//   zero.average (the model's)                mean over micro-steps of the mean
//                                             over ranks
//   kernels, products, reshapes               the operation on its terms
//
// A mean of one is the value itself.  What follows a pack is the matter of
// (V11) to (V13).
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Refinement.h"

#include "dialect/zero/Programs.h"
#include "passes/verify/Terms.h"
#include "passes/verify/Words.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {

using Term = Terms::Term;
using Leaf = Terms::Leaf;
using Mean = Terms::Mean;

/// What the model's step computes.
struct ModelStep {
  /// By name: the parameter's type and its gradient.
  struct Parameter {
    RankedTensorType type;
    Attribute init;
    Term gradient;
  };
  llvm::MapVector<StringAttr, Parameter> parameters;
  /// By name: the type, and zero.vocab.
  llvm::MapVector<StringAttr, std::pair<Type, Attribute>> inputs;
  Term loss = 0;
};

class Refinement {
public:
  Refinement(ModuleOp plan, ModuleOp model, int64_t ranks)
      : plan(plan), model(model), ranks(ranks) {
    auto steps = plan->getAttrOfType<IntegerAttr>(kMicroStepsAttr);
    microSteps = steps ? steps.getInt() : 1;
  }

  LogicalResult run();

private:
  using Values = DenseMap<Value, Term>;

  LogicalResult executeModel();
  LogicalResult matchKernels();
  LogicalResult matchParameters();
  LogicalResult matchInputs(func::FuncOp program);
  LogicalResult execute(func::FuncOp function, StringRef name);
  SmallVector<int64_t> findKindsOfRanks();
  LogicalResult visit(Operation *op);
  LogicalResult visitView(ViewOp op);
  LogicalResult visitPack(PackOp op);
  LogicalResult visitReturn(Operation *op);
  LogicalResult expect(Operation *op, Value value, Term expected,
                       const Twine &role);
  void enter(BlockArgument argument);
  void apply(Operation *op);
  void joinOrSplit(Operation *op);
  Term termOf(Value value);
  Term mean(Mean over, Term term) {
    int64_t count = over == Mean::Ranks ? ranks : microSteps;
    return count == 1 ? term : terms.mean(over, term);
  }

  ModuleOp plan, model;
  int64_t ranks, microSteps;
  SymbolTableCollection symbols;
  Terms terms;
  ModelStep step;
  /// Of the plan's kernels: the model's.
  DenseMap<Operation *, Operation *> kernels;
  /// Of the function that is executed.
  func::FuncOp program;
  StringRef programName;
  Values values;
  DenseMap<Value, StateAttr> flats; ///< which state a flat value is
  /// What @count of the same rank returns, by name.
  llvm::StringMap<Term> counts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Terms of operations
//===----------------------------------------------------------------------===//

Term Refinement::termOf(Value value) {
  auto [found, isNew] = values.try_emplace(value);
  if (isNew)
    found->second = terms.unknown(value);
  return found->second;
}

void Refinement::apply(Operation *op) {
  Operation *callee = nullptr;
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    callee = symbols.lookupNearestSymbolFrom(op, launch.getKernelAttr());
    // The model's own are not listed.
    if (Operation *same = kernels.lookup(callee))
      callee = same;
  }
  SmallVector<Term> operands;
  for (Value operand : op->getOperands())
    operands.push_back(termOf(operand));
  for (OpResult result : op->getResults())
    values[result] =
        terms.apply(op, callee, operands, result.getResultNumber());
}

void Refinement::joinOrSplit(Operation *op) {
  if (auto split = dyn_cast<SplitOp>(op)) {
    values[split.getResult()] =
        terms.rows(termOf(split.getWhole()), split.getRow(),
                   split.getResult().getType().getDimSize(0));
    return;
  }
  SmallVector<Term> pieces;
  for (Value piece : op->getOperands())
    pieces.push_back(termOf(piece));
  values[op->getResult(0)] = terms.join(pieces);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

LogicalResult Refinement::executeModel() {
  auto function = model.lookupSymbol<func::FuncOp>("step");
  if (!function || !function.getBody().hasOneBlock()) // (V14)
    return model.emitError("has no function @step of one block, and the plan "
                           "is to be compared with it (V14)");
  SmallVector<StringAttr> names;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto parameter = function.getArgAttrOfType<StringAttr>(i, kParamAttr);
    auto input = function.getArgAttrOfType<StringAttr>(i, kInputAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !parameter == !input) // (V14)
      return function.emitOpError("takes argument ")
             << i << ", which must be a parameter or an input (V14)";
    values[argument] =
        terms.leaf(parameter ? Leaf::Parameter : Leaf::Input,
                   parameter ? parameter : input, type);
    bool isNew =
        input ? step.inputs
                    .insert({input, {type, function.getArgAttr(i, kVocabAttr)}})
                    .second
              : step.parameters
                    .insert({parameter,
                             {type, function.getArgAttr(i, kInitAttr), 0}})
                    .second;
    if (!isNew) // (V14)
      return function.emitOpError("takes two ")
             << (input ? "inputs" : "parameters") << " called "
             << (input ? input : parameter) << " (V14)";
    if (parameter)
      names.push_back(parameter);
  }
  for (Operation &op : function.front().without_terminator()) {
    if (auto average = dyn_cast<AverageOp>(op))
      values[average.getResult()] =
          mean(Mean::MicroSteps,
               mean(Mean::Ranks, termOf(average.getValue())));
    else if (isa<JoinOp, SplitOp>(op))
      joinOrSplit(&op);
    else
      apply(&op);
  }
  Operation *returned = function.front().getTerminator();
  if (returned->getNumOperands() != 1 + names.size()) // (V14)
    return function.emitOpError("returns ")
           << returned->getNumOperands() << " values, and needs the loss and "
           << names.size() << " gradients (V14)";
  step.loss = termOf(returned->getOperand(0));
  for (auto [i, name] : llvm::enumerate(names)) {
    ModelStep::Parameter &parameter = step.parameters[name];
    Value gradient = returned->getOperand(1 + i);
    if (gradient.getType() != parameter.type) // (V14)
      return function.emitOpError("returns ")
             << gradient.getType() << " as the gradient of " << name
             << ", which is " << parameter.type << " (V14)";
    parameter.gradient = termOf(gradient);
  }
  values.clear();
  return success();
}

/// What is compiled of a kernel beside its body, but for what (S6) proves.
static DictionaryAttr attributesOf(func::FuncOp kernel) {
  NamedAttrList attributes(kernel->getDiscardableAttrDictionary());
  for (StringRef proved : {kKernelAttr, kSpaceAttr})
    attributes.erase(proved);
  return attributes.getDictionary(kernel.getContext());
}

/// A kernel of the plan is the model's of that name, and has its body.
LogicalResult Refinement::matchKernels() {
  for (auto kernel : plan.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(kKernelAttr))
      continue;
    auto same = dyn_cast_or_null<func::FuncOp>(
        symbols.lookupSymbolIn(model, kernel.getSymNameAttr()));
    if (!same) // (V14)
      return kernel.emitOpError("is no kernel of the model (V14)");
    if (same.getFunctionType() != kernel.getFunctionType() ||
        !OperationEquivalence::isRegionEquivalentTo(
            &same.getBody(), &kernel.getBody(),
            OperationEquivalence::IgnoreLocations)) { // (V14)
      InFlightDiagnostic error = kernel.emitOpError(
          "has another body than the model's kernel of that name (V14)");
      error.attachNote(same.getLoc()) << "the model's";
      return error;
    }
    if (attributesOf(kernel) != attributesOf(same)) { // (V14)
      InFlightDiagnostic error = kernel.emitOpError(
          "has other attributes than the model's kernel of that name (V14)");
      error.attachNote(same.getLoc()) << "the model's";
      return error;
    }
    kernels[kernel] = same;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters and inputs
//===----------------------------------------------------------------------===//

LogicalResult Refinement::matchParameters() {
  DenseSet<StringAttr> found;
  for (auto bucket : plan.getOps<BucketOp>())
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
      auto parameter = step.parameters.find(member.getName());
      if (parameter == step.parameters.end()) // (V14)
        return bucket.emitOpError("has a member ")
               << member.getName() << ", and the model no such parameter (V14)";
      auto &[type, init, gradient] = parameter->second;
      if (type.getShape() != ArrayRef(member.getParameterShape())) // (V14)
        return bucket.emitOpError("has a member ")
               << member.getName() << " of a parameter of shape ["
               << member.getParameterShape() << "], and the model has " << type
               << " (V14)";
      if (init && init != member.getInit()) // (V14)
        return bucket.emitOpError("starts ")
               << member.getName() << " as " << member.getInit()
               << ", and the model as " << init << " (V14)";
      found.insert(member.getName());
    }
  for (auto &[name, parameter] : step.parameters)
    if (!found.contains(name)) // (V14)
      return plan.emitError("has no bucket for the model's parameter ")
             << name << " (V14)";
  return success();
}

LogicalResult Refinement::matchInputs(func::FuncOp program) {
  for (BlockArgument argument : program.getArguments()) {
    auto name = program.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kInputAttr);
    if (!name)
      continue;
    auto known = step.inputs.find(name);
    if (known == step.inputs.end()) // (V14)
      return program.emitOpError("takes input ")
             << name << ", and the model has no such input (V14)";
    auto [type, vocabulary] = known->second;
    if (type != argument.getType()) // (V14)
      return program.emitOpError("takes input ")
             << name << " as " << argument.getType()
             << ", and the model has it as " << type << " (V14)";
    Attribute here = program.getArgAttr(argument.getArgNumber(), kVocabAttr);
    if (here != vocabulary) // (V14)
      return program.emitOpError("takes input ")
             << name << " with " << kVocabAttr << " = " << here
             << ", and the model has " << vocabulary << " (V14)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

void Refinement::enter(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  if (auto state = program.getArgAttrOfType<StateAttr>(i, kStateAttr)) {
    flats[argument] = state;
  } else if (auto input = program.getArgAttrOfType<StringAttr>(i, kInputAttr)) {
    values[argument] = terms.leaf(Leaf::Input, input, argument.getType());
  } else if (auto name = program.getArgAttrOfType<StringAttr>(i, kScalarAttr)) {
    auto count = counts.find(name);
    values[argument] = count == counts.end()
                           ? terms.leaf(Leaf::Scalar, name, argument.getType())
                           : mean(Mean::MicroSteps, count->second);
  }
}

LogicalResult Refinement::expect(Operation *op, Value value, Term expected,
                                 const Twine &role) {
  Term found = termOf(value);
  if (found == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError("takes "); // (V14)
  error << judge::describe(value) << " as " << role << ", which is "
        << terms.describe(found) << ", and by the model it is "
        << terms.describe(expected) << " (V14)";
  error.attachNote(value.getLoc())
      << terms.describeDifference(found, expected, "in the model");
  return error;
}

LogicalResult Refinement::visitView(ViewOp op) {
  StateAttr state = flats.lookup(op.getFlat());
  if (!state || state.getSlot() != "param") // (V14)
    return op.emitOpError("reads ")
           << judge::describe(op.getFlat())
           << ", and the model reads nothing of a bucket but its parameters "
              "(V14)";
  auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(op, op.getBucketAttr());
  MemberAttr member = bucket.lookup(op.getMember());
  RankedTensorType type = step.parameters.lookup(member.getName()).type;
  Term whole = terms.leaf(Leaf::Parameter, member.getName(), type);
  values[op.getResult()] =
      member.isPiece()
          ? terms.rows(whole, member.getFirstRow(), member.getShape().front())
          : whole;
  return success();
}

LogicalResult Refinement::visitPack(PackOp op) {
  auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(op, op.getBucketAttr());
  auto members = bucket.getMembers().getAsRange<MemberAttr>();
  for (auto [member, operand] : llvm::zip_equal(members, op.getMembers())) {
    Term gradient = step.parameters.lookup(member.getName()).gradient;
    std::string role = ("the gradient of \"" + member.getName().getValue() + "\"").str();
    if (member.isPiece()) {
      gradient = terms.rows(gradient, member.getFirstRow(),
                            member.getShape().front());
      role += ", rows from " + std::to_string(member.getFirstRow());
    }
    if (failed(expect(op, operand, gradient, role)))
      return failure();
  }
  return success();
}

LogicalResult Refinement::visitReturn(Operation *op) {
  bool hasLoss = false;
  for (OpOperand &value : op->getOpOperands()) {
    auto name = program.getResultAttrOfType<StringAttr>(
        value.getOperandNumber(), kOutputAttr);
    if (name && name == "loss" &&
        failed(expect(op, value.get(), mean(Mean::Ranks, step.loss),
                      "the loss")))
      return failure();
    if (name && programName == "count")
      counts[name] = termOf(value.get());
    hasLoss |= name && name == "loss";
  }
  if (programName == "step" && !hasLoss) // (V14)
    return program.emitOpError(
        "has no output \"loss\", and the model has a loss (V14)");
  return success();
}

LogicalResult Refinement::visit(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ViewOp view) { return visitView(view); })
      .Case([&](PackOp pack) { return visitPack(pack); })
      .Case([&](func::ReturnOp) { return visitReturn(op); })
      .Case([&](AllGatherOp gather) {
        flats[gather.getResult()] = flats.lookup(gather.getSource());
        return success();
      })
      .Case([&](CopyOp copy) {
        if (StateAttr state = flats.lookup(copy.getSource()))
          flats[copy.getResult()] = state;
        else
          values[copy.getResult()] = termOf(copy.getSource());
        return success();
      })
      .Case([&](AllReduceOp reduce) {
        values[reduce.getResult()] =
            mean(Mean::Ranks, termOf(reduce.getValue()));
        return success();
      })
      .Case<JoinOp, SplitOp>([&](auto) {
        joinOrSplit(op);
        return success();
      })
      // Of gradients and state: (V12), (V13).
      .Case<ReduceScatterOp, AccumulateOp, ClearOp, SumSquaresOp, TotalOp,
            ClipOp, UpdateOp, RecordOp, WaitOp>([](auto) { return success(); })
      .Default([&](Operation *) {
        apply(op);
        return success();
      });
}

LogicalResult Refinement::execute(func::FuncOp function, StringRef name) {
  program = function;
  programName = name;
  values.clear();
  flats.clear();
  for (BlockArgument argument : function.getArguments())
    enter(argument);
  for (Operation &op : function.front())
    if (failed(visit(&op)))
      return failure();
  return success();
}

/// Those with programs of their own, and the first of all others.
SmallVector<int64_t> Refinement::findKindsOfRanks() {
  std::set<int64_t> own;
  for (auto function : plan.getOps<func::FuncOp>())
    if (auto rank = function->getAttrOfType<IntegerAttr>(kRankAttr))
      own.insert(rank.getInt());
  SmallVector<int64_t> kinds(own.begin(), own.end());
  int64_t other = 0;
  while (own.count(other))
    ++other;
  if (other < ranks)
    kinds.push_back(other);
  return kinds;
}

LogicalResult Refinement::run() {
  if (failed(matchKernels()) || failed(executeModel()) ||
      failed(matchParameters()))
    return failure();
  for (int64_t rank : findKindsOfRanks()) {
    counts.clear();
    for (StringRef name : kPrograms)
      if (func::FuncOp function = findProgram(plan, name, rank))
        if (failed(matchInputs(function)) || failed(execute(function, name)))
          return failure();
  }
  return success();
}

LogicalResult judge::judgeRefinement(ModuleOp plan, ModuleOp model,
                                     int64_t ranks) {
  return Refinement(plan, model, ranks).run();
}
