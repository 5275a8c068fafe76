//===- Structure.h - Byte ranges of the values of a program ---------------===//
//
// The rules that concern one operation at a time: (S1) to (S5) and (V7).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "passes/verify/BucketLayouts.h"
#include "passes/verify/ModuleAttributes.h"

namespace mlir::zero::judge {

/// The byte ranges of all values of a program that have bytes.
using Ranges = DenseMap<Value, BytesAttr>;

/// Whether the runtime and the code generator support elements of `type`.
bool isElement(Type type);

/// Fails at the first operation of `program` that breaks one of the rules.
FailureOr<Ranges> judgeStructure(ProgramOp program, Arenas arenas,
                                 const BucketLayouts &layouts);

} // namespace mlir::zero::judge
