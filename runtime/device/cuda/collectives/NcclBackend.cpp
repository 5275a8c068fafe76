//===- NcclBackend.cpp - Backend between GPUs by NCCL ---------------------===//
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
//   all_to_all       each rank sends its pieces, and receives into the result
//
// Each stream of the plan with collectives is a lane: a communicator for each
// kind of party that they are between (RankGroups.h), and GPU memory for
// contributions.  All communicators are called in one order (Turns.h), and run
// in it: NCCL sees to that, or, before 2.26, each collective waits for an event
// after the one before.  No rank waits for ever: the ranks of the earliest
// collective that has not ended have ended all before it.
//
// Counts the bytes that are requested, since NCCL does not report those that
// arrive.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/collectives/Communicator.h"
#include "runtime/device/cuda/collectives/NcclMemory.h"
#include "runtime/device/cuda/collectives/RankedSums.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

void *pointer(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<void *>(uintptr_t(address));
}

/// Returns the first result that is an error.
ncclResult_t worse(ncclResult_t a, ncclResult_t b) {
  return a == ncclSuccess || a == ncclInProgress ? b : a;
}

constexpr size_t kOvers = ZRT_OVER_COUNT;

/// The alignment of contributions in bytes.
constexpr uint64_t kContribution = 256;
static_assert(kContribution >= ZRT_SMALL_BYTES);

class NcclBackend final : public Backend {
public:
  /// Opens NCCL.  Throws zrt::Error.
  explicit NcclBackend(const CollectiveDevice &device)
      : Backend(device), stageBytes(uint64_t(ncclStageBytes())) {}

  ~NcclBackend() override;

  void prepare(World &world, Transport &host) override;
  void runAllGather(const CollectiveCall &call) override;
  void runReduceScatter(const CollectiveCall &call) override;
  void runAllReduce(const CollectiveCall &call) override;
  void runAllToAll(const CollectiveCall &call) override;
  std::string failure() override;
  void abort() override;
  void haveConnected() override;
  std::string note() const override {
    return fmt::format("GPUs exchange by NCCL {}, which took {} of this GPU "
                       "where {} were expected",
                       nccl.version(), shownBytes(taken),
                       shownBytes(ncclBytes(device.plan)));
  }

private:
  struct Lane {
    Lane(const Gpu &gpu, uint64_t bytes)
        : stage(gpu, bytes, "what ranks contribute to sums") {}
    GpuMemory stage; ///< contributions; outlives its users
    /// By ZRT_OVER_ALL, ...; nullptr if it has no such collectives.
    std::array<std::unique_ptr<Communicator>, kOvers> over;
    /// Whether ranks send to each other.
    std::array<bool, kOvers> exchanges = {};
  };
  /// Where the communicators of one rank meet, by stream and ZRT_OVER_ALL, ...
  using Ids = std::vector<std::array<ncclUniqueId, kOvers>>;
  /// The end of the last collective, if NCCL does not keep their order.
  struct Last {
    CUevent event = nullptr;
    zrt_stream stream = 0;
    bool isRecorded = false;
  };

  void makeLanes();
  void makeIds(World &world);
  void meet(const CollectiveCall &call) override;
  std::vector<Communicator *> communicators() const;
  /// Returns the bytes of a share that are added up at once.
  uint64_t chunkBytes(const zrt_collective_desc &desc) const;
  Lane &laneOf(const CollectiveCall &call) const { return *lanes[call.stream]; }
  Communicator &ringOf(const CollectiveCall &call) const {
    return *laneOf(call).over[call.desc.over];
  }
  void gather(const CollectiveCall &call, CUdeviceptr mine, CUdeviceptr all,
              uint64_t bytes);
  void sendParts(const CollectiveCall &call, CUdeviceptr source, uint64_t apart,
                 uint64_t bytes, CUdeviceptr into, uint64_t stride);
  void issue(const CollectiveCall &call, const Communicator::Calls &calls);

  const Nccl nccl;
  const uint64_t stageBytes;
  uint64_t freeBefore = 0, taken = 0; ///< bytes of the GPU
  std::unique_ptr<RankedSums> sums;
  std::vector<std::unique_ptr<Lane>> lanes; ///< by stream; some have none
  Ids ids;                                  ///< of this rank's parties
  Last last;                                ///< of the thread whose turn it is
};

