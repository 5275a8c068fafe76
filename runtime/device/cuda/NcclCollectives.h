//===- NcclCollectives.h - GPUs that exchange by NCCL -----------*- C++ -*-===//
//
// NCCL moves bytes, and adds nothing up: its sums round 16-bit numbers at every
// rank that they pass, in an order that it chooses.  Here all ranks' contributions
// come to the owner of a slice, whose kernel adds them in rank order, as on
// processors and with their bits:
//
//   all_gather       ncclAllGather
//   reduce_scatter   chunk by chunk: each rank sends each other its contribution,
//                    then zrt_ranked_sum_FROM_TO adds, scales and accumulates
//   all_reduce       ncclAllGather, then every rank adds up all of it
//
// Each stream of the plan with collectives is a lane: a communicator, and memory of
// the GPU for contributions.  Everything is issued to the stream and is over when
// the stream has come there.  While a program runs a thread watches: when a peer has
// failed, or NCCL has, communicators are aborted, so that streams end.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_CUDA_NCCL_COLLECTIVES_H
#define ZRT_DEVICE_CUDA_NCCL_COLLECTIVES_H

#include "runtime/core/ErrorLatch.h"
#include "runtime/device/cuda/Communicator.h"
#include "runtime/device/cuda/ConnectNccl.h"
#include "runtime/device/cuda/Watch.h"

#include <map>
#include <memory>
#include <vector>

namespace zrt::cuda {

/// What ranks contribute lies at multiples of so many bytes.
constexpr uint64_t kContribution = 256;
static_assert(kContribution >= ZRT_SMALL_BYTES);

class NcclCollectives final : public Collectives {
public:
  /// Connects all ranks, which call it together.  `host` tells them of failures.
  /// Throws zrt::Error.
  NcclCollectives(NcclDevice device, std::shared_ptr<const Nccl> nccl,
                  World &world, std::unique_ptr<Transport> host);
  ~NcclCollectives() override;

  bool isOnDevice() const override { return true; }
  void begin() override;
  void end() override;
  void check(const zrt_collective_desc &desc) const override;
  void run(zrt_stream stream, const zrt_collective_desc &desc,
           const std::byte *source, std::byte *result, WireRow &row,
           CollectiveTrace *trace) override;
  void abort(const std::string &message) override;
  std::string note() const override;

private:
  struct Lane {
    Lane(const Gpu &gpu, const Nccl &nccl, uint64_t bytes)
        : stage(gpu, bytes, "what ranks contribute to sums"), all(nccl) {}
    GpuMemory stage; ///< contributions; ends after what uses it
    Communicator all;
    uint32_t calls = 0; ///< collectives
  };
  /// A collective that is being issued.
  struct Call {
    const zrt_collective_desc &desc;
    Lane &lane;
    CUstream stream;
    CUdeviceptr source, result; ///< of the operands' refs
    WireRow &row;
    const char *name() const { return desc.name ? desc.name : "a collective"; }
  };

  /// What adds up, and where the table has what it reads.
  struct Sum {
    const Kernel *kernel;
    uint64_t how;
  };

  void makeLanes();
  void fillTable();
  std::vector<ncclUniqueId> makeIds(World &world) const;
  void connect(const std::vector<ncclUniqueId> &ids);
  void meet(zrt_stream stream);
  bool look();
  uint64_t sliceBytes(const zrt_collective_desc &desc) const;
  /// Of a slice, how much is added up at once.
  uint64_t chunkBytes(const zrt_collective_desc &desc) const;
  void exchange(const Call &call) const;
  void allGather(const Call &call) const;
  void reduceScatter(const Call &call) const;
  void allReduce(const Call &call) const;
  void gather(const Call &call, CUdeviceptr mine, CUdeviceptr all,
              uint64_t bytes) const;
  void swap(const Call &call, CUdeviceptr source, uint64_t apart,
            uint64_t bytes, uint64_t stride) const;
  void addUp(const Call &call, CUdeviceptr result, uint64_t elements) const;
  void copy(const Call &call, CUdeviceptr to, CUdeviceptr from,
            uint64_t bytes) const;

  const NcclDevice device;
  const std::shared_ptr<const Nccl> nccl;
  const zrt_plan &plan;
  const std::unique_ptr<Transport> host;
  const int rank, ranks;
  const uint64_t stageBytes;
  std::map<const zrt_collective_desc *, Sum> sums;
  std::unique_ptr<GpuMemory> table;
  ErrorLatch failure;
  std::vector<std::unique_ptr<PeerWait>> peers;
  std::vector<std::unique_ptr<Lane>> lanes; ///< by stream; some have none
  Watch watch; ///< last: its thread ends before what it looks at goes away
};

} // namespace zrt::cuda

#endif // ZRT_DEVICE_CUDA_NCCL_COLLECTIVES_H
