//===- Kernels.cpp - Checks of a kernel's attributes ----------------------===//

#include "passes/verify/Kernels.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

bool judge::isView(Operation *op) {
  return isa_and_present<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(op);
}

Value judge::skipViews(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool judge::isRow(Kernel kernel, AffineMap map) {
  if (map.getNumResults() < kernel.space.size())
    return false;
  for (unsigned i = 0; i < kernel.space.size(); ++i)
    if (map.getResult(i) != getAffineDimExpr(i, map.getContext()))
      return false;
  return true;
}

bool judge::readsOwnRow(Kernel kernel, OpOperand &use) {
  if (isView(use.get().getDefiningOp()))
    return false; // a view has other rows
  if (auto op = dyn_cast<linalg::LinalgOp>(use.getOwner()))
    return isRow(kernel, op.getMatchingIndexingMap(&use));
  auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
  if (!extract || extract.getIndices().size() < kernel.space.size() ||
      extract->getParentOp()->getBlock() != &kernel.body())
    return false;
  for (auto [i, position] :
       llvm::enumerate(extract.getIndices().take_front(kernel.space.size()))) {
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    if (!loop || loop.getDim() != i)
      return false;
  }
  return true;
}

static LogicalResult judgeKernel(KernelOp function) {
  if (!function.getBody().hasOneBlock() ||
      !isa<ReturnOp>(function.front().back())) // (S6)
    return function.emitOpError("is a kernel of several blocks (S6); it is a "
                                "straight line");
  std::optional<KernelKind> kind = function.getKind();
  ArrayRef<int64_t> space = function.getSpace();
  if (!kind ||
      llvm::any_of(space, [](int64_t size) { return size < 1; })) // (S6)
    return function.emitOpError("is cut into units of sizes [")
           << space
           << "], and needs a kind of them and one or more of each "
              "(S6)";
  Kernel kernel{function, *kind, space,
                function->getParentOp()->hasAttr(kReferenceAttr)};
  return failure(failed(judgeForm(kernel)) || failed(judgeUnits(kernel)) ||
                 failed(judgeReplacements(kernel)));
}

LogicalResult judge::judgeKernels(ModuleOp module) {
  // A kernel without a body is never compiled: its attributes do not matter.
  for (auto function : module.getOps<KernelOp>())
    if (!function.isExternal() && failed(judgeKernel(function)))
      return failure();
  return success();
}
