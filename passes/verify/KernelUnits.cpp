//===- KernelUnits.cpp - Independence of the units of a kernel ------------===//
//
// (S6) by zero.kernel:
//
//   rows       a unit is an index of the first loops, which all operations of
//              the kernel share.  Each operation has these loops, parallel and
//              of the sizes in zero.space, and writes by them.  Of the values
//              that the kernel computes, it reads only its own row.  An insert
//              fills these dimensions.
//   columns    a unit is an index of the contiguous loop of each operation.  No
//              operation reads what another computes, except a fill that a sum
//              starts from; initial values of results are cut along that loop.
//   serial     one unit; with --reference all kernels are serial.
//   attention  a unit is a head of a batch: a query head, or a key head where
//              the adjoints of keys are added; of a delta rule a head of
//              values.
//   scatter    a unit is a column.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "passes/verify/Kernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

/// Returns true if the kernel computes `value`: it is neither an operand of the
/// kernel nor a constant, nor a view of one.
static bool isComputed(Value value) {
  Operation *def = skipViews(value).getDefiningOp();
  return def && !isa<arith::ConstantOp, tensor::EmptyOp>(def);
}

/// The operands of `op` that other operations of the kernel compute.
static SmallVector<OpOperand *> findInner(Kernel kernel, linalg::LinalgOp op) {
  SmallVector<OpOperand *> found;
  op->walk([&](Operation *nested) {
    for (OpOperand &use : nested->getOpOperands())
      if (use.get().getParentBlock() == &kernel.body() && isComputed(use.get()))
        found.push_back(&use);
  });
  return found;
}

static LogicalResult judgeRows(Kernel kernel, linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  bool fits = extents.size() >= kernel.space.size() &&
              ArrayRef(extents).take_front(kernel.space.size()) == kernel.space;
  for (unsigned i = 0; fits && i < kernel.space.size(); ++i)
    fits = iterators[i] == utils::IteratorType::parallel;
  if (!fits) // (S6)
    return op.emitOpError("has loops of [")
           << extents << "], and its kernel is cut into rows of ["
           << kernel.space << "] (S6)";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isRow(kernel, op.getMatchingIndexingMap(&init))) // (S6)
      return op.emitOpError("writes by ")
             << AffineMapAttr::get(op.getMatchingIndexingMap(&init))
             << ", not its own row of a kernel that is cut into rows (S6)";
  for (OpOperand *use : findInner(kernel, op))
    if (!readsOwnRow(kernel, *use)) // (S6)
      return op.emitOpError("reads more than its own row of what its kernel "
                            "computes row by row (S6)")
                 .attachNote(use->get().getLoc())
             << "computed here";
  return success();
}

/// An insert of a kernel of rows copies whole rows of an operand to a result.
static LogicalResult judgeRowsOf(Kernel kernel, tensor::InsertSliceOp op) {
  const auto fills = [&](size_t dim) {
    return op.getStaticOffsets()[dim] == 0 && op.getStaticStrides()[dim] == 1 &&
           op.getStaticSizes()[dim] == kernel.space[dim] &&
           op.getType().getDimSize(dim) == kernel.space[dim];
  };
  const int64_t rank = op.getType().getRank(), rows = kernel.space.size();
  if (op.getSourceType().getRank() != rank || rank < rows ||
      !llvm::all_of(llvm::seq(rows), fills)) // (S6)
    return op.emitOpError("inserts ")
           << op.getSourceType() << " into " << op.getType()
           << ", and its kernel is cut into rows of [" << kernel.space
           << "], which it must fill (S6)";
  if (isComputed(op.getSource())) // (S6)
    return op.emitOpError("inserts what its kernel computes row by row (S6)");
  for (OpOperand &use : op->getUses()) {
    auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
    if (!isa<ReturnOp>(use.getOwner()) &&
        !(next && &use == &next.getDestMutable())) // (S6)
      return use.getOwner()->emitOpError("reads rows that its kernel inserts "
                                         "(S6)");
  }
  return success();
}

