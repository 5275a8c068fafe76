//===- FuseSiblings.h - Reads values of a step less often -------*- C++ -*-===//
#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::zero {

/// Computes functions of one value again in each of their readers, if the value
/// is kept for a later reader anyway: silu(gate) is then never stored.
void repeatActivations(FunctionOpInterface function);

/// Makes elementwise operations that read the same value one operation, which
/// stands where its first result is needed, if that takes no more memory: the
/// adjoints of gate and up, which products of the step separate.
void fuseSiblings(FunctionOpInterface function);

} // namespace mlir::zero
