//===- UpdateRules.cpp - Update rules match the named optimizer -----------===//
//
// The rule of every update is the one that the plan's options name, with the
// same numbers (S7); it takes the factor of zero.clip unless that is always
// one.  The planner builds rules as IR; the judge has its own text of them, and
// compares the two as terms (TermTable.h).
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Claims.h"
#include "passes/verify/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "passes/verify/TermTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// The judge's own rules
//===----------------------------------------------------------------------===//

// If updates take a factor, {0} and {1} are its argument and its name, {2} is
// the product of the gradient with it, and {3} is that product; otherwise {3}
// is the gradient.

// Loshchilov & Hutter (2019), with decay before the step, as in PyTorch.  {4}
// and {5} are the betas, {6} and {7} are 1 minus the betas, {8} is eps.  Bias
// corrections are computed in f64 and rounded once.
static constexpr const char *kAdamW = R"(
zero.optimizer @adamw(%p: f32, %g: f32, %m: f32, %v: f32, %lr: f32, %decay: f32
                      {0}, %step: f32)
    state ["m", "v"] scalars ["lr", "decay" {1}, "step"] {{
  %one = arith.constant 1.0 : f32
  %wide_one = arith.constant 1.0 : f64
  %wide_lr = arith.extf %lr : f32 to f64
  %wide_step = arith.extf %step : f32 to f64
  %wide_beta1 = arith.constant {4} : f64
  %power1 = math.powf %wide_beta1, %wide_step : f64
  %correction1 = arith.subf %wide_one, %power1 : f64
  %wide_rate = arith.divf %wide_lr, %correction1 : f64
  %rate = arith.truncf %wide_rate : f64 to f32
  %wide_beta2 = arith.constant {5} : f64
  %power2 = math.powf %wide_beta2, %wide_step : f64
  %correction2 = arith.subf %wide_one, %power2 : f64
  %root2 = math.sqrt %correction2 : f64
  %wide_scale = arith.divf %wide_one, %root2 : f64
  %scale = arith.truncf %wide_scale : f64 to f32

  {2}
  %beta1 = arith.constant {4} : f32
  %rest1 = arith.constant {6} : f32
  %old1 = arith.mulf %m, %beta1 : f32
  %new1 = arith.mulf {3}, %rest1 : f32
  %m1 = arith.addf %old1, %new1 : f32
  %beta2 = arith.constant {5} : f32
  %rest2 = arith.constant {7} : f32
  %old2 = arith.mulf %v, %beta2 : f32
  %square = arith.mulf {3}, {3} : f32
  %new2 = arith.mulf %square, %rest2 : f32
  %v1 = arith.addf %old2, %new2 : f32

  %shrink = arith.mulf %lr, %decay : f32
  %kept = arith.subf %one, %shrink : f32
  %decayed = arith.mulf %p, %kept : f32
  %root = math.sqrt %v1 : f32
  %scaled = arith.mulf %root, %scale : f32
  %eps = arith.constant {8} : f32
  %divisor = arith.addf %scaled, %eps : f32
  %direction = arith.divf %m1, %divisor : f32
  %change = arith.mulf %rate, %direction : f32
  %p1 = arith.subf %decayed, %change : f32
  zero.yield %p1, %m1, %v1 : f32, f32, f32
}
)";

// Chen et al.  (2023), with decay as in AdamW.  {4} and {5} are the betas, {6}
// and {7} are 1 minus the betas, rounded to f32 first.
static constexpr const char *kLion = R"(
zero.optimizer @lion(%p: f32, %g: f32, %m: f32, %lr: f32, %decay: f32 {0})
    state ["m"] scalars ["lr", "decay" {1}] {{
  {2}
  %beta1 = arith.constant {4} : f32
  %rest1 = arith.constant {6} : f32
  %old1 = arith.mulf %m, %beta1 : f32
  %new1 = arith.mulf {3}, %rest1 : f32
  %mixed = arith.addf %old1, %new1 : f32
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %signed = math.copysign %one, %mixed : f32
  %is_zero = arith.cmpf oeq, %mixed, %zero : f32
  %sign = arith.select %is_zero, %zero, %signed : f32

  %beta2 = arith.constant {5} : f32
  %rest2 = arith.constant {7} : f32
  %old2 = arith.mulf %m, %beta2 : f32
  %new2 = arith.mulf {3}, %rest2 : f32
  %m1 = arith.addf %old2, %new2 : f32

  %shrink = arith.mulf %lr, %decay : f32
  %kept = arith.subf %one, %shrink : f32
  %decayed = arith.mulf %p, %kept : f32
  %change = arith.mulf %lr, %sign : f32
  %p1 = arith.subf %decayed, %change : f32
  zero.yield %p1, %m1 : f32, f32
}
)";

