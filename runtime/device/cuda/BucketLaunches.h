//===- BucketLaunches.h - Launches updates and norms ------------*- C++ -*-===//
//
// The optimizer and the gradient norm have one launch for each bucket, which
// reads its blocks from a table on the GPU (ZrtStructs.def).  A block is a part
// of a run of elements: for updates those with the same decay, or those of one
// member, and for norms those of one member.
//
// If an update rounds stochastically, its kernel reads three numbers for each
// run from another table.  They depend on the step's random bits, an input
// of the plan that no program changes, so the table is written before each
// program.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Segments.h"
#include "runtime/device/cuda/driver/Kernels.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace zrt::cuda {

class BucketLaunches {
public:
  /// `rank` is that of this process.
  BucketLaunches(const Gpu &gpu, const Kernels &kernels, const zrt_plan &plan,
                 int rank);

  /// Throw unless the kernels exist and random bits are an input of the plan.
  void check(const zrt_update_desc &desc) const;
  void check(const zrt_squares_desc &desc) const;

  /// Host thread, before a program: writes the table.  `read` returns the value
  /// of an i64.
  void prepare(const std::function<uint64_t(const zrt_ref &)> &read);
  /// Issue launches; `args` are the addresses of the arguments.
  void update(CUstream stream, const zrt_update_desc &desc,
              const BucketPart &bucket, std::vector<uint64_t> args) const;
  void sumSquares(CUstream stream, const zrt_squares_desc &desc,
                  const BucketPart &bucket, CUdeviceptr grad,
                  CUdeviceptr partials) const;

private:
  /// A launch's blocks in their table.
  struct Blocks {
    uint64_t offset; ///< in bytes
    int64_t count;
  };
  const Gpu &gpu;
  const Kernels &kernels;
  const zrt_plan &plan;
  std::vector<BucketPart> parts;
  /// The first table entry of each update that rounds stochastically.
  std::map<const zrt_update_desc *, size_t> firstBits;
  std::vector<RoundingBits> bits; ///< contents of their table
  /// By the descriptors of updates and sums of squares.
  std::map<const void *, Blocks> blocks;
  /// There if they have entries.
  std::unique_ptr<GpuMemory> tableOfBits, tableOfBlocks;
};

} // namespace zrt::cuda
