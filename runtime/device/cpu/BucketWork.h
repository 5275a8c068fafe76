//===- BucketWork.h - Updates and norms of buckets --------------*- C++ -*-===//
//
// The optimizer and the gradient norm process a bucket member by member and
// skip its padding.  The result does not depend on the team's size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Digest.h"
#include "runtime/core/Segments.h"
#include "runtime/device/cpu/Team.h"

#include <vector>

namespace zrt {

/// Executes a checked `desc`.  `args` are the addresses of its arguments; the
/// call changes them.  Adds them to `digest` unless it is nullptr.
void updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                  std::vector<void *> &args, Team &team, Digest *digest);

void sumSquaresOfBucket(const zrt_squares_desc &desc, const BucketPart &bucket,
                        const std::byte *grad, double *partials, Team &team);

} // namespace zrt
