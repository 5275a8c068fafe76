//===- BucketWork.cpp - Updates and norms of buckets ----------------------===//
#include "runtime/device/cpu/BucketWork.h"

#include "runtime/Philox.h"
#include "runtime/PlanTable.h"
#include "runtime/device/cpu/SumSquares.h"

#include <algorithm>
#include <cstring>

using namespace zrt;

namespace {

/// Threads share an update in pieces of this many elements, counted from the
/// start of the slice.  It is a multiple of every vector size, so that no piece
/// begins inside a vector.
constexpr uint64_t kPiece = 1024;
/// With a digest, elements are updated while they are in the cache.
constexpr uint64_t kDigested = 16 * kPiece;

/// Calls `update(from, to)` for shares of the elements, on all threads.
template <typename Update>
void forPieces(uint64_t elements, Team &team, Update update) {
  team.parallelFor(static_cast<int64_t>((elements + kPiece - 1) / kPiece),
                   [&](int64_t first, int64_t last) {
                     update(uint64_t(first) * kPiece, uint64_t(last) * kPiece);
                   });
}

/// Updates the part of `segment` that lies in [from, to).
void run(const zrt_update_desc &desc, const Segment &segment, uint64_t from,
         uint64_t to, void *const *args) {
  const auto begin = std::max(segment.begin, from);
  const auto end = std::min(segment.end, to);
  if (begin < end)
    (segment.decays ? desc.decayed : desc.plain)(args, int64_t(begin),
                                                 int64_t(end));
}

} // namespace

void zrt::updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                       std::vector<void *> &args, Team &team, Digest *digest) {
  const bool sliced = isSliced(desc);
  const uint64_t elements = sliced ? bucket.slice : bucket.elements;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] =
        static_cast<std::byte *>(args[i]) +
        bucket.firstIn(desc.args[i].extent) * dtypeBytes(desc.args[i].dtype);

  const auto share = [&](auto update) {
    if (!digest)
      return forPieces(elements, team, update);
    const uint64_t first = sliced ? bucket.first : 0;
    forPieces(elements, team, [&](uint64_t from, uint64_t to) {
      for (to = std::min(to, elements); from < to; from += kDigested) {
        const uint64_t end = std::min(from + kDigested, to);
        digest->addRead(desc, args.data(), first, from, end);
        update(from, end);
        digest->addWritten(desc, args.data(), first, from, end);
      }
    });
  };
  if (desc.rounding == 0) {
    const auto &segments = sliced ? bucket.owned : bucket.members;
    return share([&](uint64_t from, uint64_t to) {
      for (const Segment &segment : segments)
        run(desc, segment, from, to, args.data());
    });
  }
  uint64_t step;
  std::memcpy(&step, args[desc.rounding], sizeof(step));
  const auto &runs = sliced ? bucket.ownedRuns : bucket.memberRuns;
  share([&](uint64_t from, uint64_t to) {
    std::vector<void *> mine(args);
    for (const MemberRun &each : runs) {
      RoundingBits bits = roundingBits(step, each, /*first=*/0);
      mine[desc.rounding] = &bits;
      run(desc, each.segment, from, to, mine.data());
    }
  });
}

void zrt::sumSquaresOfBucket(const zrt_squares_desc &desc,
                             const BucketPart &bucket, const std::byte *grad,
                             double *partials, Team &team) {
  const auto &blocks = bucket.blocks;
  const zrt_dtype dtype = desc.grad.dtype;
  const uint64_t size = dtypeBytes(dtype);
  grad += bucket.firstIn(desc.grad.extent) * size;
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
