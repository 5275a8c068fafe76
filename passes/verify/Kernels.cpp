//===- Kernels.cpp - What kernels say of themselves -----------------------===//
//
// Threads cut a kernel into units and run them in any order, side by side, and
// a plan may give a result the bytes of an operand.  Both rest on attributes of
// the kernel, which (S6) compares with its body:
//
//   zero.kernel   "rows": a unit is an index of the first loops, for all
//                 operations of the kernel together.  Each operation has these
//                 loops, parallel and of the sizes in zero.space, writes by
//                 them, and of what others in the kernel write reads its own
//                 row.
//                 "columns": a unit is an index of one parallel loop of each
//                 operation; none reads what another writes.
//                 "serial": one unit.
//                 "attention", "scatter": one operation; a unit is a head of a
//                 batch, or a column.
//   zero.in_place the result is written element by element, and an operand is
//                 read no more once an element of it may be overwritten: by
//                 earlier operations in their own row (anywhere, if there is
//                 one unit), and by the one that writes the result in the same
//                 element.
//   zero.must_alias  a scatter adds to the bytes of its initial value.
//
// Kernels without a body say what they like: nothing compiles them.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Kernels.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

namespace {
class Kernel {
public:
  explicit Kernel(func::FuncOp kernel)
      : kernel(kernel), body(kernel.front()), returned(body.getTerminator()) {}

  LogicalResult judge() {
    if (!kernel.getBody().hasOneBlock() ||
        !isa<func::ReturnOp>(returned)) // (S6)
      return kernel.emitOpError("is a kernel of several blocks (S6); it is a "
                                "straight line");
    auto kindAttr = kernel->getAttrOfType<StringAttr>(kKernelAttr);
    auto spaceAttr = kernel->getAttrOfType<DenseI64ArrayAttr>(kSpaceAttr);
    if (!kindAttr || !spaceAttr) // (S6)
      return kernel.emitOpError("is a kernel, and needs a name of its kind as "
                                "zero.kernel and sizes as zero.space (S6)");
    kind = kindAttr.getValue();
    space = spaceAttr.asArrayRef();
    return failure(failed(judgeUnits()) || failed(judgeReplacements()));
  }

private:
  LogicalResult judgeUnits();
  LogicalResult judgeSpace(ArrayRef<int64_t> expected);
  LogicalResult judgeRows(linalg::LinalgOp op);
  LogicalResult judgeColumns(linalg::LinalgOp op);
  LogicalResult judgeReplacements();
  LogicalResult judgeInPlace(unsigned result, int64_t operand);
  LogicalResult judgeScatter(unsigned result);

  bool isRow(AffineMap map) const;
  bool readsOwnRow(OpOperand &use) const;
  /// The values of other operations of the kernel that `op` reads.
  SmallVector<OpOperand *> inner(linalg::LinalgOp op) const;

  func::FuncOp kernel;
  Block &body;
  Operation *returned;
  StringRef kind;
  ArrayRef<int64_t> space;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Whether the first positions of `map` are the loops of the row.
bool Kernel::isRow(AffineMap map) const {
  if (map.getNumResults() < space.size())
    return false;
  for (unsigned i = 0; i < space.size(); ++i)
    if (map.getResult(i) != getAffineDimExpr(i, map.getContext()))
      return false;
  return true;
}

bool Kernel::readsOwnRow(OpOperand &use) const {
  if (auto op = dyn_cast<linalg::LinalgOp>(use.getOwner()))
    return isRow(op.getMatchingIndexingMap(&use));
  auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
  if (!extract || extract.getIndices().size() < space.size() ||
      extract->getParentOp()->getBlock() != &body)
    return false;
  for (auto [i, position] :
       llvm::enumerate(extract.getIndices().take_front(space.size()))) {
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    if (!loop || loop.getDim() != i)
      return false;
  }
  return true;
}

SmallVector<OpOperand *> Kernel::inner(linalg::LinalgOp op) const {
  SmallVector<OpOperand *> found;
  op->walk([&](Operation *nested) {
    for (OpOperand &use : nested->getOpOperands())
      if (use.get().getParentBlock() == &body &&
          isa_and_present<linalg::LinalgOp>(use.get().getDefiningOp()))
        found.push_back(&use);
  });
  return found;
}

LogicalResult Kernel::judgeRows(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  bool fits = extents.size() >= space.size() &&
              ArrayRef(extents).take_front(space.size()) == space;
  for (unsigned i = 0; fits && i < space.size(); ++i)
    fits = iterators[i] == utils::IteratorType::parallel;
  if (!fits) // (S6)
    return op.emitOpError("has loops of [")
           << extents << "], and its kernel is cut into rows of [" << space
           << "] (S6)";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isRow(op.getMatchingIndexingMap(&init))) // (S6)
      return op.emitOpError("writes by ")
             << AffineMapAttr::get(op.getMatchingIndexingMap(&init))
             << ", not its own row of a kernel that is cut into rows (S6)";
  for (OpOperand *use : inner(op))
    if (!readsOwnRow(*use)) // (S6)
      return op.emitOpError("reads more than its own row of what its kernel "
                            "computes row by row (S6)")
                 .attachNote(use->get().getLoc())
             << "computed here";
  return success();
}

LogicalResult Kernel::judgeColumns(linalg::LinalgOp op) {
  auto loops = llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray());
  if (space.size() != 1 || llvm::none_of(loops, [&](auto loop) {
        auto [extent, iterator] = loop;
        return extent == space[0] && iterator == utils::IteratorType::parallel;
      })) // (S6)
    return op.emitOpError("has loops of [")
           << op.getStaticLoopRanges() << "], and its kernel is cut into "
           << "columns of [" << space << "] (S6)";
  for (OpOperand *use : inner(op))
    if (!isa<linalg::FillOp>(use->get().getDefiningOp())) // (S6)
      return op.emitOpError("reads what another operation computes, in a "
                            "kernel that is cut into columns (S6)")
                 .attachNote(use->get().getLoc())
             << "computed here";
  return success();
}

