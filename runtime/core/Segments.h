//===- Segments.h - Members of a bucket inside a slice ----------*- C++ -*-===//
//
// Rank r of N owns elements [r, r + 1) x elements / N of every bucket.  Members
// do not care: a slice begins and ends inside them, and padding lies between.
//
//   bucket    | member a   |..| member b          | member c |......|
//   slice               |<----------------------------->|
//   segments            [a ]  [b                  ][c   ]
//
// Everything here is a function of bucket, rank and number of ranks alone, so
// every rank can tell what another one works on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <vector>

namespace zrt {

/// Elements [begin, end), counted from the slice's first.
struct Segment {
  uint64_t begin, end;
  bool decays;
};

/// Elements of one member, and where they are in its parameter.
struct MemberRun {
  Segment segment;
  uint64_t name;  ///< the hash of the parameter's
  uint64_t first; ///< place of the segment's first element in the parameter
};

/// The parts of `bucket`'s members that lie in the slice of `rank`, one each,
/// in order.
std::vector<Segment> memberSegments(const zrt_bucket &bucket, uint32_t rank,
                                    uint32_t ranks);

/// The same with what they are of.
std::vector<MemberRun> memberRuns(const zrt_bucket &bucket, uint32_t rank,
                                  uint32_t ranks);

/// `segments` with those joined that touch and have the same decay.
std::vector<Segment> mergeSegments(const std::vector<Segment> &segments);

/// `segments` cut into blocks of `size` elements, each segment from its begin.
std::vector<Segment> cutSegments(const std::vector<Segment> &segments,
                                 uint64_t size);

/// A bucket, and what of it one rank owns.  Segments of the bucket count from
/// its first element, those of the slice from the slice's.
struct BucketPart {
  uint64_t elements = 0;        ///< of the bucket
  uint64_t first = 0;           ///< element that the slice begins with
  uint64_t slice = 0;           ///< elements of the slice
  std::vector<Segment> members; ///< of the bucket, merged
  std::vector<Segment> owned;   ///< of the slice, merged
  std::vector<Segment> blocks;  ///< of the slice, for sums of squares
  std::vector<MemberRun> memberRuns, ownedRuns; ///< of bucket and slice
};

/// The part of `rank` of `ranks`.
BucketPart partOf(const zrt_bucket &bucket, uint32_t rank, uint32_t ranks);

} // namespace zrt
