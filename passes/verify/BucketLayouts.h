//===- BucketLayouts.h - Bytes of parameters and ranks in a bucket --------===//
//
// Bytes between a bucket's members are padding and belong to no parameter.
//
// Of `ranks` ranks in groups of `group`, rank r is member r mod group of group
// r / group.  A bucket is cut into an equal part for each member of a group,
// and each part into a slice for each group; these are two groups of two:
//
//   parts     |     member 0    |     member 1    |
//   slices    | rank 0 | rank 2 | rank 1 | rank 3 |
//
// Without groups all ranks are one group, and slice r is that of rank r.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// The number of elements of `bucket` that `member` takes; these are bytes if
/// the bucket is packed.
int64_t sizeOfMember(BucketOp bucket, MemberAttr member);

/// How much of a bucket: the rank's slice, its part, or all.
enum class Portion { Slice, Part, Whole };

/// What a flat value of `type` has room for.
Portion portionOf(Type type);

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

  /// The number of ranks of a group: all, if there are no groups.
  int64_t getGroupSize() const { return group; }
  int64_t countGroups() const { return ranks / group; }

  /// The bytes of a flat value of `type` that hold members of `bucket`,
  /// relative to the start of the value, and only those in the `portion` of
  /// `rank`.  A shard has room for a slice or a part of `rank`.
  Spans membersIn(StringRef bucket, Type type, Portion portion,
                  int64_t rank) const;
  /// The bytes of the `portion` of `rank` in a value of `type` that has room
  /// for it.
  Span portionIn(StringRef bucket, Type type, Portion portion,
                 int64_t rank) const;

private:
  struct Bucket {
    int64_t elements;
    Spans members; ///< in elements; adjacent members are merged
  };
  const Bucket &get(StringRef name) const { return buckets.find(name)->second; }
  /// The elements of `bucket` in the `portion` of `rank`.
  Span elementsOf(const Bucket &bucket, Portion portion, int64_t rank) const;

  int64_t ranks = 1, group = 1;
  llvm::StringMap<Bucket> buckets;
};

} // namespace mlir::zero::judge
