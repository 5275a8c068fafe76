//===- TMTensor.h - Operations of torch-mlir beside linalg ------*- C++ -*-===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tm_tensor/TMTensorDialect.h.inc"
#define GET_OP_CLASSES
#include "dialect/tm_tensor/TMTensorOps.h.inc"
