//===- EntryChecks.h - Operations that a device can run ---------*- C++ -*-===//
//
// An operation is checked when it is enqueued, by the host, so that devices
// need not look again.  (What concerns other ranks the transport checks; events
// the event table.)
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_ENTRY_CHECKS_H
#define ZRT_CORE_ENTRY_CHECKS_H

#include "runtime/core/Entry.h"
#include "runtime/core/Segments.h"

#include <vector>

namespace zrt {

/// Throws unless sizes are sane and every ref holds its matrices.
void checkMatmul(const zrt_matmul_desc &desc);

class EntryChecks {
public:
  /// Of `rank`; `plan`, which has passed checkPlan, outlives this.
  EntryChecks(const zrt_plan &plan, uint32_t rank);

  /// Throws unless sizes, refs and kernels of `entry` fit each other and the
  /// plan.
  void check(const Entry &entry) const;

  /// What this rank owns of a bucket.
  const BucketPart &bucket(uint32_t number) const { return buckets[number]; }

private:
  void check(const zrt_launch_desc &desc) const;
  void check(const zrt_matmul_desc &desc) const;
  void check(const zrt_update_desc &desc) const;
  void check(const zrt_squares_desc &desc) const;
  void check(const zrt_collective_desc &desc) const;
  void checkCopy(const zrt_ref &from, const zrt_ref &to) const;

  const zrt_plan &plan;
  const uint32_t rank;
  std::vector<BucketPart> buckets;
};

} // namespace zrt

#endif // ZRT_CORE_ENTRY_CHECKS_H
