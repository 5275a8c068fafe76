//===- BucketLayouts.h - Which bytes of a bucket are members, and whose ---===//
//
// What lies between members is padding, nobody's.  Rank r owns the r-th of
// equal parts of a bucket.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// Elements of `bucket` that `member` takes: bytes, where it is packed.
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
  /// The ranks of the plan: of its axis; 1 without one.
  int64_t getRanks() const { return ranks; }

  /// The bytes of a flat value of `type` that hold members of `bucket`, counted
  /// from where the value begins.  A shard is the slice of `rank`; of a value
  /// that is whole, `slice` asks for that of the rank's slice only.
  Spans membersIn(StringRef bucket, Type type, bool slice, int64_t rank) const;
  /// The bytes of the slice of `rank`, in a value that is whole.
  Span sliceOf(StringRef bucket, Type type, int64_t rank) const;

private:
  struct Bucket {
    int64_t elements, slice;
    Spans members; ///< in elements; neighbours are merged
  };
  const Bucket &get(StringRef name) const { return buckets.find(name)->second; }

  int64_t ranks = 1;
  llvm::StringMap<Bucket> buckets;
};

} // namespace mlir::zero::judge
