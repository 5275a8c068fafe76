//===- Exchange.h - A way in which GPUs exchange ----------------*- C++ -*-===//
#pragma once

#include "runtime/PlanTable.h"
#include "runtime/Vocabulary.h"
#include "runtime/core/WireLedger.h"
#include "runtime/device/cuda/Kernels.h"
#include "runtime/device/cuda/Streams.h"
#include "runtime/transport/Transport.h"
#include "runtime/world/World.h"

#include <functional>
#include <string>

namespace zrt::cuda {

/// What GPUs exchange, and where; outlives what exchanges.
struct ExchangeDevice {
  const Gpu &gpu;
  const zrt_plan &plan;
  const Kernels &kernels;
  Streams &streams;
  GpuMemory &arena; ///< the device tier
  /// Where the GPU finds what lies on any tier but nvme.
  std::function<CUdeviceptr(const zrt_ref &)> address;

  int ranks() const { return int(plan.world_size); }
};

/// A collective that is being issued.
struct ExchangeCall {
  const zrt_collective_desc &desc;
  zrt_stream stream;
  CUstream queue;             ///< of the stream
  CUdeviceptr source, result; ///< of the operands' refs
  WireRow &row;               ///< where bytes that come from peers are counted

  const char *name() const { return nameOf(desc); }
  static const char *nameOf(const zrt_collective_desc &desc) {
    return desc.name ? desc.name : "a collective";
  }
  uint64_t elementBytes() const { return dtypeBytes(desc.source.dtype); }
  uint64_t wholeBytes() const { return desc.elements * elementBytes(); }
  uint64_t sliceBytes(int ranks) const {
    return wholeBytes() / uint64_t(ranks);
  }
};

/// Calls `action(stream, desc)` of every collective of `plan`.
template <typename Action>
void forEachCollective(const zrt_plan &plan, Action action) {
  for (const zrt_program &program : plan.programs)
    for (const zrt_op &op : opsOf(program))
      if (op.kind == ZRT_COLLECTIVE)
        action(op.stream, collectiveOf(op));
}

/// Issues collectives to CUDA's streams.  A stream is used by one thread at a time;
/// what it is given is over when the stream has come there.  All functions throw
/// zrt::Error but for `abort`.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// All ranks together: what each needs of the others.  `host` tells of failures.
  virtual void prepare(World &world, Transport &host) = 0;
  /// All ranks together: the first exchange on each stream.  `abort` ends its
  /// waits.
  virtual void connect() = 0;

  virtual void allGather(const ExchangeCall &call) = 0;
  virtual void reduceScatter(const ExchangeCall &call) = 0;
  virtual void allReduce(const ExchangeCall &call) = 0;

  /// Any thread: what has gone wrong on the way, or "".
  virtual std::string failure() { return ""; }
  /// Any thread, again and again until all streams have ended: nothing waits for
  /// peers any longer, and results are worth nothing.
  virtual void abort() = 0;
  /// What users are told.
  virtual std::string note() const = 0;
};

} // namespace zrt::cuda
