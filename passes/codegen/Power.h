//===- Power.h - pow in arithmetic ------------------------------*- C++ -*-===//
#ifndef PASSES_CODEGEN_POWER_H
#define PASSES_CODEGEN_POWER_H

#include "dialect/nn/Scalar.h"

namespace mlir::zero {

/// x to the power of y, both f64, with the special cases of C's pow.
nn::S emitPower(nn::S x, nn::S y);

} // namespace mlir::zero

#endif // PASSES_CODEGEN_POWER_H
