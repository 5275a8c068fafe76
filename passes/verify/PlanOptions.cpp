//===- PlanOptions.cpp - A plan is what its options say -------------------===//
//
// A plan carries the options that it was made with (zero.options), and its
// binary repeats them to whoever asks.  (S7) compares them with the plan:
//
//   --stage, --world-size,       the module's stage, the ranks of its axis, its
//   --accumulate, --reference    micro-steps, and how its kernels are compiled
//   --grad-clip=C                every zero.clip has max_norm C, or none for 0
//   --weight-decay=D             every update has decay D; members decay that
//                                have two or more dimensions, if D is not 0
//   --optimizer, --betas,        the rule of every update is this one, with
//   --eps, --momentum            these numbers
//
// Rules are compared as terms (TermTable.h) with the judge's own
// (UpdateRules.h).  A plan of zeroc, which has a level, names all of them.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/PlanOptions.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "passes/verify/TermTable.h"
#include "passes/verify/UpdateRules.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Options {
public:
  Options(ModuleOp plan, int64_t ranks) : plan(plan), ranks(ranks) {}

  LogicalResult run();

private:
  LogicalResult read(StringRef text);
  LogicalResult judgeNumbers();
  LogicalResult judgeDecay();
  LogicalResult judgeClip();
  LogicalResult judgeRule();
  FailureOr<std::string> writeRule();
  InFlightDiagnostic error(Operation *op, const Twine &has, StringRef option) {
    return op->emitOpError("has ")
           << has << ", and the plan says that it was made with --" << option
           << (given[option].empty() ? "" : "=") << given[option] << " (S7)";
  }
  /// The numbers of an option, of which there are `count`.
  FailureOr<SmallVector<double>> numbersOf(StringRef option, size_t count);

  /// Those of one rank, too.
  SmallVector<ProgramOp> programs() {
    SmallVector<ProgramOp> all = findPrograms(plan);
    for (auto program : plan.getOps<ProgramOp>())
      if (program.getRank())
        all.push_back(program);
    return all;
  }

  ModuleOp plan;
  int64_t ranks;
  llvm::StringMap<std::string> given; ///< without dashes
};
} // namespace

//===----------------------------------------------------------------------===//
// What is given
//===----------------------------------------------------------------------===//

LogicalResult Options::read(StringRef text) {
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    if (!name.consume_front("--") || name.empty() ||
        !given.try_emplace(name, value.str()).second) // (S7)
      return plan.emitError("has \"")
             << word << "\" in " << kOptionsAttr
             << ", which is no option, or is there twice (S7)";
  }
  for (StringRef name :
       {"optimizer", "weight-decay", "grad-clip", "stage", "world-size"})
    if (!given.contains(name)) // (S7)
      return plan.emitError("has no --")
             << name << " in " << kOptionsAttr << " (S7)";
  return success();
}

FailureOr<SmallVector<double>> Options::numbersOf(StringRef option,
                                                  size_t count) {
  SmallVector<StringRef> words;
  StringRef text = given[option];
  text.split(words, ',');
  SmallVector<double> numbers;
  for (StringRef word : words)
    if (double number; !word.getAsDouble(number) && std::isfinite(number))
      numbers.push_back(number);
  if (words.size() == count && numbers.size() == count)
    return numbers;
  return plan.emitError("has --") // (S7)
         << option << "=" << text << " in " << kOptionsAttr << ", which needs "
         << count << (count == 1 ? " number" : " numbers") << " (S7)";
}

