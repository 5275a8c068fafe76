//===- KernelReplacements.cpp - Results that take the bytes of operands ---===//
//
// (S6) zero.in_place lets a plan give a result the bytes of an operand.  So the
// result is written element by element, and no element of the operand is read
// after it may have been overwritten.  Two kinds of operations may read the
// operand: those before the writer of the result, in their own row (anywhere,
// if there is one unit), and the writer, at the element that it writes.
// zero.must_alias forces the reuse: a scatter adds to the bytes of its initial
// value, and attention puts rows into its caches, of which a unit reads and
// writes its own head.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "passes/verify/Kernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
/// A chain of operations, each of which writes its result over its initial
/// value.
struct Chain {
  OpResult first; ///< first value written to the bytes; null if not elementwise
  Value base;     ///< initial value of the bytes
};
} // namespace

static Chain follow(Value value) {
  OpResult first;
  while (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    if (op.getNumParallelLoops() != op.getNumLoops())
      return {};
    first = cast<OpResult>(value);
    value = op.getDpsInitOperand(first.getResultNumber())->get();
  }
  return {first, value};
}

static LogicalResult judgeInPlace(Kernel kernel, unsigned result,
                                  int64_t operand) {
  KernelOp function = kernel.function;
  Block &body = kernel.body();
  if (operand < 0 || operand >= body.getNumArguments()) // (S6)
    return function.emitOpError("lets result ")
           << result << " replace operand " << operand << ", and has "
           << body.getNumArguments() << " (S6)";
  BlockArgument replaced = body.getArgument(operand);
  auto refuse = [&](const Twine &why, Operation *at) -> LogicalResult {
    InFlightDiagnostic error = function.emitOpError("lets result "); // (S6)
    error << result << " replace operand " << operand << ", " << why << " (S6)";
    if (at)
      error.attachNote(at->getLoc()) << "by '" << at->getName() << '\'';
    return error;
  };
  auto [first, base] = follow(body.getTerminator()->getOperand(result));
  if (!first)
    return refuse("but does not write it element by element", nullptr);
  if (base != replaced && !base.getDefiningOp<tensor::EmptyOp>())
    return refuse("and begins as something else", base.getDefiningOp());
  if (replaced.getType() != first.getType())
    return refuse("which has another type", nullptr);
  auto writer = cast<linalg::LinalgOp>(first.getOwner());
  AffineMap written = writer.getIndexingMapMatchingResult(first);
  for (OpOperand &use : replaced.getUses()) {
    Operation *reader = body.findAncestorOpInBlock(*use.getOwner());
    // A reader of a view may run later.
    bool direct =
        isa<linalg::LinalgOp>(reader) &&
        (reader == use.getOwner() || isa<tensor::ExtractOp>(use.getOwner()));
    bool same = use.getOwner() == writer && written.isIdentity() &&
                writer.getMatchingIndexingMap(&use) == written;
    bool earlier =
        reader->isBeforeInBlock(writer) &&
        (kernel.kind == KernelKind::Serial ||
         (kernel.kind == KernelKind::Rows && readsOwnRow(kernel, use)));
    if (!direct || (!same && !earlier))
      return refuse("which is read when an element of it may be overwritten",
                    reader);
  }
  return success();
}

Value judge::findKept(Value result) {
  if (auto cached = result.getDefiningOp<nn::CachedAttentionOp>())
    return result == cached.getNextKeys()     ? cached.getKeys()
           : result == cached.getNextValues() ? cached.getValues()
                                              : Value();
  if (auto rule = result.getDefiningOp<nn::CachedDeltaRuleOp>())
    return result == rule.getNextState()     ? rule.getState()
           : result == rule.getNextKeys()    ? rule.getKeys()
           : result == rule.getNextUpdates() ? rule.getUpdates()
           : result == rule.getNextDecays()  ? rule.getDecays()
                                             : Value();
  auto conv = result.getDefiningOp<nn::CachedCausalConvOp>();
  return conv && result == conv.getNextInputs() ? conv.getInputs() : Value();
}

/// The value in which `value` is made, or null: a scatter adds to its initial
/// value, and attention and a delta rule put rows into their caches.
static Value findReplaced(Value value) {
  if (auto scatter = value.getDefiningOp<nn::EmbeddingBackwardOp>())
    return scatter.getInit();
  return findKept(value);
}

/// Checks that scatters and caches, and nothing else, must replace what they
/// are made in.
static LogicalResult judgeMustReplace(KernelOp function, unsigned result) {
  std::optional<unsigned> must = function.getMustReplace(result);
  Value replaced =
      findReplaced(function.front().getTerminator()->getOperand(result));
  auto init = replaced ? dyn_cast<BlockArgument>(replaced) : BlockArgument();
  if (must && init && *must == init.getArgNumber())
    return success();
  if (init) // (S6)
    return function.emitOpError("adds to operand ")
           << init.getArgNumber() << " in result " << result
           << ", which must replace it (S6)";
  if (must) // (S6)
    return function.emitOpError("makes result ")
           << result << " replace operand " << *must
           << ", and does not add to it (S6)";
  return success();
}

LogicalResult judge::judgeReplacements(Kernel kernel) {
  KernelOp function = kernel.function;
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    if (failed(judgeMustReplace(function, result)))
      return failure();
    for (int64_t operand : function.getMayReplace(result))
      if (failed(judgeInPlace(kernel, result, operand)))
        return failure();
  }
  return success();
}
