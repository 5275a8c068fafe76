//===- NcclExchange.cpp - Exchange between GPUs by NCCL -------------------===//
//
// NCCL only moves bytes.  Its sums would round 16-bit numbers at every rank
// that they pass, in an order that NCCL chooses.  Here all contributions go to
// the owner of a slice, whose kernel adds them in rank order, with the same
// bits as on processors:
//
//   all_gather       ncclAllGather
//   reduce_scatter   chunk by chunk: each rank sends its contributions to their
//                    owners, which add them up
//   all_reduce       ncclAllGather, then every rank adds up everything
//
// Each stream of the plan with collectives is a lane: a communicator, and GPU
// memory for contributions.  All lanes are called in one order (Turns.h), and
// run in it: NCCL sees to that, or, before 2.26, each exchange waits for an
// event after the one before.
//
// Counts the bytes that are requested, since NCCL does not report those that
// arrive.
//
//===----------------------------------------------------------------------===//
#include "runtime/Bytes.h"
#include "runtime/Error.h"
#include "runtime/StartThread.h"
#include "runtime/device/cuda/exchange/Communicator.h"
#include "runtime/device/cuda/exchange/RankedSums.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// The bytes for contributions of all ranks on each stream that adds;
/// ZRT_NCCL_STAGE.
constexpr int64_t kStage = 32 << 20;

void *pointer(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void *>(uintptr_t(address));
}

/// Returns the first result that is an error.
ncclResult_t worse(ncclResult_t a, ncclResult_t b) {
  return a == ncclSuccess || a == ncclInProgress ? b : a;
}

/// The alignment of contributions in bytes.
constexpr uint64_t kContribution = 256;
static_assert(kContribution >= ZRT_SMALL_BYTES);

class NcclExchange final : public Exchange {
public:
  /// Opens NCCL.  Throws zrt::Error.
  explicit NcclExchange(const ExchangeDevice &device)
      : Exchange(device), stageBytes(uint64_t(environmentNumber(
                              "ZRT_NCCL_STAGE", kStage, int64_t{1} << 40))) {}

  ~NcclExchange() override;

  void prepare(World &world, Transport &host) override;
  void allGather(const ExchangeCall &call) override;
  void reduceScatter(const ExchangeCall &call) override;
  void allReduce(const ExchangeCall &call) override;
  std::string failure() override;
  void abort() override;
  std::string note() const override {
    return "GPUs exchange by NCCL " + nccl.version();
  }

private:
  struct Lane {
    Lane(const Gpu &gpu, const Nccl &nccl, uint64_t bytes)
        : stage(gpu, bytes, "what ranks contribute to sums"), all(nccl) {}
    GpuMemory stage; ///< contributions; outlives its users
    Communicator all;
  };
  /// The end of the last exchange, if NCCL does not keep their order.
  struct Last {
    CUevent event = nullptr;
    zrt_stream stream = 0;
    bool isRecorded = false;
  };

  void makeLanes();
  void makeIds(World &world);
  void meet(const ExchangeCall &call) override;
  uint64_t sliceBytes(const zrt_collective_desc &desc) const;
  /// Returns the bytes of a slice that are added up at once.
  uint64_t chunkBytes(const zrt_collective_desc &desc) const;
  Lane &laneOf(const ExchangeCall &call) const { return *lanes[call.stream]; }
  void gather(const ExchangeCall &call, CUdeviceptr mine, CUdeviceptr all,
              uint64_t bytes);
  void swap(const ExchangeCall &call, CUdeviceptr source, uint64_t apart,
            uint64_t bytes, uint64_t stride);
  void issue(const ExchangeCall &call, const Communicator::Calls &calls);

  const Nccl nccl;
  const uint64_t stageBytes;
  std::unique_ptr<RankedSums> sums;
  std::vector<std::unique_ptr<Lane>> lanes; ///< by stream; some have none
  std::vector<ncclUniqueId> ids;            ///< of lanes
  Last last;                                ///< of the thread whose turn it is
};

NcclExchange::~NcclExchange() {
  if (last.event)
    (void)device.gpu.driver().EventDestroy(last.event);
}

