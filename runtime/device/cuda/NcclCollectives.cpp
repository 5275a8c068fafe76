//===- NcclCollectives.cpp - GPUs that exchange by NCCL -------------------===//
#include "runtime/device/cuda/NcclCollectives.h"

#include "runtime/Error.h"
#include "runtime/PlanTable.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Waiting.h"

#include <algorithm>
#include <bit>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// For contributions of all ranks, on each stream that adds; ZRT_NCCL_STAGE.
constexpr int64_t kStage = 32 << 20;

/// What zrt_ranked_sum_* reads (ZrtStructs.def).
struct HowToAdd {
  int64_t ranks, stride;
  uint64_t scale; ///< bits of an f64
  int64_t accumulates;
};

const char *named(const zrt_collective_desc &desc) {
  return desc.name ? desc.name : "a collective";
}

std::string kernelOf(const zrt_collective_desc &desc) {
  return fmt::format("zrt_ranked_sum_{}_{}", dtypeName(desc.source.dtype),
                     dtypeName(desc.result.dtype));
}

template <typename Action>
void forEachCollective(const zrt_plan &plan, Action action) {
  for (const zrt_program &program : plan.programs)
    for (const zrt_op &op : opsOf(program))
      if (op.kind == ZRT_COLLECTIVE)
        action(op.stream, collectiveOf(op));
}

} // namespace

NcclCollectives::NcclCollectives(NcclDevice theDevice,
                                 std::shared_ptr<const Nccl> theNccl,
                                 World &world,
                                 std::unique_ptr<Transport> theHost)
    : device(std::move(theDevice)), nccl(std::move(theNccl)), plan(device.plan),
      host(std::move(theHost)), rank(world.rank()), ranks(world.size()),
      stageBytes(uint64_t(
          environmentNumber("ZRT_NCCL_STAGE", kStage, int64_t{1} << 40))),
      watch([this] { return look(); }) {
  together(world, [&] {
    makeLanes();
    fillTable();
  });
  const std::vector<ncclUniqueId> ids = makeIds(world);
  try {
    connect(ids);
  } catch (const std::exception &error) {
    abort(error.what());
    // What the thread that watches has seen comes before what came of it.
    fail("{}", failure.message());
  }
}

NcclCollectives::~NcclCollectives() { (void)device.gpu.tryEnter(); }

void NcclCollectives::makeLanes() {
  device.gpu.enter();
  std::vector<uint64_t> bytes(plan.stream_count);
  forEachCollective(
      plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        if (!device.streams.isOnGpu(stream))
          fail("{}: it runs on stream {}, which is not the GPU's; compile with "
               "--collectives=host",
               named(desc), plan.streams[stream].name);
        const uint64_t one =
            desc.kind == ZRT_REDUCE_SCATTER ? chunkBytes(desc) : kContribution;
        bytes[stream] = std::max(bytes[stream], uint64_t(ranks) * one);
      });
  lanes.resize(plan.stream_count);
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    if (bytes[stream] != 0)
      lanes[stream] = std::make_unique<Lane>(device.gpu, *nccl, bytes[stream]);
}

void NcclCollectives::fillTable() {
  std::vector<HowToAdd> how;
  forEachCollective(plan, [&](zrt_stream, const zrt_collective_desc &desc) {
    if (desc.kind == ZRT_ALL_GATHER || sums.contains(&desc))
      return;
    sums[&desc] = {&device.kernels.find(kernelOf(desc)),
                   how.size() * sizeof(HowToAdd)};
    const uint64_t size = dtypeBytes(desc.source.dtype);
    // Sums in f32 are scaled in f32.
    const double scale = desc.source.dtype == ZRT_F64
                             ? desc.scale
                             : double(static_cast<float>(desc.scale));
    how.push_back(
        {ranks,
         int64_t(desc.kind == ZRT_ALL_REDUCE ? desc.elements
                                             : chunkBytes(desc) / size),
         std::bit_cast<uint64_t>(scale), desc.accumulate != 0});
  });
  const uint64_t bytes = how.size() * sizeof(HowToAdd);
  table = std::make_unique<GpuMemory>(device.gpu, bytes, "a table of sums");
  if (bytes == 0)
    return;
  const Driver &driver = device.gpu.driver();
  device.gpu.check("cuMemcpyHtoD",
                   driver.MemcpyHtoD(table->at(0), how.data(), bytes));
  device.gpu.check("cuStreamSynchronize", driver.StreamSynchronize(nullptr));
}

