//===- BucketWork.h - Updates and norms, member by member -------*- C++ -*-===//
//
// The optimizer and the gradient norm walk over a bucket's members and leave
// its padding alone.  The team's size never changes a bit.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Segments.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/zrt.h"

#include <array>
#include <vector>

namespace zrt {

/// What a kernel that rounds by chance gets, for elements of one member.
struct RoundingBits {
  std::array<uint32_t, 2> key;
  uint32_t shift; ///< from a place in args to that in the parameter
};

/// Those of `run`, where `step` are the random bits of the step, for args that
/// begin with element `first` of what the run's segment counts from.
RoundingBits roundingBits(uint64_t step, const MemberRun &run, uint64_t first);

/// Executes a checked `desc`.  `args` are the addresses of its arguments; they
/// are changed.
void updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                  std::vector<void *> &args, Team &team);

void sumSquaresOfBucket(const zrt_squares_desc &desc, const BucketPart &bucket,
                        const std::byte *grad, double *partials, Team &team);

} // namespace zrt