/// Returns true if `use` is the use of a fill that a sum of `op` starts from.
static bool startsSum(linalg::LinalgOp op, OpOperand &use) {
  return use.get().getDefiningOp<linalg::FillOp>() && use.get().hasOneUse() &&
         use.getOwner() == op && op.isDpsInit(&use);
}

static LogicalResult judgeColumns(Kernel kernel, linalg::LinalgOp op) {
  int cut = contiguousLoop(op);
  if (kernel.space.size() != 1 || cut < 0 ||
      op.getStaticLoopRanges()[cut] != kernel.space[0] ||
      op.getIteratorTypesArray()[cut] != utils::IteratorType::parallel) // (S6)
    return op.emitOpError("has loops of [")
           << op.getStaticLoopRanges() << "], contiguous along loop " << cut
           << ", and its kernel is cut into columns of [" << kernel.space
           << "] (S6)";
  // An initial value is copied, cut along its last dimension.
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!init.get().getDefiningOp<tensor::EmptyOp>() &&
        (map.getNumResults() == 0 ||
         map.getResults().back() !=
             getAffineDimExpr(cut, op.getContext()))) // (S6)
      return op.emitOpError("begins with a value that is indexed by ")
             << AffineMapAttr::get(map)
             << ", and cut along its last dimension, in a kernel that is cut "
                "along loop "
             << cut << " (S6)";
  }
  for (OpOperand *use : findInner(kernel, op))
    if (!startsSum(op, *use)) // (S6)
      return op.emitOpError("reads what another operation computes, in a "
                            "kernel that is cut into columns (S6)")
                 .attachNote(use->get().getLoc())
             << "computed here";
  return success();
}

static LogicalResult judgeSpace(Kernel kernel, ArrayRef<int64_t> expected) {
  if (kernel.space == expected)
    return success();
  return kernel.function.emitOpError("is a kernel of ") // (S6)
         << stringifyKernelKind(kernel.kind) << " with units [" << kernel.space
         << "], and its body has [" << expected << "] (S6)";
}

LogicalResult judge::judgeUnits(Kernel kernel) {
  if (kernel.isReference && kernel.kind != KernelKind::Serial) // (S6)
    return kernel.function.emitOpError("is a kernel of ")
           << stringifyKernelKind(kernel.kind)
           << ", but with zero.reference all are serial (S6)";
  if (kernel.kind == KernelKind::Serial)
    return judgeSpace(kernel, {});
  for (Operation &op : kernel.body()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    LogicalResult result = success();
    if (structured && kernel.kind == KernelKind::Rows)
      result = judgeRows(kernel, structured);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op);
             insert && kernel.kind == KernelKind::Rows)
      result = judgeRowsOf(kernel, insert);
    else if (structured && kernel.kind == KernelKind::Columns)
      result = judgeColumns(kernel, structured);
    else if (isAttention(&op)) {
      // The operands are q, k, v; or grad, q, k, v.  Heads of keys have units
      // where they are written, and of a delta rule heads of values.
      const unsigned heads =
          isa<nn::AttentionBackwardOp, nn::GatedDeltaRuleBackwardOp,
              nn::GatedDeltaRuleOp, nn::LibraryAttentionBackwardOp>(op)
              ? 2
          : isa<nn::CachedAttentionOp, nn::CachedDeltaRuleOp>(op) ? 1
                                                                  : 0;
      auto type = cast<RankedTensorType>(op.getOperand(heads).getType());
      SmallVector<int64_t> units = {type.getDimSize(0), type.getDimSize(2)};
      if (isa<nn::CachedCausalConvOp>(op)) // of all channels
        units.back() = 1;
      result = judgeSpace(kernel, units);
    } else if (auto scatter = dyn_cast<nn::EmbeddingBackwardOp>(op)) {
      result = judgeSpace(kernel,
                          {cast<RankedTensorType>(scatter.getResult().getType())
                               .getDimSize(1)});
    }
    if (failed(result))
      return failure();
  }
  return success();
}
