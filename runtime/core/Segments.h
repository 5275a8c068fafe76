//===- Segments.h - The members of a bucket in a rank's slice ---*- C++ -*-===//
//
// Rank r of N owns elements [r, r + 1) x elements / N of every bucket.  A slice
// may begin and end inside a member, and may contain padding.
//
//   bucket    | member a   |..| member b          | member c |......|
//   slice               |<----------------------------->|
//   segments            [a ]  [b                  ][c   ]
//
// All functions depend only on the bucket, the rank and the number of ranks, so
// every rank can compute the parts of the others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

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

/// Returns the parts of `bucket`'s members that lie in the slice of `rank`, one
/// segment per member, in order.
std::vector<Segment> memberSegments(const zrt_bucket &bucket, uint32_t rank,
                                    uint32_t ranks);

/// Returns the same segments with the parameters that they belong to.
std::vector<MemberRun> memberRuns(const zrt_bucket &bucket, uint32_t rank,
                                  uint32_t ranks);

/// Joins adjacent segments that have the same decay.
std::vector<Segment> mergeSegments(const std::vector<Segment> &segments);

/// Cuts each segment, from its begin, into blocks of `size` elements.
std::vector<Segment> cutSegments(const std::vector<Segment> &segments,
                                 uint64_t size);

/// A bucket and the part of it that one rank owns.  Segments of the bucket
/// count from its first element, those of the slice from the slice's first.
struct BucketPart {
  uint64_t elements = 0;        ///< of the bucket
  uint64_t first = 0;           ///< first element of the slice
  uint64_t slice = 0;           ///< elements of the slice
  std::vector<Segment> members; ///< of the bucket, merged
  std::vector<Segment> owned;   ///< of the slice, merged
  std::vector<Segment> blocks;  ///< of the slice, for sums of squares
  std::vector<MemberRun> memberRuns, ownedRuns; ///< of bucket and slice
};

/// Returns the part of `rank` of `ranks`.
BucketPart partOf(const zrt_bucket &bucket, uint32_t rank, uint32_t ranks);

/// The random bits that a stochastically rounding kernel gets for one member.
struct RoundingBits {
  std::array<uint32_t, 2> key;
  uint32_t shift; ///< added to an index in args, gives that in the parameter
};

/// Returns the bits for `run`, given `step`, the random bits of the step.  The
/// args begin at element `first`, counted like the run's segment.
RoundingBits roundingBits(uint64_t step, const MemberRun &run, uint64_t first);

} // namespace zrt
