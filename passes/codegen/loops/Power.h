//===- Power.h - pow and exp in arithmetic ----------------------*- C++ -*-===//
#pragma once

#include "dialect/nn/Scalar.h"

namespace mlir::zero {

/// x to the power of y, both f64, with the special cases of C's pow.
nn::S emitPower(nn::S x, nn::S y);
/// e to the power of x, in f64.
nn::S emitExp(nn::S x);

} // namespace mlir::zero
