//===- Traits.h - Facts of nn operations that passes ask for --------------===//
//
// Interfaces.td defines them, and an operation's definition lists its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace mlir::nn {

#define NN_TRAIT(NAME)                                                         \
  template <typename Op>                                                       \
  struct NAME : OpTrait::TraitBase<Op, NAME> {};
NN_TRAIT(RoundsFactors)
NN_TRAIT(RoundsAll)
NN_TRAIT(RoundsResult)
NN_TRAIT(IsPlain)
NN_TRAIT(MovesElements)
NN_TRAIT(ReadsOwnElement)
NN_TRAIT(ReadsOwnRow)
NN_TRAIT(ReadsOwnTokens)
NN_TRAIT(IsLayer)
#undef NN_TRAIT

} // namespace mlir::nn
