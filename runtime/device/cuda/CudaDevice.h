//===- CudaDevice.h - Runs plans on a GPU -----------------------*- C++ -*-===//
//
// The device tier is on a GPU.  A CpuDevice has the host and nvme tiers, and
// runs the streams of class host and of the links to nvme.  Every other stream
// is a CUDA stream, to which its thread issues work:
//
//   stream of the plan    thread                  CUDA stream
//   compute               launch, multiply ...    a queue
//   h2d, d2h              copy                    a queue
//   gather, reduce        copies down, exchanges, copies up
//   host, nvme_*          works                   none
//
// A record puts a CUDA event into its stream.  Other CUDA streams wait for it
// on the GPU; the thread of any other stream waits for it itself.  The host's
// arena is pinned.
//
// Ranks exchange data between their GPUs (collectives/), or through host memory
// (Mirror.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Device.h"
#include "runtime/device/cuda/BucketLaunches.h"
#include "runtime/device/cuda/Graphs.h"
#include "runtime/device/cuda/GroupedMatmuls.h"
#include "runtime/device/cuda/Matmuls.h"
#include "runtime/device/cuda/Mirror.h"
#include "runtime/device/cuda/attention/Attentions.h"
#include "runtime/device/cuda/collectives/GpuCollectives.h"
#include "runtime/device/cuda/driver/Gpu.h"
#include "runtime/device/cuda/driver/Kernels.h"
#include "runtime/device/cuda/driver/Streams.h"

#include <memory>
#include <vector>

namespace zrt {

class CudaDevice final : public Device {
public:
  /// Loads the kernels of `plan`, which must outlive this, on the GPU of the
  /// rank, which is number `rankOnHost` of its host, and allocates its memory.
  /// `host` has the other tiers, and does the work of the host's streams.
  /// Throws zrt::Error.
  CudaDevice(const zrt_plan &plan, int rank, int rankOnHost,
             std::unique_ptr<Device> host);
  ~CudaDevice() override;

  uint64_t arenaBytes(uint32_t tier) const override;
  std::byte *memory(const zrt_ref &ref) const override;
  void read(const zrt_ref &from, void *to) override;
  void write(const zrt_ref &to, const void *from) override;
  void fill(const zrt_ref &to, unsigned char byte) override;
  std::string note() const override;
  ExportedMemory exported() const override { return mirror.exported(); }
  void startThreads(const zrt_plan &plan, int threads,
                    std::vector<int> processors, int hostThreads) override;
  double matmulRate(zrt_dtype dtype) override;
  std::string howMultiplied(const zrt_matmul_desc &desc) const override {
    return products.text(desc);
  }
  std::string chooseMatmuls(int most, const std::string &chosen) override;
  std::optional<uint64_t> bytesInUse() const override;
  void beginProgram() override;
  void endProgram() override;
  bool replay(uint32_t program) override;
  void endIssue(bool isWhole) override;

  /// Returns the function that connects the GPUs of the plan if they exchange
  /// data themselves; otherwise an empty one.  Throws zrt::Error.
  cuda::Connect connection();

  void check(const zrt_op &op) const override;
  int threads() const override { return host->hostThreads(); }
  int hostThreads() const override { return host->hostThreads(); }
  void work(const zrt_op &op, const BucketPart *bucket) override;
  uint64_t copy(zrt_stream stream, const zrt_ref &from,
                const zrt_ref &to) override;
  void record(zrt_stream stream, uint32_t event) override;
  void wait(zrt_stream stream, uint32_t event) override;
  void finish(zrt_stream stream) override;
  void bringToHost(zrt_stream stream, const zrt_ref &ref) override;
  void bringBack(zrt_stream stream, const zrt_ref &ref) override;

private:
  /// Issue work to a CUDA stream.
  void run(CUstream queue, const zrt_launch_desc &desc);
  void run(CUstream queue, const zrt_matmul_desc &desc);
  void run(CUstream queue, const zrt_grouped_desc &desc);
  void run(CUstream queue, const zrt_unpack_desc &desc);
  void run(CUstream queue, const zrt_update_desc &desc,
           const BucketPart &bucket);
  void run(CUstream queue, const zrt_squares_desc &desc,
           const BucketPart &bucket);
  // Refused by `check`.
  void run(CUstream, const zrt_quantize_desc &, const BucketPart &) {}
  void run(CUstream, const zrt_dequantize_desc &, const BucketPart &) {}

  /// Returns the GPU address of `ref` in any tier but nvme.
  CUdeviceptr address(const zrt_ref &ref) const;
  cuda::MatmulOperands operandsOf(const zrt_matmul_desc &desc) const {
    return {address(desc.a.ref), address(desc.b.ref), address(desc.bias.ref),
            address(desc.c.ref)};
  }
  std::vector<uint64_t> addresses(const zrt_operand *args,
                                  uint32_t count) const;
  void check(zrt_stream stream, const zrt_launch_desc &desc) const;
  void check(zrt_stream stream, const zrt_matmul_desc &desc) const;
  void check(zrt_stream stream, const zrt_grouped_desc &desc) const;
  void check(zrt_stream stream, const zrt_unpack_desc &desc) const;
  void check(zrt_stream stream, const zrt_update_desc &desc) const;
  void check(zrt_stream stream, const zrt_squares_desc &desc) const;
  void check(zrt_stream stream, const zrt_quantize_desc &desc) const;
  void check(zrt_stream stream, const zrt_dequantize_desc &desc) const;
  void loadProduct(zrt_stream stream, const zrt_matmul_desc &desc) const;
  static std::string unpackKernel(const zrt_unpack_desc &desc);
  void checkMatmulStreams() const;
  void fillMemory();

  const zrt_plan &plan;
  const cuda::Gpu gpu;
  const std::string ofHost;           ///< which processors it uses; "" for all
  const std::unique_ptr<Device> host; ///< its processors and its memory
  /// Loaded first: the arena takes what it needs of the memory that is left.
  const cuda::Kernels kernels;
  cuda::GpuMemory arena;
  /// For tests, with ZRT_GPU_FILL: the rest of the GPU's memory but a part.
  std::unique_ptr<cuda::GpuMemory> ballast;
  cuda::PinnedMemory pinned; ///< the host's arena
  cuda::Mirror mirror;
  mutable cuda::Matmuls products; ///< `check` prepares them
  cuda::GroupedMatmuls groups;
  mutable cuda::Attentions attentions; ///< as products
  cuda::BucketLaunches buckets;
  cuda::Streams streams; ///< destroyed before the memory that it uses
  cuda::Graphs graphs;
};

} // namespace zrt
