//===- Wire.cpp - The elements of exchanges -------------------------------===//
//
// (S7) compares exchanges of buckets with --wire-params and --wire-gradients:
//
//   * gathers of parameters at stage 3, but those of packed buckets, are of the
//     elements that --wire-params says; all other gathers are of values as they
//     are;
//   * reductions, with groups of ranks those over groups, are of the elements
//     that --wire-gradients says; all others of gradients as they are;
//   * values are narrowed once: what is narrow goes into an exchange; what is
//     gathered of it is widened, for views of parameters alone.
//
// bf16 leaves values that have 16 bits already.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

/// Returns true if `value` is narrow, or gathered of what is.
static bool isNarrow(Value value) {
  while (auto gather = value.getDefiningOp<AllGatherOp>())
    value = gather.getSource();
  return value.getDefiningOp<NarrowOp>() != nullptr;
}

/// Returns true if `value` is what an option's `form` makes of its elements.
static bool hasForm(Value value, StringRef form) {
  Type element = getElementType(value.getType());
  if (form == "int8" || form == "int4")
    return element ==
           BlockType::get(element.getContext(), form == "int8" ? 8 : 4);
  return form == "bf16" ? element.isBF16() || element.isF16()
                        : !isa<BlockType>(element) && !isNarrow(value);
}

/// Checks that values are narrow only from one exchange to the next, and that
/// state and gradients are not made of what was narrow.
static LogicalResult judgeElementsOnce(Operation *op) {
  const bool isGathered = isa<AllGatherOp>(op) && isNarrow(op->getResult(0));
  if (!isGathered && !has(op, Fact::ForExchange))
    return success();
  for (Operation *user : op->getResult(0).getUsers())
    if (isa<WidenOp>(op) ? !isa<ViewOp>(user)
        : isGathered     ? !isa<AllGatherOp, WidenOp>(user)
                         : !isa<AllGatherOp, ReduceScatterOp>(user)) // (S7)
      return op->emitOpError(isa<WidenOp>(op) ? "widens" : "is narrow")
             << " for '" << user->getName()
             << "' (S7); values are narrowed for one exchange, and views of "
                "parameters alone read what is widened";
  return success();
}

LogicalResult judge::judgeWire(ModuleOp plan, OptionsAttr options,
                               const BucketLayouts &layouts) {
  const bool hasGroups = layouts.countGroups() > 1;
  for (ProgramOp program : findPrograms(plan))
    for (Operation &op : program.front()) {
      if (failed(judgeElementsOnce(&op)))
        return failure();
      StringRef form = "full", option;
      if (auto gather = dyn_cast<AllGatherOp>(op)) {
        option = "--wire-params";
        if (options.getStage() == 3 && !gather.isInPlace() &&
            !getElementType(gather.getType()).isSignlessInteger(8))
          form = options.getWireParams();
      } else if (auto reduce = dyn_cast<ReduceScatterOp>(op)) {
        option = "--wire-gradients";
        if (!hasGroups || reduce.getOver() == Over::Groups)
          form = options.getWireGradients();
      } else {
        continue;
      }
      Value sent = op.getOperand(0);
      if (!hasForm(sent, form)) // (S7)
        return contradicts(&op,
                           "an exchange of " +
                               debugString(getElementType(sent.getType())) +
                               ", where its form is " + form,
                           options, option);
    }
  return success();
}
