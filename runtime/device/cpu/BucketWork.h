//===- BucketWork.h - Updates and norms of buckets --------------*- C++ -*-===//
//
// The optimizer and the gradient norm process a bucket member by member and
// skip its padding.  The result does not depend on the team's size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Segments.h"
#include "runtime/device/cpu/Team.h"

#include <array>
#include <vector>

namespace zrt {

/// The random bits that a stochastically rounding kernel gets for one member.
struct RoundingBits {
  std::array<uint32_t, 2> key;
  uint32_t shift; ///< added to an index in args, gives that in the parameter
};

/// Returns the bits for `run`, given `step`, the random bits of the step.  The
/// args begin at element `first`, counted like the run's segment.
RoundingBits roundingBits(uint64_t step, const MemberRun &run, uint64_t first);

/// Executes a checked `desc`.  `args` are the addresses of its arguments; the
/// call changes them.
void updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                  std::vector<void *> &args, Team &team);

void sumSquaresOfBucket(const zrt_squares_desc &desc, const BucketPart &bucket,
                        const std::byte *grad, double *partials, Team &team);

} // namespace zrt
