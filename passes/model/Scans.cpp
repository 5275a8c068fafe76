//===- Scans.cpp - Cumulative sums of torch-mlir --------------------------===//

#include "passes/model/Scans.h"

#include "dialect/nn/Scalar.h"
#include "dialect/tm_tensor/TMTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::zero;

/// The error for a scan that is no sum, or whose second result is read; empty
/// if the scan can be lowered.
static std::string findFault(tm_tensor::ScanOp op) {
  if (!op.getInclusive())
    return "leaves the element itself out of its sum; only inclusive(true) is "
           "supported";
  if (!op.getResult(1).use_empty())
    return "has a second result that is read; take the last element of the "
           "first";
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  if (!type.hasStaticShape())
    return "has a dynamic shape; make shapes static";
  Block &body = op.getRegion().front();
  auto add = dyn_cast<arith::AddFOp>(body.front());
  if (!add || body.back().getOperand(0) != add.getResult() ||
      add.getLhs() == add.getRhs() ||
      !llvm::all_of(add->getOperands(), llvm::IsaPred<BlockArgument>))
    return "is no sum of floats; cumulative sums alone are supported";
  return "";
}

static void lower(tm_tensor::ScanOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value x = op.getInputs()[0];
  auto type = cast<RankedTensorType>(x.getType());
  const auto dimension = static_cast<unsigned>(op.getDimension());
  const auto rank = static_cast<unsigned>(type.getRank());
  const int64_t extent = type.getDimSize(dimension);
  Type element = type.getElementType();
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(element, 0));
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)),
      high(rank, b.getIndexAttr(0));
  low[dimension] = b.getIndexAttr(std::max<int64_t>(extent - 1, 0));
  SmallVector<int64_t> shape(type.getShape());
  shape[dimension] += std::max<int64_t>(extent - 1, 0);
  Value padded = tensor::PadOp::create(b, RankedTensorType::get(shape, element),
                                       x, low, high, zero);
  // Only its shape is read.
  Value window =
      nn::constant(b, op.getLoc(), RankedTensorType::get({extent}, element), 0);
  Value begin = nn::constant(b, op.getLoc(), type, 0);
  AffineMap whole = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> read(whole.getResults());
  AffineExpr along = b.getAffineDimExpr(rank);
  read[dimension] = read[dimension] + along;
  MLIRContext *context = b.getContext();
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank + 1, 0, read, context),
      AffineMap::get(rank + 1, 0, along, context),
      AffineMap::get(rank + 1, 0, whole.getResults(), context)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  auto sums = linalg::GenericOp::create(
      b, TypeRange{type}, ValueRange{padded, window}, ValueRange{begin}, maps,
      loops, [](OpBuilder &inner, Location loc, ValueRange values) {
        Value sum = arith::AddFOp::create(inner, loc, values[2], values[0]);
        linalg::YieldOp::create(inner, loc, sum);
      });
  op.getResult(0).replaceAllUsesWith(sums.getResult(0));
  op.erase();
}

LogicalResult zero::lowerScans(ModuleOp module) {
  SmallVector<tm_tensor::ScanOp> scans;
  module.walk([&](tm_tensor::ScanOp op) { scans.push_back(op); });
  for (tm_tensor::ScanOp op : scans) {
    if (std::string fault = findFault(op); !fault.empty())
      return op.emitOpError(fault);
    lower(op);
  }
  return success();
}
