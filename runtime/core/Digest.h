//===- Digest.h - Checksums of the buckets of a step ------------*- C++ -*-===//
//
// Adds up checksums of what a step reads, computes and writes, where it does
// so: of a gradient before it is added to another one, and of the operands of
// an update, a few elements at a time while they are in the cache.  Padding
// does not count, so the sums do not depend on the number of ranks.
//
// For tests, ZRT_FLIP=STEP:RANK:WHAT:BUCKET:ELEMENT:BIT flips a bit just before
// it is added: in the step of this number of this run, from 0, on this rank, of
// what is "read", "computed", "reduced" or "written" of the bucket of this
// number.  Bits count on from an operand's element to the next operand's: from
// the master, or the parameter without one, to the slots.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Segments.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zrt {

class Digest {
public:
  /// See zrt_take_digest for `ranks`.  Throws zrt::Error if the plan has no
  /// digests of so many.
  Digest(const zrt_plan &plan, uint32_t rank, uint32_t ranks);

  /// Stream thread: called once for a gradient of a micro-step, before its
  /// elements are added; returns the rank that has it in a run of `ranks`.
  uint32_t beginGradient(uint32_t bucket);
  /// Any thread: adds elements [begin, end) of a bucket's gradient; `values` is
  /// the address of the bucket's first.
  void addGradient(uint32_t bucket, uint32_t rank, std::byte *values,
                   zrt_dtype dtype, uint64_t begin, uint64_t end);
  /// Any thread, before and after an update of elements [begin, end) counted
  /// from element `first` of the bucket, which `args` point to.
  void addRead(const zrt_update_desc &desc, void *const *args, uint64_t first,
               uint64_t begin, uint64_t end);
  void addWritten(const zrt_update_desc &desc, void *const *args,
                  uint64_t first, uint64_t begin, uint64_t end);

  /// Host thread, between programs: see zrt_take_digest.
  void take(uint64_t *out);

private:
  struct Flip {
    uint32_t what, bucket;
    uint64_t step, element, bit;
  };
  /// The operands of one kind, of which `operand` is a number.
  struct Values {
    uint32_t what, bucket, operand;
    std::byte *first; ///< where the bucket's first element would be
    zrt_dtype dtype;
  };

  void readFlip();
  void flipIn(const Flip &place, const Values &values, uint64_t begin,
              uint64_t end);
  void add(const Values &values, uint64_t begin, uint64_t end,
           std::optional<uint32_t> rank = std::nullopt);
  std::atomic<uint64_t> &sumOf(const Values &values, uint64_t number) {
    return sums[(uint64_t{values.bucket} * ZRT_DIGEST_COUNT + values.what) *
                    ranks +
                number];
  }

  const uint32_t rank, worldSize, ranks;
  std::vector<BucketPart> buckets;
  std::vector<uint32_t> gradients; ///< begun in this step, by bucket
  std::vector<std::atomic<uint64_t>> sums;
  uint64_t steps = 0; ///< taken
  std::optional<Flip> flip;
  std::atomic<bool> hasFlipped = false;
};

} // namespace zrt
