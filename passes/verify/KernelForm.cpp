//===- KernelForm.cpp - Operations that a kernel may contain --------------===//
//
// (S6) A kernel consists of operations that are compiled as they are written,
// by kind:
//
//   columns        linalg.generic and linalg.fill
//   rows, serial   these and tensor.insert_slice
//   attention      one nn.attention, nn.gated_delta_rule, a backward of them or
//                  one that keeps something, on operands; its results may be
//                  inserted into a tensor, side by side; all views have
//                  contiguous rows (KernelViews.cpp)
//   scatter        one nn.embedding_backward, from zeros or from an operand
//
// and of constants, tensor.empty and views, all with static sizes and offsets.
// With --reference a kernel is serial and may contain any operation.
//
//   * The body of a generic is scalar arithmetic.
//   * A generic writes each element of its result once, or adds to it: the
//     output map consists of all parallel loops, and a reduction reads its
//     initial value.
//   * Nothing reads unwritten elements: if a generic does not read its initial
//     value, that is a tensor.empty; no other operation reads a tensor.empty.
//   * The kernel computes each value that it returns, and returns it once.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "passes/verify/Kernels.h"
#include "passes/verify/Rules.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

/// Checks that tensors have static sizes and known element types.
static LogicalResult judgeSizes(Kernel kernel, TypeRange types) {
  for (Type type : types) {
    auto tensor = dyn_cast<TensorType>(type);
    if (tensor && !(tensor.hasRank() && tensor.hasStaticShape() &&
                    isElement(tensor.getElementType()))) // (S6)
      return kernel.function.emitOpError("has a value of ")
             << type
             << " (S6); kernels are on tensors of known sizes, of integers and "
                "floats of 8 to 64 bits, and i1";
  }
  return success();
}

