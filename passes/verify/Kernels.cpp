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
//                 "columns": a unit is an index of the contiguous loop of each
//                 operation; none reads what another writes.
//                 "serial": one unit.
//                 "attention", "scatter": one operation; a unit is a head of a
//                 batch, or a column.
//                 With --reference (zero.reference) all kernels are serial.
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
#include "dialect/zero/KernelUnits.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

namespace {
class Kernel {
public:
  explicit Kernel(func::FuncOp kernel)
      : kernel(kernel), body(kernel.front()), returned(body.getTerminator()),
        isReference(kernel->getParentOp()->hasAttr(kReferenceAttr)) {}

  LogicalResult judge() {
    if (!kernel.getBody().hasOneBlock() ||
        !isa<func::ReturnOp>(returned)) // (S6)
      return kernel.emitOpError("is a kernel of several blocks (S6); it is a "
                                "straight line");
    std::optional<KernelKind> known = getKernelKind(kernel);
    if (!known || !kernel->hasAttrOfType<DenseI64ArrayAttr>(kSpaceAttr)) // (S6)
      return kernel.emitOpError("is a kernel, and needs units as zero.space "
                                "and as zero.kernel a kind (S6), which is "
                                "rows, columns, serial, attention or scatter");
    kind = *known;
    space = getKernelSpace(kernel);
    return failure(failed(judgeUnits()) || failed(judgeReplacements()));
  }

private:
  LogicalResult judgeUnits();
  LogicalResult judgeOperation(Operation *op);
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
  bool isReference;
  KernelKind kind = KernelKind::Serial;
  ArrayRef<int64_t> space;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

static bool isView(Operation *op) {
  return isa_and_present<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(op);
}

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
  if (isView(use.get().getDefiningOp()))
    return false; // whose rows are others
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

/// Whether `value` is neither an operand of the kernel nor a constant, nor a
/// view of one.
static bool isComputed(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  Operation *def = value.getDefiningOp();
  return def && !isa<arith::ConstantOp, tensor::EmptyOp>(def);
}

SmallVector<OpOperand *> Kernel::inner(linalg::LinalgOp op) const {
  SmallVector<OpOperand *> found;
  op->walk([&](Operation *nested) {
    for (OpOperand &use : nested->getOpOperands())
      if (use.get().getParentBlock() == &body && isComputed(use.get()))
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
  int cut = contiguousLoop(op);
  if (space.size() != 1 || cut < 0 ||
      op.getStaticLoopRanges()[cut] != space[0] ||
      op.getIteratorTypesArray()[cut] != utils::IteratorType::parallel) // (S6)
    return op.emitOpError("has loops of [")
           << op.getStaticLoopRanges() << "], contiguous along loop " << cut
           << ", and its kernel is cut into columns of [" << space << "] (S6)";
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
  return kernel.emitOpError("is a kernel of ") // (S6)
         << stringifyKernelKind(kind) << " with units [" << space
         << "], and its body has [" << expected << "] (S6)";
}

/// Whether `op` has a kernel of its own.
static bool standsAlone(Operation *op) {
  return isa<nn::AttentionOp, nn::AttentionBackwardOp, nn::EmbeddingBackwardOp,
             nn::MatmulOp>(op);
}

/// What every kernel may have for itself: constants, initial values, views.
static bool isAuxiliary(Operation *op) {
  return isView(op) ||
         isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op);
}

LogicalResult Kernel::judgeOperation(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  switch (kind) {
  case KernelKind::Rows:
    if (structured)
      return judgeRows(structured);
    break;
  case KernelKind::Columns:
    if (structured)
      return judgeColumns(structured);
    break;
  case KernelKind::Serial:
    if (isReference || !standsAlone(op))
      return judgeSpace({});
    break;
  case KernelKind::Attention:
    if (isa<nn::AttentionOp, nn::AttentionBackwardOp>(op)) {
      auto q = cast<RankedTensorType>(op->getOperand(0).getType());
      return judgeSpace({q.getDimSize(0), q.getDimSize(2)});
    }
    break;
  case KernelKind::Scatter:
    if (isa<nn::EmbeddingBackwardOp>(op))
      return judgeSpace(
          {cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1)});
    break;
  }
  // Attention's gradients may be inserted where they are packed.
  if (kind == KernelKind::Attention && isa<tensor::InsertSliceOp>(op))
    return success();
  if (isAuxiliary(op))
    return success();
  return op->emitOpError("does not belong into a kernel of ") // (S6)
         << stringifyKernelKind(kind) << " (S6)";
}

LogicalResult Kernel::judgeUnits() {
  if (isReference && kind != KernelKind::Serial) // (S6)
    return kernel.emitOpError("is a kernel of ")
           << stringifyKernelKind(kind)
           << ", but with zero.reference all are serial (S6)";
  auto own =
      llvm::count_if(body, [](Operation &op) { return standsAlone(&op); });
  if (!isReference && own > 1) // (S6)
    return kernel.emitOpError("has ")
           << own << " operations that have kernels of their own (S6)";
  if ((kind == KernelKind::Attention || kind == KernelKind::Scatter) &&
      own == 0) // (S6)
    return kernel.emitOpError("is a kernel of ")
           << stringifyKernelKind(kind) << " without such an operation (S6)";
  for (Operation &op : body.without_terminator())
    if (failed(judgeOperation(&op)))
      return failure();
  return success();
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
    // What reads it through a view may do so later.
    bool direct =
        isa<linalg::LinalgOp>(reader) &&
        (reader == use.getOwner() || isa<tensor::ExtractOp>(use.getOwner()));
    bool same = use.getOwner() == writer && written.isIdentity() &&
                writer.getMatchingIndexingMap(&use) == written;
    bool earlier = reader->isBeforeInBlock(writer) &&
                   (kind == KernelKind::Serial ||
                    (kind == KernelKind::Rows && readsOwnRow(use)));
    if (!direct || (!same && !earlier))
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