LogicalResult Kernel::judgeSpace(ArrayRef<int64_t> expected) {
  if (space == expected)
    return success();
  return kernel.emitOpError("says that it has units [") // (S6)
         << space << "] of kind \"" << kind << "\", and its body has ["
         << expected << "] (S6)";
}

LogicalResult Kernel::judgeUnits() {
  if (kind == "serial")
    return judgeSpace({});
  for (Operation &op : body.without_terminator()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (kind == "rows" && structured) {
      if (failed(judgeRows(structured)))
        return failure();
    } else if (kind == "columns" && structured) {
      if (failed(judgeColumns(structured)))
        return failure();
    } else if (isa<nn::AttentionOp, nn::AttentionBackwardOp>(op) &&
               kind == "attention") {
      auto q = cast<RankedTensorType>(op.getOperand(0).getType());
      return judgeSpace({q.getDimSize(0), q.getDimSize(2)});
    } else if (isa<nn::EmbeddingBackwardOp>(op) && kind == "scatter") {
      auto table = cast<RankedTensorType>(op.getResult(0).getType());
      return judgeSpace({table.getDimSize(1)});
    } else if (structured
                   ? !isa<linalg::FillOp>(op)
                   : !isa<arith::ConstantOp, tensor::EmptyOp,
                          tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                          tensor::ExpandShapeOp>(op)) { // (S6)
      return op.emitOpError("does not belong into a kernel of kind \"")
             << kind << "\" (S6)";
    }
  }
  if (kind == "rows" || kind == "columns")
    return success();
  return kernel.emitOpError("is no kernel of kind \"") << kind << "\" (S6)";
}

//===----------------------------------------------------------------------===//
// Replacements
//===----------------------------------------------------------------------===//

/// What writes to the bytes of `value` first, if all that writes to them does
/// so element by element, else null.  An operation that reads its initial value
/// goes on with its bytes.
static OpResult findFirstWriter(Value value) {
  while (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    if (op.getNumParallelLoops() != op.getNumLoops())
      return {};
    auto result = cast<OpResult>(value);
    OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
    if (op.getMatchingBlockArgument(init).use_empty())
      return result;
    value = init->get();
  }
  return {};
}

LogicalResult Kernel::judgeInPlace(unsigned result, int64_t operand) {
  if (operand < 0 || operand >= body.getNumArguments()) // (S6)
    return kernel.emitOpError("lets result ")
           << result << " replace operand " << operand << ", and has "
           << body.getNumArguments() << " (S6)";
  BlockArgument replaced = body.getArgument(operand);
  auto refuse = [&](const Twine &why, Operation *at) -> LogicalResult {
    InFlightDiagnostic error = kernel.emitOpError("lets result "); // (S6)
    error << result << " replace operand " << operand << ", " << why << " (S6)";
    if (at)
      error.attachNote(at->getLoc()) << "by '" << at->getName() << '\'';
    return error;
  };
  OpResult first = findFirstWriter(returned->getOperand(result));
  if (!first)
    return refuse("but does not write it element by element", nullptr);
  if (replaced.getType() != first.getType())
    return refuse("which has another type", nullptr);
  auto writer = cast<linalg::LinalgOp>(first.getOwner());
  AffineMap written = writer.getIndexingMapMatchingResult(first);
  for (OpOperand &use : replaced.getUses()) {
    Operation *reader = body.findAncestorOpInBlock(*use.getOwner());
    bool same = use.getOwner() == writer && written.isIdentity() &&
                writer.getMatchingIndexingMap(&use) == written;
    bool earlier = reader->isBeforeInBlock(writer) &&
                   (kind == "serial" || (kind == "rows" && readsOwnRow(use)));
    if (!same && !earlier)
      return refuse("which is read when an element of it may be overwritten",
                    reader);
  }
  return success();
}

LogicalResult Kernel::judgeScatter(unsigned result) {
  auto must = kernel.getResultAttrOfType<IntegerAttr>(result, kMustAliasAttr);
  auto scatter =
      returned->getOperand(result).getDefiningOp<nn::EmbeddingBackwardOp>();
  auto init =
      scatter ? dyn_cast<BlockArgument>(scatter.getInit()) : BlockArgument();
  if (!must && !init)
    return success();
  if (must && init && must.getInt() == init.getArgNumber())
    return success();
  auto error = kernel.emitOpError(); // (S6)
  if (init)
    error << "adds to operand " << init.getArgNumber() << " in result "
          << result << ", which must replace it (S6)";
  else
    error << "makes result " << result << " replace operand " << must.getInt()
          << ", and does not add to it (S6)";
  return error;
}

LogicalResult Kernel::judgeReplacements() {
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    if (failed(judgeScatter(result)))
      return failure();
    if (auto may =
            kernel.getResultAttrOfType<DenseI64ArrayAttr>(result, kInPlaceAttr))
      for (int64_t operand : may.asArrayRef())
        if (failed(judgeInPlace(result, operand)))
          return failure();
  }
  return success();
}

LogicalResult judge::judgeKernels(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kKernelAttr) && !function.isExternal() &&
        failed(Kernel(function).judge()))
      return failure();
  return success();
}
