//===- BucketWork.h - Updates and norms, member by member -------*- C++ -*-===//
//
// The optimizer and the gradient norm walk over a bucket's members and leave
// its padding alone.  The team's size never changes a bit.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CPU_BUCKET_WORK_H
#define ZRT_DEVICE_CPU_BUCKET_WORK_H

#include "runtime/core/Segments.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/zrt.h"

#include <vector>

namespace zrt {

/// Executes a checked `desc`.  `args` are the addresses of its arguments; they
/// are changed.
void updateBucket(const zrt_update_desc &desc, const BucketPart &bucket,
                  std::vector<void *> &args, Team &team);

void sumSquaresOfBucket(const zrt_squares_desc &desc, const BucketPart &bucket,
                        const std::byte *grad, double *partials, Team &team);

} // namespace zrt

#endif // ZRT_DEVICE_CPU_BUCKET_WORK_H
