//===- BucketLayouts.h - Bytes of members and rank slices in a bucket -----===//
//
// Bytes between members are padding and belong to no parameter.  A bucket is
// cut into equal slices; rank r owns slice r.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// The number of elements of `bucket` that `member` takes; these are bytes if
/// the bucket is packed.
int64_t sizeOfMember(BucketOp bucket, MemberAttr member);

/// [begin, end)
struct Span {
  int64_t begin, end;
};
using Spans = SmallVector<Span, 1>;

class BucketLayouts {
public:
  explicit BucketLayouts(ModuleOp module);

  bool contains(StringRef bucket) const { return buckets.contains(bucket); }
  /// The number of ranks: the size of the plan's axis, 1 without an axis.
  int64_t getRanks() const { return ranks; }

  /// The bytes of a flat value of `type` that hold members of `bucket`,
  /// relative to the start of the value.  A shard is the slice of `rank`; in a
  /// whole value, `slice` selects only the rank's slice.
  Spans membersIn(StringRef bucket, Type type, bool slice, int64_t rank) const;
  /// The bytes of `rank`'s slice in a whole value of `type`.
  Span sliceOf(StringRef bucket, Type type, int64_t rank) const;

private:
  struct Bucket {
    int64_t elements, slice;
    Spans members; ///< in elements; adjacent members are merged
  };
  const Bucket &get(StringRef name) const { return buckets.find(name)->second; }

  int64_t ranks = 1;
  llvm::StringMap<Bucket> buckets;
};

} // namespace mlir::zero::judge
