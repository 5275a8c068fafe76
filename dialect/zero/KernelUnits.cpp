//===- KernelUnits.cpp - The loop along which a kernel is cut -------------===//

#include "dialect/zero/KernelUnits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::zero;

int zero::contiguousLoop(linalg::LinalgOp op) {
  SmallVector<uint64_t> weight(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() == 0)
      continue;
    auto type = cast<ShapedType>(operand.get().getType());
    uint64_t elements =
        type.hasStaticShape() ? type.getNumElements() : UINT64_MAX;
    if (auto dim =
            dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 1)))
      weight[dim.getPosition()] =
          llvm::SaturatingAdd(weight[dim.getPosition()], elements);
  }
  int best = -1;
  for (int loop = 0, e = weight.size(); loop < e; ++loop)
    if (best < 0 || weight[loop] >= weight[best])
      best = loop;
  return best;
}
