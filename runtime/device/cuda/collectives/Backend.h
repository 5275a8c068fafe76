//===- Backend.h - Collectives between GPUs ---------------------*- C++ -*-===//
#pragma once

#include "runtime/core/TrafficLedger.h"
#include "runtime/device/cuda/driver/Kernels.h"
#include "runtime/device/cuda/driver/Streams.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/transport/Transport.h"
#include "runtime/world/World.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace zrt::cuda {

struct CollectiveCall;

/// The GPU of this rank; must outlive the backend.
struct CollectiveDevice {
  const Gpu &gpu;
  const zrt_plan &plan;
  const Kernels &kernels;
  Streams &streams;
  GpuMemory &arena; ///< the device tier
  /// Returns the GPU address of a ref in any tier but nvme.
  std::function<CUdeviceptr(const zrt_ref &)> address;

  /// Returns the call of `rank` that issues a collective.
  CollectiveCall callOf(const zrt_collective_desc &desc, zrt_stream stream,
                        int rank, TrafficRow &row) const;

  int ranks() const { return int(plan.world_size); }
};

/// A collective that is being issued.
struct CollectiveCall {
  const zrt_collective_desc &desc;
  zrt_stream stream;
  CUstream queue;             ///< of the stream
  CUdeviceptr source, result; ///< of the bytes that this rank gives and gets
  TrafficRow &row;            ///< counts bytes that come from peers

  const char *name() const { return nameOf(desc); }
  static const char *nameOf(const zrt_collective_desc &desc) {
    return desc.name ? desc.name : "a collective";
  }
  uint64_t elementBytes() const { return dtypeBytes(desc.source.dtype); }
};

/// Calls `action(stream, desc)` for every collective of `plan`.
template <typename Action>
void forEachCollective(const zrt_plan &plan, Action action) {
  for (const zrt_op &op : opsOf(plan))
    if (op.kind == ZRT_COLLECTIVE)
      action(op.stream, collectiveOf(op));
}

/// Issues collectives to CUDA streams.  One thread at a time uses a stream; an
/// operation is complete when its stream has reached it.  All functions but
/// `abort` throw zrt::Error.
class Backend {
public:
  explicit Backend(CollectiveDevice device)
      : device(std::move(device)), ranks(this->device.ranks()),
        groups(this->device.plan) {}
  virtual ~Backend() = default;

  /// All ranks together: exchanges the data needed to connect.  `host` reports
  /// failures.
  virtual void prepare(World &world, Transport &host) = 0;
  /// All ranks together, while device memory contains zeros: does the first
  /// collective on each stream, then one collective of each kind and size, so
  /// that libraries allocate, connect and load now, and not in a step, where
  /// that may wait for the GPU.  `abort` ends its waits.
  void connect();

  /// Called once, when all ranks are connected.
  virtual void haveConnected() {}

  /// Issues a collective.
  void run(const CollectiveCall &call);

  /// Any thread: returns an error that has occurred meanwhile, or "".
  virtual std::string failure() { return ""; }
  /// Any thread, called repeatedly until all streams have ended: ends all waits
  /// for peers.  Results are then invalid.
  virtual void abort() = 0;
  /// Returns a text for users.
  virtual std::string note() const = 0;

protected:
  /// Does the first collective of a stream over these ranks, which has no
  /// operands.
  virtual void meet(const CollectiveCall &call) = 0;
  // By kind: runAllGather, ...  Without one, `connect` refuses the plan.
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  virtual void run##STEM(const CollectiveCall &call) { refuse(call); }
#include "abi/CollectiveKinds.def"
  [[noreturn]] static void refuse(const CollectiveCall &call);

  /// Sets the rank and the parties that it is in.
  void setRank(int number);
  const Party &partyOf(const zrt_collective_desc &desc) const {
    return parties[desc.over];
  }
  /// Returns the bytes of the whole that one rank has, in the source's type.
  uint64_t shareBytes(const zrt_collective_desc &desc) const {
    const uint64_t bytes = bytesOf(desc.source, groups);
    return desc.kind == ZRT_REDUCE_SCATTER || desc.kind == ZRT_ALL_TO_ALL
               ? bytes / partyOf(desc).size()
               : bytes;
  }

  void copy(const CollectiveCall &call, CUdeviceptr to, CUdeviceptr from,
            uint64_t bytes) const {
    device.gpu.MemcpyAsync(to, from, bytes, call.queue);
  }

  const CollectiveDevice device;
  const int ranks;
  const RankGroups groups;
  int rank = 0;                              ///< set by `prepare`
  std::array<Party, ZRT_OVER_COUNT> parties; ///< by ZRT_OVER_ALL, ...
};

/// Create backends: by NCCL, or for GPUs that read each other's memory.  Throw
/// zrt::Error, the former also if this build lacks NCCL or the library is
/// missing.
std::shared_ptr<Backend> makeNcclBackend(const CollectiveDevice &device);
std::shared_ptr<Backend> makeDirectBackend(const CollectiveDevice &device);

} // namespace zrt::cuda
