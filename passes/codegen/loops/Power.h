//===- Power.h - pow in arithmetic ------------------------------*- C++ -*-===//
#pragma once

#include "dialect/nn/Scalar.h"

namespace mlir::zero {

/// x to the power of y, both f64, with the special cases of C's pow.
nn::S emitPower(nn::S x, nn::S y);

} // namespace mlir::zero
