//===- BucketWork.cpp - Updates and norms, member by member ---------------===//
#include "runtime/device/cpu/BucketWork.h"

#include "runtime/PlanTable.h"
#include "runtime/device/cpu/SumSquares.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Threads share an update in pieces of so many elements, counted from the
/// slice's start: a multiple of every vector, so that no piece begins inside
/// one.
constexpr uint64_t kPiece = 1024;

} // namespace

void zrt::updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                       std::vector<void *> &args, Team &team) {
  const bool sliced = isSliced(desc);
  const uint64_t elements = sliced ? bucket.slice : bucket.elements;
  const auto &segments = sliced ? bucket.owned : bucket.members;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (desc.args[i].extent == ZRT_SLICE_OF_WHOLE)
      args[i] = static_cast<std::byte *>(args[i]) +
                bucket.first * dtypeBytes(desc.args[i].dtype);

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

void zrt::sumSquaresOfBucket(const zrt_squares_desc &desc,
                             const BucketPart &bucket, const std::byte *grad,
                             double *partials, Team &team) {
  const auto &blocks = bucket.blocks;
  const zrt_dtype dtype = desc.grad.dtype;
  const uint64_t size = dtypeBytes(dtype);
  if (desc.grad.extent == ZRT_SLICE_OF_WHOLE)
    grad += bucket.first * size;
  team.parallelFor(static_cast<int64_t>(blocks.size()),
                   [&](int64_t first, int64_t last) {
                     for (int64_t i = first; i < last; ++i) {
                       const Segment &block = blocks[size_t(i)];
                       partials[i] = sumSquares(grad + block.begin * size,
                                                dtype, block.end - block.begin);
                     }
                   });
  const size_t room = elementsIn(desc.partials);
  std::fill_n(partials + blocks.size(), room - blocks.size(), 0.0);
}