//===----------------------------------------------------------------------===//
// Ranks together
//===----------------------------------------------------------------------===//

/// Rank 0's: under them the ranks find each other, in each lane.
std::vector<ncclUniqueId> NcclCollectives::makeIds(World &world) const {
  std::vector<ncclUniqueId> mine(lanes.size());
  together(world, [&] {
    for (size_t stream = 0; stream < lanes.size(); ++stream)
      if (rank == 0 && lanes[stream])
        if (const ncclResult_t result = nccl->GetUniqueId(&mine[stream]);
            result != ncclSuccess)
          fail("{}", nccl->describe("ncclGetUniqueId", result, nullptr));
  });
  std::vector<ncclUniqueId> all(mine.size() * size_t(ranks));
  world.allGather(mine.data(), mine.size() * sizeof(ncclUniqueId), all.data());
  all.resize(mine.size());
  return all;
}

void NcclCollectives::connect(const std::vector<ncclUniqueId> &ids) {
  begin();
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    if (lanes[stream]) {
      lanes[stream]->all.connect(ids[stream], rank, ranks);
      meet(stream);
    }
  end();
}

/// NCCL takes what it needs from the GPU now, while no kernel waits for peers.
void NcclCollectives::meet(zrt_stream stream) {
  const char *what = "the first exchange between GPUs";
  zrt_collective_desc first = {};
  first.name = what;
  WireRow row;
  Lane &lane = *lanes[stream];
  const Call call = {first, lane, device.streams.of(stream, what), 0, 0, row};
  const CUdeviceptr mine = lane.stage.at(uint64_t(rank) * kContribution);
  gather(call, mine, lane.stage.at(0), kContribution);
  swap(call, mine, /*apart=*/0, kContribution, kContribution);
  device.streams.finish(stream);
}

void NcclCollectives::begin() {
  peers.clear();
  for (int peer = 0; peer < ranks; ++peer)
    if (peer != rank)
      peers.push_back(
          host->connected()->waitFor(peer, "an exchange between GPUs"));
  watch.begin();
}

void NcclCollectives::end() {
  watch.end();
  if (failure.set())
    fail("{}", failure.message());
}

bool NcclCollectives::look() {
  try {
    for (const auto &peer : peers)
      peer->look();
    for (const auto &lane : lanes)
      if (lane)
        if (const std::string text = lane->all.failure(); !text.empty())
          fail("{}", text);
    return true;
  } catch (const std::exception &error) {
    abort(error.what());
    return false;
  }
}

void NcclCollectives::abort(const std::string &message) {
  failure.latch(message);
  // Peers that see NCCL fail shall know of whom already.
  host->abort(message);
  (void)device.gpu.tryEnter();
  for (const auto &lane : lanes)
    if (lane)
      lane->all.abort();
}

std::string NcclCollectives::note() const {
  return "GPUs exchange by NCCL " + nccl->version();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void NcclCollectives::check(const zrt_collective_desc &desc) const {
  host->check(desc);
  for (const auto &[what, operand] :
       {std::pair("source", desc.source), {"result", desc.result}})
    if (operand.ref.tier != ZRT_DEVICE)
      fail("{}: it lies on {}, and NCCL exchanges what is on GPUs; compile "
           "with --collectives=host",
           what, tierName(operand.ref.tier));
}

void NcclCollectives::exchange(const Call &call) const {
  switch (call.desc.kind) {
  case ZRT_ALL_GATHER:
    return allGather(call);
  case ZRT_REDUCE_SCATTER:
    return reduceScatter(call);
  default:
    return allReduce(call);
  }
}

void NcclCollectives::run(zrt_stream stream, const zrt_collective_desc &desc,
                          const std::byte * /*source*/, std::byte * /*result*/,
                          WireRow &row, CollectiveTrace *trace) {
  device.gpu.enter();
  Lane &lane = *lanes[stream];
  const Call call = {desc,
                     lane,
                     device.streams.of(stream, named(desc)),
                     device.address(desc.source.ref),
                     device.address(desc.result.ref),
                     row};
  ++row.calls;
  ++lane.calls;
  if (trace) {
    trace->number = lane.calls;
    trace->arrived = traceTime();
  }
  try {
    exchange(call);
  } catch (const Error &) {
    if (failure.set())
      fail("{}", failure.message());
    throw;
  }
  if (trace) {
    // A trace wants to know when the last byte has come.
    device.streams.finish(stream);
    trace->read = traceTime();
  }
}
