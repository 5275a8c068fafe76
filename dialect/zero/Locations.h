//===- Locations.h - The names that a model gives -------------*- C++ -*-===//
//
// Front ends name operations by locations, as loc("h.0.attn"); passes keep
// them, with the place in the file inside or fused with others.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECT_ZERO_LOCATIONS_H
#define DIALECT_ZERO_LOCATIONS_H

#include "mlir/IR/Location.h"

namespace mlir::zero {

/// The first name in `loc`; empty if it has none.
inline StringRef getLocationName(Location loc) {
  auto named = loc->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

} // namespace mlir::zero

#endif // DIALECT_ZERO_LOCATIONS_H