uint64_t NcclExchange::sliceBytes(const zrt_collective_desc &desc) const {
  return desc.elements * dtypeBytes(desc.source.dtype) / uint64_t(ranks);
}

uint64_t NcclExchange::chunkBytes(const zrt_collective_desc &desc) const {
  const uint64_t share = stageBytes / uint64_t(ranks);
  return std::min(std::max(share / kContribution, uint64_t{1}) * kContribution,
                  roundUp(sliceBytes(desc), kContribution));
}

//===----------------------------------------------------------------------===//
// Ranks together
//===----------------------------------------------------------------------===//

void NcclExchange::prepare(World &world, Transport &host) {
  rank = host.rank();
  const std::vector<uint64_t> gpus =
      world.gather(hostIdentity() ^ device.gpu.identity());
  const std::vector<uint64_t> stages = world.gather(stageBytes);
  together(world, [&] {
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank && gpus[size_t(peer)] == gpus[size_t(rank)])
        fail("ranks {} and {} have the same GPU, {}, and NCCL needs one for "
             "each; start as many ranks on a host as it has GPUs, or compile "
             "with --collectives=direct",
             std::min(peer, rank), std::max(peer, rank), device.gpu.name());
    for (int peer = 0; peer < ranks; ++peer)
      if (stages[size_t(peer)] != stageBytes)
        fail(
            "ZRT_NCCL_STAGE is {} on rank {} and {} on rank {}; give all ranks "
            "the same",
            stageBytes, rank, stages[size_t(peer)], peer);
    makeLanes();
    sums = std::make_unique<RankedSums>(
        device, [&](const zrt_collective_desc &desc) {
          return desc.kind == ZRT_ALL_REDUCE
                     ? desc.elements * dtypeBytes(desc.source.dtype)
                     : chunkBytes(desc);
        });
  });
  makeIds(world);
}

void NcclExchange::makeLanes() {
  device.gpu.enter();
  if (!nccl.keepsOrder())
    device.gpu.EventCreate(&last.event, CU_EVENT_DISABLE_TIMING);
  std::vector<uint64_t> bytes(device.plan.stream_count);
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        const uint64_t one =
            desc.kind == ZRT_REDUCE_SCATTER ? chunkBytes(desc) : kContribution;
        bytes[stream] = std::max(bytes[stream], uint64_t(ranks) * one);
      });
  lanes.resize(bytes.size());
  for (size_t stream = 0; stream < lanes.size(); ++stream)
    if (bytes[stream] != 0)
      lanes[stream] = std::make_unique<Lane>(device.gpu, nccl, bytes[stream]);
}

/// Distributes rank 0's ids, by which the ranks of each lane find each other.
void NcclExchange::makeIds(World &world) {
  ids.resize(lanes.size());
  together(world, [&] {
    for (size_t stream = 0; stream < lanes.size(); ++stream)
      if (rank == 0 && lanes[stream])
        if (const ncclResult_t result = nccl.GetUniqueId(&ids[stream]);
            result != ncclSuccess)
          fail("{}", nccl.describe("ncclGetUniqueId", result, nullptr));
  });
  std::vector<ncclUniqueId> all(ids.size() * size_t(ranks));
  world.allGather(ids.data(), ids.size() * sizeof(ncclUniqueId), all.data());
  std::copy_n(all.begin(), ids.size(), ids.begin());
}

/// Connects a lane.  Lets NCCL allocate its GPU memory now, while no kernel
/// waits for peers.
void NcclExchange::meet(const ExchangeCall &call) {
  Lane &lane = laneOf(call);
  lane.all.connect(ids[call.stream], rank, ranks);
  const CUdeviceptr mine = lane.stage.at(uint64_t(rank) * kContribution);
  gather(call, mine, lane.stage.at(0), kContribution);
  device.streams.finish(call.stream);
  swap(call, mine, /*apart=*/0, kContribution, kContribution);
}

std::string NcclExchange::failure() {
  for (const auto &lane : lanes)
    if (lane)
      if (std::string text = lane->all.failure(); !text.empty())
        return text;
  return "";
}

