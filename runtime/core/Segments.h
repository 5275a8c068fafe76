//===- Segments.h - The members of a bucket in a rank's slice ---*- C++ -*-===//
//
// Slice s of N is elements [s, s + 1) x elements / N of a bucket.  A slice may
// begin and end inside a member, and may contain padding.
//
//   bucket    | member a   |..| member b          | member c |......|
//   slice               |<----------------------------->|
//   segments            [a ]  [b                  ][c   ]
//
// All functions depend only on the bucket, the slice and the number of slices,
// so every rank can compute the parts of the others.  RankGroups.h says which
// slice a rank has.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/plan/RankGroups.h"

#include <array>
#include <vector>

namespace zrt {

/// Elements [begin, end), counted from the start of the slice.
struct Segment {
  uint64_t begin, end;
  bool decays;
};

/// Elements of one member, and their place in its parameter.
struct MemberRun {
  Segment segment;
  uint64_t name;  ///< hash of the parameter's name
  uint64_t first; ///< index of the segment's first element in the parameter
};

/// Returns the parts of `bucket`'s members that lie in a slice, one segment per
/// member, in order.
std::vector<Segment> memberSegments(const zrt_bucket &bucket, uint32_t slice,
                                    uint32_t slices);

/// Returns the same segments with the parameters that they belong to.
std::vector<MemberRun> memberRuns(const zrt_bucket &bucket, uint32_t slice,
                                  uint32_t slices);

/// Joins adjacent segments that have the same decay.
std::vector<Segment> mergeSegments(const std::vector<Segment> &segments);

/// Cuts each segment, from its begin, into blocks of `size` elements.
std::vector<Segment> cutSegments(const std::vector<Segment> &segments,
                                 uint64_t size);

/// A bucket and the slice of it that one rank owns.  Segments of the bucket
/// count from its first element, those of the slice from the slice's first.
struct BucketPart {
  uint64_t elements = 0;        ///< of the bucket
  uint64_t first = 0;           ///< first element of the slice
  uint64_t firstInPart = 0;     ///< the same, counted in the member's part
  uint64_t slice = 0;           ///< elements of the slice
  std::vector<Segment> members; ///< of the bucket, merged
  std::vector<Segment> owned;   ///< of the slice, merged
  std::vector<Segment> inPart;  ///< of the member's part, merged
  std::vector<Segment> blocks;  ///< of the slice, for sums of squares
  std::vector<MemberRun> memberRuns, ownedRuns; ///< of bucket and slice

  /// Returns the first element that an operation works on, among those that an
  /// operand of this extent holds.
  uint64_t firstIn(uint32_t extent) const {
    return extent == ZRT_SLICE_OF_WHOLE  ? first
           : extent == ZRT_SLICE_OF_PART ? firstInPart
                                         : 0;
  }
};

/// Returns a bucket with one of `slices` slices, of which a part has `perPart`.
/// Squares are added up in `segments` equal segments of it.
BucketPart partOf(const zrt_bucket &bucket, uint32_t slice, uint32_t slices,
                  uint32_t perPart = 1, uint32_t segments = 1);
/// Returns a bucket with the slice of `rank`.
inline BucketPart partOf(const zrt_bucket &bucket, uint32_t rank,
                         const RankGroups &groups) {
  return partOf(bucket, groups.sliceOf(rank), groups.ranks, groups.groups,
                groups.segments);
}

/// The random bits that a stochastically rounding kernel gets for one member.
struct RoundingBits {
  std::array<uint32_t, 2> key;
  uint32_t shift; ///< added to an index in args, gives that in the parameter
};

/// Returns the bits for `run`, given `step`, the random bits of the step.  The
/// args begin where the run's segment counts from.
RoundingBits roundingBits(uint64_t step, const MemberRun &run);

} // namespace zrt
