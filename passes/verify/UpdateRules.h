//===- UpdateRules.h - The update rules, once more ------------------------===//
//
// What the planner builds as IR, written down by the judge for itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

#include <string>

namespace mlir::zero::judge {

/// A zero.optimizer, as text, with these numbers; `clips`: its updates take the
/// factor of zero.clip.
std::string writeAdamW(double beta1, double beta2, double eps, bool clips);
std::string writeLion(double beta1, double beta2, bool clips);
std::string writeSgd(double momentum, bool clips);
/// The same of one that the model brought, whose gradient the factor multiplies.
void takeFactor(OptimizerOp rule);

} // namespace mlir::zero::judge
