//===- Segments.cpp - The members of a bucket in a rank's slice -----------===//
#include "runtime/core/Segments.h"

#include "runtime/hash/Hash.h"
#include "runtime/numbers/Philox.h"
#include "runtime/plan/PlanTable.h"

#include <algorithm>

using namespace zrt;

std::vector<MemberRun> zrt::memberRuns(const zrt_bucket &bucket, uint32_t slice,
                                       uint32_t slices) {
  const uint64_t size = bucket.elements / slices;
  const uint64_t first = slice * size, last = first + size;
  std::vector<MemberRun> runs;
  for (const zrt_member &member : membersOf(bucket)) {
    const uint64_t begin = std::max(member.offset, first);
    const uint64_t end = std::min(member.offset + member.count, last);
    if (begin < end)
      runs.push_back({{begin - first, end - first, member.decays != 0},
                      Hash::of(member.name ? member.name : ""),
                      member.first + (begin - member.offset)});
  }
  return runs;
}

std::vector<Segment> zrt::memberSegments(const zrt_bucket &bucket,
                                         uint32_t slice, uint32_t slices) {
  std::vector<Segment> segments;
  for (const MemberRun &run : memberRuns(bucket, slice, slices))
    segments.push_back(run.segment);
  return segments;
}

std::vector<Segment> zrt::mergeSegments(const std::vector<Segment> &segments) {
  std::vector<Segment> merged;
  for (const Segment &segment : segments)
    if (!merged.empty() && merged.back().end == segment.begin &&
        merged.back().decays == segment.decays)
      merged.back().end = segment.end;
    else
      merged.push_back(segment);
  return merged;
}

std::vector<Segment> zrt::cutSegments(const std::vector<Segment> &segments,
                                      uint64_t size) {
  std::vector<Segment> blocks;
  for (const Segment &segment : segments)
    for (uint64_t begin = segment.begin; begin < segment.end; begin += size)
      blocks.push_back(
          {begin, std::min(begin + size, segment.end), segment.decays});
  return blocks;
}

/// The blocks of a slice of `segments` segments.  Each has as many as the one
/// of the bucket that has the most; those that it lacks are empty.
static std::vector<Segment> blocksOf(const zrt_bucket &bucket, uint32_t slice,
                                     uint32_t slices, uint32_t segments) {
  if (segments == 1)
    return cutSegments(memberSegments(bucket, slice, slices),
                       ZRT_SQUARES_BLOCK);
  const uint32_t all = slices * segments;
  const auto cut = [&](uint32_t number) {
    return cutSegments(memberSegments(bucket, number, all), ZRT_SQUARES_BLOCK);
  };
  size_t most = 1;
  for (uint32_t number = 0; number < all; ++number)
    most = std::max(most, cut(number).size());
  std::vector<Segment> blocks(most * segments);
  for (uint32_t i = 0; i < segments; ++i) {
    std::vector<Segment> mine = cut(slice * segments + i);
    for (size_t k = 0; k < mine.size(); ++k) {
      const uint64_t first = i * (bucket.elements / all);
      blocks[i * most + k] = {mine[k].begin + first, mine[k].end + first,
                              mine[k].decays};
    }
  }
  return blocks;
}

BucketPart zrt::partOf(const zrt_bucket &bucket, uint32_t slice,
                       uint32_t slices, uint32_t perPart, uint32_t segments) {
  const uint64_t size = bucket.elements / slices;
  const auto members = memberSegments(bucket, slice, slices);
  return {
      bucket.elements,
      slice * size,
      slice % perPart * size,
      size,
      mergeSegments(memberSegments(bucket, 0, 1)),
      mergeSegments(members),
      mergeSegments(memberSegments(bucket, slice / perPart, slices / perPart)),
      blocksOf(bucket, slice, slices, segments),
      memberRuns(bucket, 0, 1),
      memberRuns(bucket, slice, slices)};
}

RoundingBits zrt::roundingBits(uint64_t step, const MemberRun &run) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto bits = philox4x32(
      {low(step), low(step >> 32), low(run.name), low(run.name >> 32)}, {});
  return {{bits[0], bits[1]}, low(run.first - run.segment.begin)};
}
