//===- BucketWork.h - Work on the elements of buckets -----------*- C++ -*-===//
//
// Updates, norms and quantization process a bucket member by member and skip
// its padding.  The result does not depend on the team's size.
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

/// Narrow elements of a bucket, a slice or a part, and what they stand for.
/// `source` and `result` are the addresses of both.
void quantizeBucket(const zrt_quantize_desc &desc, const BucketPart &bucket,
                    const std::byte *source, std::byte *result, Team &team);
void dequantizeBucket(const zrt_dequantize_desc &desc, const std::byte *source,
                      std::byte *result, Team &team);

} // namespace zrt
