//===- PlanRule.cpp - Update rules match the named optimizer --------------===//
//
// The rule of every update is the one that the plan's options name, with the
// same numbers (S7); it takes the factor of zero.clip unless that is always
// one.  Rules are compared as terms (TermTable.h) with the judge's own
// (UpdateRules.h).
//
//===----------------------------------------------------------------------===//

#include "passes/verify/PlanOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "passes/verify/TermTable.h"
#include "passes/verify/UpdateRules.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

/// The named optimizer as text.
static std::string writeRule(Attribute optimizer, bool clips) {
  if (auto own = dyn_cast<StringAttr>(optimizer))
    return own.str();
  if (auto sgd = dyn_cast<SGDAttr>(optimizer))
    return writeSgd(sgd.getMomentum().convertToDouble(), clips);
  if (auto lion = dyn_cast<LionAttr>(optimizer))
    return writeLion(lion.getBeta1().convertToDouble(),
                     lion.getBeta2().convertToDouble(), clips);
  auto adamw = cast<AdamWAttr>(optimizer);
  return writeAdamW(adamw.getBeta1().convertToDouble(),
                    adamw.getBeta2().convertToDouble(),
                    adamw.getEps().convertToDouble(), clips);
}

/// Returns true if the factor of zero.clip may differ from one.
static bool clips(ModuleOp plan, OptionsAttr options) {
  if (!options.getGradClip().isZero() || options.getSkipNonfinite())
    return true;
  for (auto program : plan.getOps<ProgramOp>())
    for (auto clip : program.getBody().getOps<ClipOp>())
      if (clip.getScale())
        return true;
  return false;
}

/// The terms of the values that `rule` yields.
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
  return operands; // the operands of the yield
}

LogicalResult judge::judgeUpdateRule(ModuleOp plan, OptionsAttr options) {
  bool takesFactor = clips(plan, options);
  OwningOpRef<ModuleOp> table = parseSourceString<ModuleOp>(
      writeRule(options.getOptimizer(), takesFactor), plan.getContext());
  if (!table || table->getOps<OptimizerOp>().empty()) // (S7)
    return plan.emitOpError(
        "says in its options that its optimizer is one that "
        "does not parse (S7)");
  auto expected = *table->getOps<OptimizerOp>().begin();
  if (isa<StringAttr>(options.getOptimizer()) && takesFactor)
    takeFactor(expected);
  TermTable terms;
  for (auto rule : plan.getOps<OptimizerOp>()) {
    if (rule.getSymName() != expected.getSymName() ||
        rule.getSlots() != expected.getSlots() ||
        rule.getScalars() != expected.getScalars()) // (S7)
      return contradicts(rule, "another name, other slots or scalars", options,
                         "--optimizer");
    SmallVector<TermTable::Term> found = termsOf(rule, terms),
                                 wanted = termsOf(expected, terms);
    for (auto [i, a, b] : llvm::enumerate(found, wanted))
      if (a != b) { // (S7)
        InFlightDiagnostic diagnostic =
            contradicts(rule, "other equations", options, "--optimizer");
        diagnostic.attachNote(rule.getLoc())
            << "of value " << i << " that it yields: "
            << terms.describeDifference(a, b, "in its equations");
        return diagnostic;
      }
  }
  return success();
}