LogicalResult Options::judgeNumbers() {
  auto of = [&](StringRef attribute, int64_t otherwise) {
    auto number = plan->getAttrOfType<IntegerAttr>(attribute);
    return number ? number.getInt() : otherwise;
  };
  const std::tuple<StringRef, StringRef, int64_t> all[] = {
      {"stage", "stage", of(kStageAttr, 0)},
      {"world-size", "ranks", ranks},
      {"accumulate", "micro-steps", of(kMicroStepsAttr, 1)}};
  for (auto [option, what, found] : all)
    // One micro-step is not named.
    if (given.contains(option) || found != 1)
      if (given[option] != std::to_string(found)) // (S7)
        return error(plan, what + " " + Twine(found), option);
  if (given.contains("reference") != plan->hasAttr(kReferenceAttr)) // (S7)
    return plan.emitError("has ")
           << kReferenceAttr << (given.contains("reference") ? " not" : "")
           << " among its attributes, and " << kOptionsAttr
           << " says otherwise (S7)";
  return success();
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

LogicalResult Options::judgeDecay() {
  FailureOr<SmallVector<double>> decay = numbersOf("weight-decay", 1);
  if (failed(decay))
    return failure();
  for (auto bucket : plan.getOps<BucketOp>())
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
      if (bool decays =
              member.getParameterShape().size() >= 2 && decay->front() != 0;
          decays != member.getDecay()) // (S7)
        return error(bucket,
                     "a member \"" + member.getName().getValue() +
                         (member.getDecay() ? "\" that decays"
                                            : "\" that does not decay"),
                     "weight-decay");
  for (ProgramOp program : programs())
    for (auto update : program.front().getOps<UpdateOp>())
      if (update.getDecay().convertToDouble() != decay->front()) // (S7)
        return error(
            update,
            "decay " +
                Twine(llvm::formatv("{0}", update.getDecay().convertToDouble())
                          .str()),
            "weight-decay");
  return success();
}

LogicalResult Options::judgeClip() {
  FailureOr<SmallVector<double>> most = numbersOf("grad-clip", 1);
  if (failed(most))
    return failure();
  for (ProgramOp program : programs())
    for (auto clip : program.front().getOps<ClipOp>()) {
      std::optional<APFloat> limit = clip.getMaxNorm();
      if ((limit ? limit->convertToDouble() : 0) != most->front()) // (S7)
        return error(clip, limit ? "another max_norm" : "no max_norm",
                     "grad-clip");
    }
  return success();
}

/// The optimizer that is named, as text.
FailureOr<std::string> Options::writeRule() {
  if (given["optimizer"] == "sgd") {
    FailureOr<SmallVector<double>> momentum = numbersOf("momentum", 1);
    if (failed(momentum))
      return failure();
    return writeSgd(momentum->front());
  }
  if (given["optimizer"] != "adamw") // (S7)
    return plan.emitError("has --optimizer=")
           << given["optimizer"] << " in " << kOptionsAttr
           << ", of which the judge has no equations (S7)";
  FailureOr<SmallVector<double>> betas = numbersOf("betas", 2),
                                 eps = numbersOf("eps", 1);
  if (failed(betas) || failed(eps))
    return failure();
  return writeAdamW((*betas)[0], (*betas)[1], eps->front());
}

/// What `rule` yields, as terms.
static SmallVector<TermTable::Term> termsOf(OptimizerOp rule,
                                            TermTable &terms) {
  DenseMap<Value, TermTable::Term> values;
  Block &body = rule.getBody().front();
  Builder b(rule.getContext());
  for (BlockArgument argument : body.getArguments())
    values[argument] = terms.leaf(
        TermTable::Leaf::Other,
        b.getStringAttr("argument " + Twine(argument.getArgNumber())),
        argument.getType());
  SmallVector<TermTable::Term> operands;
  for (Operation &op : body) {
    operands.clear();
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    for (OpResult result : op.getResults())
      values[result] =
          terms.apply(&op, nullptr, operands, result.getResultNumber());
  }
  return operands; // of the yield
}

LogicalResult Options::judgeRule() {
  FailureOr<std::string> text = writeRule();
  if (failed(text))
    return failure();
  OwningOpRef<ModuleOp> table =
      parseSourceString<ModuleOp>(*text, plan.getContext());
  auto expected = *table->getOps<OptimizerOp>().begin();
  TermTable terms;
  for (auto rule : plan.getOps<OptimizerOp>()) {
    if (rule.getSymName() != expected.getSymName() ||
        rule.getSlots() != expected.getSlots() ||
        rule.getScalars() != expected.getScalars()) // (S7)
      return error(rule, "another name, other slots or scalars", "optimizer");
    SmallVector<TermTable::Term> found = termsOf(rule, terms),
                                 wanted = termsOf(expected, terms);
    for (auto [i, a, b] : llvm::enumerate(found, wanted))
      if (a != b) { // (S7)
        InFlightDiagnostic diagnostic =
            error(rule, "other equations", "optimizer");
        diagnostic.attachNote(rule.getLoc())
            << "of value " << i << " that it yields: "
            << terms.describeDifference(a, b, "in its equations");
        return diagnostic;
      }
  }
  return success();
}

LogicalResult Options::run() {
  auto level = plan->getAttrOfType<StringAttr>(kLevelAttr);
  Attribute options = plan->getAttr(kOptionsAttr);
  // A plan that is written by hand need not say what it was made with.
  if (!options && !level)
    return success();
  auto text = dyn_cast_or_null<StringAttr>(options);
  if (!text) // (S7)
    return plan.emitError("does not say in ")
           << kOptionsAttr << " which options it was made with (S7)";
  if (failed(read(text)) || failed(judgeNumbers()) || failed(judgeDecay()) ||
      failed(judgeClip()) || failed(judgeRule()))
    return failure();
  return success();
}

LogicalResult judge::judgeOptions(ModuleOp plan, int64_t ranks) {
  return Options(plan, ranks).run();
}
