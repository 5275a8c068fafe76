//===- Structure.h - Where the values of a program lie --------------------===//
//
// What can be judged of each operation by itself: (S1) to (S5) and (V7).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/verify/BucketLayouts.h"
#include "passes/verify/ModuleAttributes.h"

namespace mlir::zero::judge {

/// The bytes of every value of a program that has any.
using Ranges = DenseMap<Value, BytesAttr>;

/// Whether the runtime and the code generator know such elements.
bool isElement(Type type);

/// Fails at the first operation of `program` that breaks one of the rules.
FailureOr<Ranges> judgeStructure(ProgramOp program, Arenas arenas,
                                 const BucketLayouts &layouts);

} // namespace mlir::zero::judge
