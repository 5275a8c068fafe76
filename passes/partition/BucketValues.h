//===- BucketValues.h - Types of a bucket's values ------------------------===//
#ifndef PASSES_PARTITION_BUCKETVALUES_H
#define PASSES_PARTITION_BUCKETVALUES_H

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// The type of a result of `op`, an operation on a bucket, when the bucket
/// becomes one of `members` and `elements`.
inline Type retypeFor(Operation *op, Type type, ArrayRef<MemberAttr> members,
                      int64_t elements, int64_t ranks) {
  if (isa<SumSquaresOp>(op))
    return RankedTensorType::get(
        {SumSquaresOp::getNumBlocks(members, elements, ranks)},
        getElementType(type));
  if (auto shard = dyn_cast<ShardType>(type))
    return ShardType::get(type.getContext(), elements, shard.getElementType(),
                          shard.getRanks());
  return RankedTensorType::get({elements}, getElementType(type));
}

/// The same for state.
inline ShardType retypeState(Type type, int64_t elements) {
  auto shard = cast<ShardType>(type);
  return ShardType::get(type.getContext(), elements, shard.getElementType(),
                        shard.getRanks());
}

} // namespace mlir::zero

#endif // PASSES_PARTITION_BUCKETVALUES_H