NcclBackend::~NcclBackend() {
  if (last.event)
    (void)device.gpu.driver().EventDestroy(last.event);
}

uint64_t NcclBackend::chunkBytes(const zrt_collective_desc &desc) const {
  const uint64_t room = stageBytes / partyOf(desc).size();
  return std::min(std::max(room / kContribution, uint64_t{1}) * kContribution,
                  roundUp(shareBytes(desc), kContribution));
}

std::vector<Communicator *> NcclBackend::communicators() const {
  std::vector<Communicator *> all;
  for (const auto &lane : lanes)
    if (lane)
      for (const auto &one : lane->over)
        if (one)
          all.push_back(one.get());
  return all;
}

//===----------------------------------------------------------------------===//
// Ranks together
//===----------------------------------------------------------------------===//

void NcclBackend::prepare(World &world, Transport &host) {
  setRank(host.rank());
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
          return desc.kind == ZRT_ALL_REDUCE ? shareBytes(desc)
                                             : chunkBytes(desc);
        });
  });
  makeIds(world);
}

void NcclBackend::makeLanes() {
  device.gpu.enter();
  freeBefore = device.gpu.memory().free;
  if (!nccl.keepsOrder())
    device.gpu.EventCreate(&last.event, CU_EVENT_DISABLE_TIMING);
  std::vector<uint64_t> bytes(device.plan.stream_count);
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        const uint64_t one =
            desc.kind == ZRT_REDUCE_SCATTER ? chunkBytes(desc) : kContribution;
        bytes[stream] = std::max(bytes[stream], partyOf(desc).size() * one);
      });
  lanes.resize(bytes.size());
  for (size_t stream = 0; stream < lanes.size(); ++stream)
    if (bytes[stream] != 0)
      lanes[stream] = std::make_unique<Lane>(device.gpu, bytes[stream]);
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        auto &ring = lanes[stream]->over[desc.over];
        if (!ring)
          ring = std::make_unique<Communicator>(nccl);
        lanes[stream]->exchanges[desc.over] |=
            desc.kind == ZRT_REDUCE_SCATTER || desc.kind == ZRT_ALL_TO_ALL;
      });
}

/// Distributes ids, by which the ranks of each communicator find each other.
/// Those of a party are the ones that its first rank has made.
void NcclBackend::makeIds(World &world) {
  ids.resize(lanes.size());
  together(world, [&] {
    for (size_t stream = 0; stream < lanes.size(); ++stream)
      for (size_t over = 0; over < kOvers; ++over)
        if (lanes[stream] && lanes[stream]->over[over] &&
            parties[over].own == 0)
          if (const ncclResult_t result = nccl.GetUniqueId(&ids[stream][over]);
              result != ncclSuccess)
            fail("{}", nccl.describe("ncclGetUniqueId", result, nullptr));
  });
  Ids all(ids.size() * size_t(ranks));
  world.allGather(ids.data(), ids.size() * sizeof(ids[0]), all.data());
  for (size_t stream = 0; stream < ids.size(); ++stream)
    for (size_t over = 0; over < kOvers; ++over)
      ids[stream][over] =
          all[size_t(parties[over].ranks[0]) * ids.size() + stream][over];
}

void NcclBackend::haveConnected() {
  const uint64_t now = device.gpu.memory().free;
  taken = freeBefore > now ? freeBefore - now : 0;
}

/// Connects a communicator.  Lets NCCL allocate its GPU memory now, while no
/// kernel waits for peers; that of an exchange, which is larger, only where
/// there is one.
void NcclBackend::meet(const CollectiveCall &call) {
  const Party &party = partyOf(call.desc);
  const GpuMemory &stage = laneOf(call).stage;
  ringOf(call).connect(ids[call.stream][call.desc.over], int(party.own),
                       int(party.size()));
  const CUdeviceptr mine = stage.at(party.own * kContribution);
  gather(call, mine, stage.at(0), kContribution);
  if (!laneOf(call).exchanges[call.desc.over])
    return;
  device.streams.finish(call.stream);
  sendParts(call, mine, /*apart=*/0, kContribution, stage.at(0), kContribution);
}

std::string NcclBackend::failure() {
  for (Communicator *ring : communicators())
    if (std::string text = ring->failure(); !text.empty())
      return text;
  return "";
}