// {4} is the momentum; decay is added to the gradient.
static constexpr const char *kSgd = R"(
zero.optimizer @sgd(%p: f32, %g: f32, %buffer: f32, %lr: f32, %decay: f32
                    {0})
    state ["momentum"] scalars ["lr", "decay" {1}] {{
  {2}
  %momentum = arith.constant {4} : f32
  %old = arith.mulf %buffer, %momentum : f32
  %pull = arith.mulf %decay, %p : f32
  %new = arith.addf {3}, %pull : f32
  %buffer1 = arith.addf %old, %new : f32
  %change = arith.mulf %lr, %buffer1 : f32
  %p1 = arith.subf %p, %change : f32
  zero.yield %p1, %buffer1 : f32, f32
}
)";

/// All digits of a double, in MLIR's syntax.
static std::string textOfRule(double number) {
  return llvm::formatv("{0}", llvm::format("%.17e", number)).str();
}

namespace {
/// The texts for {0} to {3}.
struct Factor {
  const char *argument, *name, *product, *gradient;
};
constexpr Factor kClipped = {", %clip: f32", ", \"clip\"",
                             "%clipped = arith.mulf %g, %clip : f32",
                             "%clipped"},
                 kNone = {"", "", "", "%g"};
} // namespace

/// The named optimizer as text; with `clips` its updates take the factor of
/// zero.clip.
static std::string writeRule(Attribute optimizer, bool clips) {
  const Factor &factor = clips ? kClipped : kNone;
  auto write = [&](const char *rule, auto... numbers) {
    return llvm::formatv(rule, factor.argument, factor.name, factor.product,
                         factor.gradient, textOfRule(numbers)...)
        .str();
  };
  if (auto own = dyn_cast<StringAttr>(optimizer))
    return own.str();
  if (auto sgd = dyn_cast<SGDAttr>(optimizer))
    return write(kSgd, sgd.getMomentum().convertToDouble());
  if (auto lion = dyn_cast<LionAttr>(optimizer)) {
    double beta1 = lion.getBeta1().convertToDouble(),
           beta2 = lion.getBeta2().convertToDouble();
    return write(kLion, beta1, beta2, 1 - static_cast<float>(beta1),
                 1 - static_cast<float>(beta2));
  }
  auto adamw = cast<AdamWAttr>(optimizer);
  double beta1 = adamw.getBeta1().convertToDouble(),
         beta2 = adamw.getBeta2().convertToDouble();
  return write(kAdamW, beta1, beta2, 1 - beta1, 1 - beta2,
               adamw.getEps().convertToDouble());
}

/// Makes a rule that the model brought take the factor, which multiplies its
/// gradient.
static void takeFactor(OptimizerOp rule) {
  Block &body = rule.getBody().front();
  Builder b(rule.getContext());
  SmallVector<Attribute> scalars(rule.getScalars().begin(),
                                 rule.getScalars().end());
  scalars.push_back(b.getStringAttr(kClipFactor));
  rule.setScalarsAttr(b.getArrayAttr(scalars));
  Value factor = body.addArgument(b.getF32Type(), rule.getLoc());
  OpBuilder at = OpBuilder::atBlockBegin(&body);
  Value gradient = body.getArgument(1);
  auto product = arith::MulFOp::create(at, rule.getLoc(), gradient, factor);
  gradient.replaceAllUsesExcept(product, product);
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

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

LogicalResult judge::hasUpdateRule(Claims &p) {
  ModuleOp plan = p.plan;
  OptionsAttr options = p.options;
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
                         "optimizer");
    SmallVector<TermTable::Term> found = termsOf(rule, terms),
                                 wanted = termsOf(expected, terms);
    for (auto [i, a, b] : llvm::enumerate(found, wanted))
      if (a != b) { // (S7)
        InFlightDiagnostic diagnostic =
            contradicts(rule, "other equations", options, "optimizer");
        diagnostic.attachNote(rule.getLoc())
            << "of value " << i << " that it yields: "
            << terms.describeDifference(a, b, "in its equations");
        return diagnostic;
      }
  }
  return success();
}
