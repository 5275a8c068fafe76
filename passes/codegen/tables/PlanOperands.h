//===- PlanOperands.h - Values of a plan as constants of zrt --------------===//
#pragma once

#include "passes/codegen/tables/ZrtStructs.h"

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The constants of a plan, and the descriptions of its values: their bytes,
/// their types, and the part that an operation uses.
class PlanOperands {
public:
  /// Constants go to `out`.
  PlanOperands(ModuleOp plan, llvm::Module &out);

  /// One of abi/ElementTypes.def.
  struct ElementType {
    uint32_t number;
    StringRef spelling;
    uint64_t bytes;
  };
  /// The element type of `value`.  Reports an error if plans cannot hold that
  /// type, and sets `isBroken`.
  ElementType getElement(Value value);

  static Zrt<zrt_ref> getRef(BytesAttr bytes);
  Zrt<zrt_ref> getRef(Value value);
  /// The part of `value` that `op` uses; without a value, all zeros.
  Zrt<zrt_operand> getOperand(PlanOpInterface op, Value value);
  llvm::Constant *getOperands(PlanOpInterface op, ValueRange values);
  /// The index of the bucket in the plan's list.
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