/// Aborts all communicators at once: aborting one waits for the GPU, where a
/// kernel of another may wait for a peer until that one is aborted as well.
void NcclBackend::abort() {
  const std::vector<Communicator *> all = communicators();
  std::atomic<size_t> next{0};
  runOnThreads(int(all.size()), [&] {
    (void)device.gpu.tryEnter();
    for (size_t i = next++; i < all.size(); i = next++)
      all[i]->abort();
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Issues a collective after the one before, of any communicator.
void NcclBackend::issue(const CollectiveCall &call,
                        const Communicator::Calls &calls) {
  if (last.isRecorded && last.stream != call.stream)
    device.gpu.StreamWaitEvent(call.queue, last.event, 0);
  ringOf(call).issue(call.name(), calls);
  if (!last.event)
    return;
  device.gpu.EventRecord(last.event, call.queue);
  last.stream = call.stream;
  last.isRecorded = true;
}

/// Gathers the shares of all ranks; `mine` may be this rank's share of `all`.
void NcclBackend::gather(const CollectiveCall &call, CUdeviceptr mine,
                         CUdeviceptr all, uint64_t bytes) {
  issue(call, [&](ncclComm_t ring) {
    return nccl.AllGather(pointer(mine), pointer(all), bytes, ncclUint8, ring,
                          call.queue);
  });
  call.row.bytes += (partyOf(call.desc).size() - 1) * bytes;
}

/// Sends the peer at place p the bytes at `source` + p `apart`; receives those
/// of it at `into` + p `stride`.
void NcclBackend::sendParts(const CollectiveCall &call, CUdeviceptr source,
                            uint64_t apart, uint64_t bytes, CUdeviceptr into,
                            uint64_t stride) {
  const Party &party = partyOf(call.desc);
  issue(call, [&](ncclComm_t ring) {
    ncclResult_t result = nccl.GroupStart();
    for (size_t place = 0; place < party.size(); ++place) {
      if (place == party.own)
        continue;
      const CUdeviceptr from = source + place * apart,
                        to = into + place * stride;
      result = worse(result, nccl.Send(pointer(from), bytes, ncclUint8,
                                       int(place), ring, call.queue));
      result = worse(result, nccl.Recv(pointer(to), bytes, ncclUint8,
                                       int(place), ring, call.queue));
    }
    // A group that was started must be ended, whatever it contains.
    return worse(result, nccl.GroupEnd());
  });
  call.row.bytes += (party.size() - 1) * bytes;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void NcclBackend::runAllGather(const CollectiveCall &call) {
  gather(call, call.source, call.result, shareBytes(call.desc));
}

void NcclBackend::runReduceScatter(const CollectiveCall &call) {
  const zrt_collective_desc &desc = call.desc;
  const uint64_t size = call.elementBytes(),
                 resultSize = dtypeBytes(desc.result.dtype),
                 share = shareBytes(desc), stride = chunkBytes(desc),
                 own = partyOf(desc).own;
  const GpuMemory &stage = laneOf(call).stage;
  for (uint64_t done = 0; done < share; done += stride) {
    const uint64_t bytes = std::min(stride, share - done);
    const CUdeviceptr source = call.source + done;
    copy(call, stage.at(own * stride), source + own * share, bytes);
    sendParts(call, source, /*apart=*/share, bytes, stage.at(0), stride);
    sums->add(call, stage.at(0), call.result + done / size * resultSize,
              bytes / size);
  }
}

void NcclBackend::runAllReduce(const CollectiveCall &call) {
  const uint64_t bytes = shareBytes(call.desc);
  const GpuMemory &stage = laneOf(call).stage;
  const CUdeviceptr mine = stage.at(uint64_t(rank) * bytes);
  copy(call, mine, call.source, bytes);
  gather(call, mine, stage.at(0), bytes);
  sums->add(call, stage.at(0), call.result, call.desc.elements);
}

void NcclBackend::runAllToAll(const CollectiveCall &call) {
  const uint64_t share = shareBytes(call.desc),
                 own = partyOf(call.desc).own * share;
  copy(call, call.result + own, call.source + own, share);
  sendParts(call, call.source, /*apart=*/share, share, call.result, share);
}

} // namespace

std::shared_ptr<Backend> cuda::makeNcclBackend(const CollectiveDevice &device) {
  return std::make_shared<NcclBackend>(device);
}
