//===- TMTensor.cpp - Operations of torch-mlir beside linalg --------------===//

#include "dialect/tm_tensor/TMTensor.h"

using namespace mlir;
using namespace mlir::tm_tensor;

#include "dialect/tm_tensor/TMTensorDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tm_tensor/TMTensorOps.cpp.inc"

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/tm_tensor/TMTensorOps.cpp.inc"
      >();
}

LogicalResult ScanOp::verify() {
  if (getInputs().size() != 1 || getOutputs().size() != 2 ||
      getNumResults() != 2)
    return emitOpError("needs one input and two outputs, and has ")
           << getInputs().size() << " and " << getOutputs().size();
  auto type = cast<RankedTensorType>(getInputs()[0].getType());
  const int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= type.getRank())
    return emitOpError("goes along dimension ")
           << dimension << " of an input that has " << type.getRank();
  SmallVector<int64_t> others(type.getShape());
  others.erase(others.begin() + dimension);
  auto total = RankedTensorType::get(others, type.getElementType());
  for (ValueRange values : {ValueRange(getOutputs()), ValueRange(getResults())})
    if (values[0].getType() != type || values[1].getType() != total)
      return emitOpError("needs outputs and results of ")
             << type << " and " << total;
  Block &body = getRegion().front();
  Type element = type.getElementType();
  if (body.getArgumentTypes() != TypeRange{element, element} || body.empty() ||
      !isa<YieldOp>(body.back()) ||
      body.back().getOperandTypes() != TypeRange{element})
    return emitOpError("needs a region from two ")
           << element << " to one, which it yields";
  return success();
}
