//===- KernelInserts.cpp - Tensors assembled by tensor.insert_slice -------===//
//
// (S6) A chain of inserts into one tensor has static offsets, and only the next
// insert uses each of them but the last: they share their bytes.  Slices that
// are inserted into a tensor.empty do not overlap, and fill it; attention
// writes its results there.  In a kernel of rows they are inserted into a
// tensor.empty or a fill.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "passes/verify/Kernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

bool judge::isKnown(OffsetSizeAndStrideOpInterface op) {
  return !ShapedType::isDynamicShape(op.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(op.getStaticSizes()) &&
         !ShapedType::isDynamicShape(op.getStaticStrides());
}

bool judge::isAttention(Operation *op) {
  return isa_and_present<nn::AttentionOp, nn::AttentionBackwardOp,
                         nn::CachedAttentionOp, nn::GatedDeltaRuleOp,
                         nn::GatedDeltaRuleBackwardOp, nn::CachedDeltaRuleOp,
                         nn::CachedCausalConvOp, nn::LibraryAttentionOp,
                         nn::LibraryAttentionBackwardOp>(op);
}

/// Returns true if `op` has strides of 1 only.
static bool isBox(tensor::InsertSliceOp op) {
  return llvm::all_of(op.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; });
}

static bool overlap(tensor::InsertSliceOp a, tensor::InsertSliceOp b) {
  for (auto [i, n, j, m] :
       llvm::zip_equal(a.getStaticOffsets(), a.getStaticSizes(),
                       b.getStaticOffsets(), b.getStaticSizes()))
    if (i + n <= j || j + m <= i)
      return false;
  return true;
}

/// Checks that slices inserted into a tensor.empty do not overlap, and fill it.
static LogicalResult judgeInserts(Kernel kernel, tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> inserts;
  Value dest = last.getResult();
  while (auto insert = dest.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert != last && !insert->hasOneUse()) // (S6)
      return insert.emitOpError("is used beside the insert that follows, which "
                                "takes its bytes (S6)");
    inserts.push_back(insert);
    dest = insert.getDest();
  }
  bool isEmpty = dest.getDefiningOp<tensor::EmptyOp>() != nullptr;
  const bool keepsRest =
      kernel.kind == KernelKind::Serial ||
      (kernel.kind == KernelKind::Rows && dest.getDefiningOp<linalg::FillOp>());
  if (!isEmpty && keepsRest)
    return success();
  int64_t elements = 0;
  for (size_t i = 0; i < inserts.size(); ++i) {
    if (!isBox(inserts[i])) // (S6)
      return inserts[i].emitOpError("inserts with strides into a tensor.empty "
                                    "(S6)");
    if (kernel.kind == KernelKind::Attention &&
        !isAttention(skipViews(inserts[i].getSource()).getDefiningOp())) // (S6)
      return inserts[i].emitOpError("inserts what is no result of attention "
                                    "(S6)");
    elements += llvm::product_of(inserts[i].getStaticSizes());
    for (size_t j = 0; j < i; ++j)
      if (overlap(inserts[i], inserts[j])) // (S6)
        return inserts[j].emitOpError("inserts over what was inserted before "
                                      "(S6)");
  }
  if (!isEmpty || elements != last.getType().getNumElements()) // (S6)
    return last.emitOpError("ends inserts of ")
           << elements << " elements into " << last.getType()
           << " (S6); they fill a tensor.empty";
  return success();
}

/// Judges a chain of inserts once, at its last insert.
LogicalResult judge::judgeInsert(Kernel kernel, tensor::InsertSliceOp op) {
  if (!isKnown(op)) // (S6)
    return op.emitOpError("inserts at places that are not known (S6)");
  for (Operation *user : op->getUsers())
    if (auto next = dyn_cast<tensor::InsertSliceOp>(user);
        next && next.getDest() == op.getResult())
      return success();
  return judgeInserts(kernel, op);
}
