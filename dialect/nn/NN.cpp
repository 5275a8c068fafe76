//===- NN.cpp - Registration of the nn dialect ----------------------------===//

#include "dialect/nn/NN.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"

#include "dialect/nn/NNDialect.cpp.inc"
#include "dialect/nn/NNInterfaces.cpp.inc"

using namespace mlir;

/// Parses the one type that several operands share.
static ParseResult
parseOneType(OpAsmParser &parser, SmallVectorImpl<Type> &types,
             const SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  Type type;
  if (parser.parseType(type))
    return failure();
  types.assign(operands.size(), type);
  return success();
}

static void printOneType(OpAsmPrinter &printer, Operation *, TypeRange types,
                         OperandRange) {
  printer.printType(types.front());
}

#define GET_OP_CLASSES
#include "dialect/nn/NNOps.cpp.inc"

void mlir::nn::NNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/nn/NNOps.cpp.inc"
      >();
}