/// Aborts all lanes at once: aborting a lane waits for the GPU, where a kernel
/// of another lane may wait for a peer until that lane is aborted as well.
void NcclExchange::abort() {
  std::atomic<size_t> next{0};
  runOnThreads(int(lanes.size()), [&] {
    (void)device.gpu.tryEnter();
    for (size_t i = next++; i < lanes.size(); i = next++)
      if (lanes[i])
        lanes[i]->all.abort();
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Issues an exchange after the one before, of any lane.
void NcclExchange::issue(const ExchangeCall &call,
                         const Communicator::Calls &calls) {
  if (last.isRecorded && last.stream != call.stream)
    device.gpu.StreamWaitEvent(call.queue, last.event, 0);
  laneOf(call).all.issue(call.name(), calls);
  if (!last.event)
    return;
  device.gpu.EventRecord(last.event, call.queue);
  last.stream = call.stream;
  last.isRecorded = true;
}

/// Gathers the slices of all ranks; `mine` may be this rank's slice of `all`.
void NcclExchange::gather(const ExchangeCall &call, CUdeviceptr mine,
                          CUdeviceptr all, uint64_t bytes) {
  issue(call, [&](ncclComm_t ring) {
    return nccl.AllGather(pointer(mine), pointer(all), bytes, ncclUint8, ring,
                          call.queue);
  });
  call.row.bytes += uint64_t(ranks - 1) * bytes;
}

/// Sends each peer p the bytes at `source` + p `apart`; receives those of p at
/// offset `stride` p of the stage.
void NcclExchange::swap(const ExchangeCall &call, CUdeviceptr source,
                        uint64_t apart, uint64_t bytes, uint64_t stride) {
  Lane &lane = laneOf(call);
  issue(call, [&](ncclComm_t ring) {
    ncclResult_t result = nccl.GroupStart();
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank)
        continue;
      const CUdeviceptr from = source + uint64_t(peer) * apart,
                        to = lane.stage.at(uint64_t(peer) * stride);
      result = worse(result, nccl.Send(pointer(from), bytes, ncclUint8, peer,
                                       ring, call.queue));
      result = worse(result, nccl.Recv(pointer(to), bytes, ncclUint8, peer,
                                       ring, call.queue));
    }
    // A group that was started must be ended, whatever it contains.
    return worse(result, nccl.GroupEnd());
  });
  call.row.bytes += uint64_t(ranks - 1) * bytes;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void NcclExchange::allGather(const ExchangeCall &call) {
  const uint64_t slice = call.sliceBytes(ranks);
  const bool isWhole = call.desc.source.extent == ZRT_SLICE_OF_WHOLE;
  gather(call, call.source + (isWhole ? uint64_t(rank) * slice : 0),
         call.result, slice);
}

void NcclExchange::reduceScatter(const ExchangeCall &call) {
  const zrt_collective_desc &desc = call.desc;
  const uint64_t size = call.elementBytes(),
                 resultSize = dtypeBytes(desc.result.dtype),
                 slice = call.sliceBytes(ranks), stride = chunkBytes(desc),
                 own = uint64_t(rank);
  const bool isWhole = desc.result.extent == ZRT_SLICE_OF_WHOLE;
  const CUdeviceptr result =
      call.result + (isWhole ? own * slice / size * resultSize : 0);
  const GpuMemory &stage = laneOf(call).stage;
  for (uint64_t done = 0; done < slice; done += stride) {
    const uint64_t bytes = std::min(stride, slice - done);
    const CUdeviceptr source = call.source + done;
    copy(call, stage.at(own * stride), source + own * slice, bytes);
    swap(call, source, /*apart=*/slice, bytes, stride);
    sums->add(call, stage.at(0), result + done / size * resultSize,
              bytes / size);
  }
}

void NcclExchange::allReduce(const ExchangeCall &call) {
  const uint64_t bytes = call.wholeBytes();
  const GpuMemory &stage = laneOf(call).stage;
  const CUdeviceptr mine = stage.at(uint64_t(rank) * bytes);
  copy(call, mine, call.source, bytes);
  gather(call, mine, stage.at(0), bytes);
  sums->add(call, stage.at(0), call.result, call.desc.elements);
}

} // namespace

std::shared_ptr<Exchange> cuda::makeNcclExchange(const ExchangeDevice &device) {
  return std::make_shared<NcclExchange>(device);
}
