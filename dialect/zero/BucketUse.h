//===- BucketUse.h - Checks of operations on buckets ----------------------===//
//
// Helpers of verifiers: the bucket that an operation names, and whether a value
// is all of it or a rank's slice.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <string>

namespace mlir::zero::detail {

/// The symbol that `name` refers to, or an error at `op`.
template <typename OpT>
OpT lookup(Operation *op, FlatSymbolRefAttr name,
           SymbolTableCollection &tables) {
  auto found = tables.lookupNearestSymbolFrom<OpT>(op, name);
  if (!found)
    op->emitOpError("refers to ")
        << name << ", which is no " << OpT::getOperationName()
        << " of this module";
  return found;
}

/// Elements of a flat value that covers a whole bucket, or -1.
inline int64_t flatElements(Type type, bool allowSlices) {
  if (auto shard = dyn_cast<ShardType>(type))
    return allowSlices || shard.getRanks() == 1 ? shard.getElements() : -1;
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() == 1 ? tensor.getDimSize(0) : -1;
}

/// Whether `type` is the part of a bucket that a member of each group has.
inline bool isPart(Type type) {
  auto shard = dyn_cast<ShardType>(type);
  return shard && shard.isPart();
}

/// Whether `type` is the slice of a bucket that only one rank has.
inline bool isSlice(Type type) {
  auto shard = dyn_cast<ShardType>(type);
  return shard && shard.getRanks() > 1 && !shard.isPart();
}

/// Whether `type` is all of its bucket.
inline bool isWhole(Type type) { return !isPart(type) && !isSlice(type); }

/// The bucket that an operation names, with checks of the operation's values.
struct BucketUse {
  BucketUse(Operation *op, FlatSymbolRefAttr name,
            SymbolTableCollection &tables)
      : bucket(lookup<BucketOp>(op, name, tables)) {
    if (auto axis = bucket ? lookup<AxisOp>(op, bucket.getAxisAttr(), tables)
                           : AxisOp()) {
      ranks = axis.getSize();
      group = axis.getGroupSize();
    }
  }
  explicit operator bool() const { return ranks > 0; }
  int64_t elements() { return bucket.getElements(); }
  bool isWhole(Value value) {
    return hasAll(value.getType(),
                  flatElements(value.getType(), /*allowSlices=*/false));
  }
  bool isSlice(Value value) {
    auto shard = dyn_cast<ShardType>(value.getType());
    return shard && hasAll(shard, shard.getElements()) &&
           shard.getRanks() == ranks && !shard.isPart();
  }
  bool isPart(Value value) {
    auto shard = dyn_cast<ShardType>(value.getType());
    return shard && hasAll(shard, shard.getElements()) &&
           shard.getRanks() == group && shard.getOf() == ranks;
  }
  /// Whether `value` is all of the bucket, a slice or a part.
  bool isAny(Value value) {
    return isWhole(value) || isSlice(value) || isPart(value);
  }
  /// Whether `count` elements of `type` are all numbers of the bucket.
  bool hasAll(Type type, int64_t count) {
    return count * getNumbersPerElement(type) == elements();
  }
  bool hasGroups() const { return group < ranks; }
  std::string either() {
    return "the " + std::to_string(elements()) + " elements of @" +
           bucket.getSymName().str() + ", or their shard by " +
           std::to_string(ranks) +
           (hasGroups() ? " or by " + std::to_string(group) + " of " +
                              std::to_string(ranks)
                        : "");
  }

  BucketOp bucket;
  int64_t ranks = 0, group = 0;
};

} // namespace mlir::zero::detail
