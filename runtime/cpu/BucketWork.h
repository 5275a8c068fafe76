//===- BucketWork.h - Updates and norms, member by member -------*- C++ -*-===//
//
// The optimizer and the gradient norm walk over a bucket's members and leave
// its padding alone.  Which elements those are is worked out once, at start.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CPU_BUCKET_WORK_H
#define ZRT_CPU_BUCKET_WORK_H

#include "runtime/cpu/Segments.h"
#include "runtime/cpu/Team.h"
#include "runtime/zrt.h"

#include <vector>

namespace zrt {

class BucketWork {
public:
  /// `plan` outlives this.
  BucketWork(const zrt_plan &plan, uint32_t rank);

  /// Throw unless the descriptor fits its bucket.
  void check(const zrt_update_desc &desc) const;
  void check(const zrt_squares_desc &desc) const;

  /// Executes a checked `desc`; the team's size never changes a bit.  `args`
  /// are the addresses of its arguments; they are changed.
  void update(const zrt_update_desc &desc, std::vector<void *> &args,
              Team &team) const;
  void sumSquares(const zrt_squares_desc &desc, const float *grad,
                  double *partials, Team &team) const;

private:
  struct Bucket {
    uint64_t elements, slice;     ///< of the whole and of a rank
    std::vector<Segment> members; ///< of the whole, merged
    std::vector<Segment> owned;   ///< of the slice, merged
    std::vector<Segment> blocks;  ///< of the slice, for sums of squares
  };

  const uint32_t rank;
  std::vector<Bucket> buckets;
};

} // namespace zrt

#endif // ZRT_CPU_BUCKET_WORK_H
