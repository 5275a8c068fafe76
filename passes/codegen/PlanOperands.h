//===- PlanOperands.h - Values of a plan as constants of zrt --------------===//
#pragma once

#include "passes/codegen/ZrtStructs.h"

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The constants of a plan, and what they say of its values: where these lie,
/// of what type they are, and how much of them an operation has.
class PlanOperands {
public:
  /// Constants go to `out`.
  PlanOperands(ModuleOp plan, llvm::Module &out);

  /// One of runtime/ElementTypes.def.
  struct ElementType {
    uint32_t number;
    StringRef spelling;
    uint64_t bytes;
  };
  /// What `value` holds.  It is an error, which is reported, if plans cannot
  /// hold that: `isBroken` is true from then on.
  ElementType getElement(Value value);

  static Zrt<zrt_ref> getRef(BytesAttr bytes);
  Zrt<zrt_ref> getRef(Value value);
  /// What `op` has of `value`; without a value, all zeros.
  Zrt<zrt_operand> getOperand(PlanOpInterface op, Value value);
  llvm::Constant *getOperands(PlanOpInterface op, ValueRange values);
  /// The bucket's place in the plan's list of them.
  uint32_t getBucket(FlatSymbolRefAttr bucket) const {
    return buckets.lookup(bucket.getAttr());
  }

  ZrtConstants constants;
  bool isBroken = false;

private:
  DenseMap<StringAttr, uint32_t> buckets;
  DenseMap<Type, ElementType> elements;
};

} // namespace mlir::zero
