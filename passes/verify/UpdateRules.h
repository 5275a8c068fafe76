//===- UpdateRules.h - The judge's own update rules -----------------------===//
//
// The planner builds the same rules as IR; the judge has its own text of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

#include <string>

namespace mlir::zero::judge {

/// A zero.optimizer with these numbers, as text; with `clips` its updates take
/// the factor of zero.clip.
std::string writeAdamW(double beta1, double beta2, double eps, bool clips);
std::string writeLion(double beta1, double beta2, bool clips);
std::string writeSgd(double momentum, bool clips);
/// Makes a rule that the model brought take the factor, which multiplies its
/// gradient.
void takeFactor(OptimizerOp rule);

} // namespace mlir::zero::judge
