//===- BucketWork.cpp - Updates and norms of buckets ----------------------===//
#include "runtime/device/cpu/BucketWork.h"

#include "runtime/device/cpu/SumSquares.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/NumberBlocks.h"
#include "runtime/numbers/Philox.h"
#include "runtime/plan/PlanTable.h"

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
      RoundingBits bits = roundingBits(step, each);
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

//===----------------------------------------------------------------------===//
// Narrow elements
//===----------------------------------------------------------------------===//

/// Reads the numbers from `first` on of a bucket that are in `segments`; others
/// are zeros.
static void readNumbers(const std::byte *source, zrt_dtype dtype,
                        const std::vector<Segment> &segments, uint64_t first,
                        float *numbers) {
  std::fill_n(numbers, kNumbers, 0.0f);
  auto segment =
      std::partition_point(segments.begin(), segments.end(),
                           [&](const Segment &s) { return s.end <= first; });
  for (; segment != segments.end() && segment->begin < first + kNumbers;
       ++segment) {
    const uint64_t begin = std::max(segment->begin, first),
                   end = std::min(segment->end, first + kNumbers);
    widen(source + begin * dtypeBytes(dtype), dtype, end - begin,
          numbers + (begin - first));
  }
}

/// Calls `each(first, count)` for every kNumbers of `all` numbers, at the end
/// for fewer, on all threads.
template <typename Each>
static void forBlocks(uint64_t all, Team &team, Each each) {
  // A thread takes this many at once.
  constexpr uint64_t kShare = 16 * kNumbers;
  team.parallelFor(static_cast<int64_t>((all + kShare - 1) / kShare),
                   [&](int64_t from, int64_t to) {
                     const uint64_t end = std::min(all, uint64_t(to) * kShare);
                     for (uint64_t i = uint64_t(from) * kShare; i < end;
                          i += kNumbers)
                       each(i, std::min<uint64_t>(kNumbers, end - i));
                   });
}

void zrt::quantizeBucket(const zrt_quantize_desc &desc,
                         const BucketPart &bucket, const std::byte *source,
                         std::byte *result, Team &team) {
  const auto &segments = isSlice(desc.source.extent)  ? bucket.owned
                         : isPart(desc.source.extent) ? bucket.inPart
                                                      : bucket.members;
  const zrt_dtype to = desc.result.dtype;
  forBlocks(elementsIn(desc.source), team, [&](uint64_t first, uint64_t count) {
    alignas(64) float numbers[kNumbers];
    readNumbers(source, desc.source.dtype, segments, first, numbers);
    std::byte *place = result + first / numbersIn(to) * dtypeBytes(to);
    isBlock(to) ? quantizeBlocks(numbers, 1, to, place)
                : narrow(numbers, count, to, place);
  });
}

void zrt::dequantizeBucket(const zrt_dequantize_desc &desc,
                           const std::byte *source, std::byte *result,
                           Team &team) {
  const zrt_dtype from = desc.source.dtype, to = desc.result.dtype;
  forBlocks(elementsIn(desc.result), team, [&](uint64_t first, uint64_t count) {
    alignas(64) float numbers[kNumbers];
    const std::byte *place =
        source + first / numbersIn(from) * dtypeBytes(from);
    isBlock(from) ? dequantizeBlocks(place, from, 1, numbers)
                  : widen(place, from, count, numbers);
    narrow(numbers, count, to, result + first * dtypeBytes(to));
  });
}
