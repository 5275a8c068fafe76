//===- BucketWork.cpp - Updates and norms, member by member ---------------===//
#include "runtime/cpu/BucketWork.h"

#include "runtime/Error.h"
#include "runtime/cpu/SumSquares.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Threads share an update in pieces of so many elements, counted from the
/// slice's start: a multiple of every vector, so that no piece begins inside
/// one.
constexpr uint64_t kPiece = 1024;

constexpr uint64_t kScalarBytes = 4;

const char *nameOf(const char *name, const char *otherwise) {
  return name ? name : otherwise;
}

} // namespace

BucketWork::BucketWork(const zrt_plan &plan, uint32_t rank) : rank(rank) {
  for (uint32_t i = 0; i < plan.bucket_count; ++i) {
    const zrt_bucket &bucket = plan.buckets[i];
    const auto members = memberSegments(bucket, rank, plan.world_size);
    buckets.push_back({bucket.elements, bucket.elements / plan.world_size,
                       mergeSegments(memberSegments(bucket, 0, 1)),
                       mergeSegments(members),
                       cutSegments(members, ZRT_SQUARES_BLOCK)});
  }
}

void BucketWork::check(const zrt_update_desc &desc) const {
  const char *name = nameOf(desc.name, "update");
  if (desc.bucket >= buckets.size())
    fail("{}: bucket {} does not exist, the plan has {}", name, desc.bucket,
         buckets.size());
  const Bucket &bucket = buckets[desc.bucket];
  for (const Segment &segment : bucket.members)
    if (!(segment.decays ? desc.decayed : desc.plain))
      fail("{}: it has no kernel for members {} decay", name,
           segment.decays ? "with" : "without");
  const uint64_t whole = bucket.elements * 4, slice = bucket.slice * 4;
  for (uint32_t i = 0; i < desc.arg_count; ++i) {
    const uint64_t bytes = desc.args[i].bytes;
    if (bytes != kScalarBytes && bytes != whole &&
        !(desc.sliced && bytes == slice))
      fail("{}: argument {} has {} bytes, expected {} (a scalar), {} (the "
           "bucket){}",
           name, i, bytes, kScalarBytes, whole,
           desc.sliced ? fmt::format(" or {} (the rank's slice)", slice) : "");
  }
}

void BucketWork::check(const zrt_squares_desc &desc) const {
  const char *name = nameOf(desc.name, "sum_squares");
  if (desc.bucket >= buckets.size())
    fail("{}: bucket {} does not exist, the plan has {}", name, desc.bucket,
         buckets.size());
  const Bucket &bucket = buckets[desc.bucket];
  const uint64_t whole = bucket.elements * 4, slice = bucket.slice * 4;
  if (desc.grad.bytes != whole && desc.grad.bytes != slice)
    fail("{}: its gradient has {} bytes, expected {} or {}", name,
         desc.grad.bytes, slice, whole);
  if (desc.partials.bytes / sizeof(double) < bucket.blocks.size())
    fail("{}: {} bytes hold fewer than the {} partial sums of rank {}", name,
         desc.partials.bytes, bucket.blocks.size(), rank);
}

void BucketWork::update(const zrt_update_desc &desc, std::vector<void *> &args,
                        Team &team) const {
  const Bucket &bucket = buckets[desc.bucket];
  const uint64_t elements = desc.sliced ? bucket.slice : bucket.elements;
  const auto &segments = desc.sliced ? bucket.owned : bucket.members;
  if (desc.sliced)
    for (uint32_t i = 0; i < desc.arg_count; ++i)
      if (desc.args[i].bytes == bucket.elements * 4)
        args[i] = static_cast<float *>(args[i]) + rank * bucket.slice;

  team.parallelFor(static_cast<int64_t>((elements + kPiece - 1) / kPiece),
                   [&](int64_t first, int64_t last) {
                     const uint64_t from = uint64_t(first) * kPiece;
                     const uint64_t to = uint64_t(last) * kPiece;
                     for (const Segment &segment : segments) {
                       const auto begin = std::max(segment.begin, from);
                       const auto end = std::min(segment.end, to);
                       if (begin < end)
                         (segment.decays ? desc.decayed : desc.plain)(
                             args.data(), int64_t(begin), int64_t(end));
                     }
                   });
}

void BucketWork::sumSquares(const zrt_squares_desc &desc, const float *grad,
                            double *partials, Team &team) const {
  const Bucket &bucket = buckets[desc.bucket];
  const auto &blocks = bucket.blocks;
  if (desc.grad.bytes == bucket.elements * 4)
    grad += rank * bucket.slice;
  team.parallelFor(
      static_cast<int64_t>(blocks.size()), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const Segment &block = blocks[size_t(i)];
          partials[i] =
              zrt::sumSquares(grad + block.begin, block.end - block.begin);
        }
      });
  const size_t room = desc.partials.bytes / sizeof(double);
  std::fill_n(partials + blocks.size(), room - blocks.size(), 0.0);
}