/// Returns true if kernels of this kind may contain `op`.
static bool belongs(Kernel kernel, Operation *op) {
  if (isView(op) || isa<arith::ConstantOp, tensor::EmptyOp>(op))
    return true;
  switch (kernel.kind) {
  case KernelKind::Columns:
    return isa<linalg::GenericOp, linalg::FillOp>(op);
  case KernelKind::Rows:
  case KernelKind::Serial:
    return isa<linalg::GenericOp, linalg::FillOp, tensor::InsertSliceOp>(op);
  case KernelKind::Attention:
    return isAttention(op) || isa<tensor::InsertSliceOp>(op);
  case KernelKind::Scatter:
    return isa<nn::EmbeddingBackwardOp, linalg::FillOp>(op);
  }
  llvm_unreachable("all kinds are known");
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

static bool isScalarWork(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  bool known = isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp>(op) ||
               dialect == "arith" || dialect == "math";
  return known && op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

/// Returns true if `map` consists of the parallel loops of `op`, each once, and
/// of 0 in dimensions of one element.
static bool writesOnce(linalg::GenericOp op, AffineMap map,
                       RankedTensorType type) {
  unsigned count = 0;
  SmallVector<bool> seen(op.getNumLoops());
  for (auto [position, size] :
       llvm::zip_equal(map.getResults(), type.getShape())) {
    if (position == getAffineConstantExpr(0, op.getContext()) && size == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(position);
    if (!loop || seen[loop.getPosition()] ||
        op.getIteratorTypesArray()[loop.getPosition()] !=
            utils::IteratorType::parallel)
      return false;
    seen[loop.getPosition()] = true;
    ++count;
  }
  return count == op.getNumParallelLoops();
}

static LogicalResult judgeGeneric(linalg::GenericOp op) {
  for (Operation &inner : *op.getBlock())
    if (!isScalarWork(&inner)) // (S6)
      return inner.emitOpError("is no scalar arithmetic of a kernel (S6)");
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!writesOnce(op, map,
                    cast<RankedTensorType>(init.get().getType()))) // (S6)
      return op.emitOpError("writes by ")
             << AffineMapAttr::get(map)
             << " (S6); each parallel loop indexes its result once, and "
                "nothing else does: compute other results apart";
    if (!op.getMatchingBlockArgument(&init).use_empty())
      continue;
    if (op.getNumReductionLoops() > 0) // (S6)
      return op.emitOpError("has reductions, and does not read the initial "
                            "value of result ")
             << init.getOperandNumber() - op.getNumDpsInputs()
             << " (S6); add to it";
    if (!init.get().getDefiningOp<tensor::EmptyOp>()) // (S6)
      return op.emitOpError("does not read its initial value, which is no "
                            "tensor.empty (S6)");
  }
  return success();
}

static LogicalResult judgeEmpty(tensor::EmptyOp op) {
  for (OpOperand &use : op->getUses()) {
    auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
    auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
    bool written = isa<linalg::FillOp>(use.getOwner()) ||
                   (generic && generic.isDpsInit(&use) &&
                    generic.getMatchingBlockArgument(&use).use_empty()) ||
                   (insert && &use == &insert.getDestMutable());
    if (!written) // (S6)
      return use.getOwner()->emitOpError("reads a tensor.empty, which nothing "
                                         "has written (S6)");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attention and scatters
//===----------------------------------------------------------------------===//

static LogicalResult judgeAttention(Operation *op) {
  for (OpResult result : op->getResults())
    if (Value cache = findKept(result);
        cache && (!isa<BlockArgument>(cache) || !cache.hasOneUse())) // (S6)
      return op->emitOpError("puts rows into what is no operand of its "
                             "kernel, or is read beside it (S6)");
  for (Value operand : op->getOperands())
    if (!isa<BlockArgument>(skipViews(operand))) // (S6)
      return op->emitOpError("reads what is no view of an operand of its "
                             "kernel (S6)");
  for (Value result : op->getResults()) {
    // Follow reshapes to the return or the insert.
    Value value = result;
    while (value.hasOneUse() &&
           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
               *value.user_begin()))
      value = value.user_begin()->getResult(0);
    Operation *user = value.hasOneUse() ? *value.user_begin() : nullptr;
    auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(user);
    bool isReturned = isa_and_present<ReturnOp>(user) && value == result;
    if (!isReturned && !(insert && insert.getSource() == value)) // (S6)
      return op->emitOpError("has result ")
             << cast<OpResult>(result).getResultNumber()
             << " that is not returned or inserted, once (S6)";
  }
  return judgeViews(op);
}

static LogicalResult judgeScatter(nn::EmbeddingBackwardOp op) {
  for (Value operand : {op.getTokens(), op.getGrad()})
    if (!isa<BlockArgument>(skipViews(operand))) // (S6)
      return op->emitOpError("reads what is no view of an operand of its "
                             "kernel (S6)");
  auto argument = dyn_cast<BlockArgument>(op.getInit());
  bool alone = op.getInit().hasOneUse();
  if (!alone || !(argument || (op.getInit().getDefiningOp<linalg::FillOp>() &&
                               nn::isZeros(op.getInit())))) // (S6)
    return op.emitOpError("starts neither from zeros nor from an operand that "
                          "nothing else reads (S6)");
  return judgeViews(op);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static LogicalResult judgeReturn(Kernel kernel) {
  Operation *returned = kernel.body().getTerminator();
  unsigned alone = 0;
  for (Operation &op : kernel.body())
    alone += isAttention(&op) || isa<nn::EmbeddingBackwardOp>(op);
  bool isAlone = kernel.kind == KernelKind::Attention ||
                 kernel.kind == KernelKind::Scatter;
  if (alone != unsigned(isAlone)) // (S6)
    return returned->emitOpError("ends a kernel of ")
           << stringifyKernelKind(kernel.kind) << " with " << alone
           << " operations of that kind (S6)";
  SmallPtrSet<Value, 4> values;
  for (OpOperand &operand : returned->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    bool computed = def && !isView(def) &&
                    !isa<arith::ConstantOp, tensor::EmptyOp>(def) &&
                    !(isAlone && isa<linalg::FillOp>(def));
    if (!computed || !values.insert(operand.get()).second) // (S6)
      return returned->emitOpError("returns as result ")
             << operand.getOperandNumber()
             << (computed ? " what is another result too"
                          : " what the kernel does not compute")
             << " (S6)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static LogicalResult judgeOperation(Kernel kernel, Operation *op) {
  if (!belongs(kernel, op)) // (S6)
    return op->emitOpError("does not belong in a kernel of ")
           << stringifyKernelKind(kernel.kind)
           << " (S6); write it with linalg.generic";
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return judgeGeneric(generic);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return judgeEmpty(empty);
  if (auto fill = dyn_cast<linalg::FillOp>(op);
      fill && !fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) // (S6)
    return op->emitOpError("fills what is no tensor.empty (S6)");
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
      slice && !isKnown(slice)) // (S6)
    return op->emitOpError("takes a slice at places that are not known (S6)");
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return judgeInsert(kernel, insert);
  if (isAttention(op))
    return judgeAttention(op);
  if (auto scatter = dyn_cast<nn::EmbeddingBackwardOp>(op))
    return judgeScatter(scatter);
  return success();
}

LogicalResult judge::judgeForm(Kernel kernel) {
  KernelOp function = kernel.function;
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())}) {
    if (!llvm::all_of(types, llvm::IsaPred<RankedTensorType>)) // (S6)
      return function.emitOpError("is a kernel of type ")
             << function.getFunctionType()
             << " (S6); kernels take and give tensors";
    if (failed(judgeSizes(kernel, types)))
      return failure();
  }
  if (kernel.isReference)
    return success();
  for (Operation &op : kernel.body().without_terminator())
    if (failed(judgeSizes(kernel, op.getResultTypes())) ||
        failed(judgeOperation(kernel, &op)))
      return failure();
  return judgeReturn(kernel);
}
