//===- GpuCollectives.cpp - Collectives that stay on GPUs -----------------===//
//
// Implements the core's collectives with a Backend: NCCL, or memory that GPUs
// share.  Operations are issued to streams, and are complete when the stream
// has reached them.  While a program runs, a thread watches for failures of
// peers and of the backend; it then ends all waits for peers, so that streams
// end.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/collectives/GpuCollectives.h"

#include "runtime/core/ErrorLatch.h"
#include "runtime/device/cuda/collectives/Turns.h"
#include "runtime/device/cuda/collectives/Watch.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

namespace {

class GpuCollectives final : public Collectives {
public:
  /// Connects all ranks, which call it together.  `host` reports failures
  /// between them.  Throws zrt::Error.
  GpuCollectives(CollectiveDevice device, std::shared_ptr<Backend> backend,
                 World &world, std::unique_ptr<Transport> host);
  ~GpuCollectives() override;

  bool isOnDevice() const override { return true; }
  void begin(uint32_t program) override;
  void end() override;
  void check(const zrt_collective_desc &desc) const override;
  void run(zrt_stream stream, const zrt_collective_desc &desc,
           const std::byte *source, std::byte *result, TrafficRow &row,
           CollectiveTrace *trace) override;
  void abort(const std::string &message) override;
  std::string note() const override { return backend->note(); }

private:
  void startWatch();
  void look();
  void finishStreams();

  const CollectiveDevice device;
  const std::unique_ptr<Transport> host;
  std::shared_ptr<Backend> backend;
  ErrorLatch failure;
  std::vector<std::unique_ptr<PeerWait>> peers;
  std::vector<uint32_t> calls; ///< collectives, by stream
  Turns turns;
  Watch watch; ///< last: its thread ends before the data that it uses
};

GpuCollectives::GpuCollectives(CollectiveDevice theDevice,
                               std::shared_ptr<Backend> theBackend,
                               World &world, std::unique_ptr<Transport> theHost)
    : device(std::move(theDevice)), host(std::move(theHost)),
      backend(std::move(theBackend)), calls(device.plan.stream_count),
      turns(device.plan), watch([this] { look(); }) {
  // Before the first collective, which uses their operands.
  together(world, [&] {
    forEachCollective(
        device.plan,
        [&](zrt_stream, const zrt_collective_desc &desc) { check(desc); });
  });
  backend->prepare(world, *host);
  try {
    startWatch();
    backend->connect();
    end();
  } catch (const std::exception &error) {
    abort(error.what());
    finishStreams();
    // If the watch has latched the cause first, this reports it.
    fail("{}", failure.message());
  }
}

/// After a failure: finishes the streams while the watch still ends waits for
/// peers.
void GpuCollectives::finishStreams() {
  for (zrt_stream stream = 0; stream < device.plan.stream_count; ++stream)
    try {
      if (device.streams.isOnGpu(stream))
        device.streams.finish(stream);
    } catch (const Error &error) {
      failure.latch(error.what()); // the first one counts
    }
}

GpuCollectives::~GpuCollectives() { (void)device.gpu.tryEnter(); }

void GpuCollectives::begin(uint32_t program) {
  turns.begin(program);
  startWatch();
}

void GpuCollectives::startWatch() {
  peers.clear();
  for (int peer = 0; peer < device.ranks(); ++peer)
    if (peer != host->rank())
      peers.push_back(
          host->connected()->waitFor(peer, "a collective between GPUs"));
  watch.begin();
}

void GpuCollectives::end() {
  watch.end();
  // A peer may have failed since the last look; then results are invalid.
  if (!failure.set())
    look();
  if (failure.set())
    fail("{}", failure.message());
}

void GpuCollectives::look() {
  // Operations that were issued after the failure wait as well.
  if (failure.set()) {
    (void)device.gpu.tryEnter();
    return backend->abort();
  }
  try {
    for (const auto &peer : peers)
      peer->look();
    if (const std::string text = backend->failure(); !text.empty())
      fail("{}", text);
  } catch (const std::exception &error) {
    abort(error.what());
  }
}

void GpuCollectives::abort(const std::string &message) {
  // Comes first, so that peers that see the collective fail already know this
  // rank's error.
  host->abort(message);
  failure.latch(message);
  turns.giveUp();
  (void)device.gpu.tryEnter();
  backend->abort();
}

void GpuCollectives::check(const zrt_collective_desc &desc) const {
  host->check(desc);
  if (desc.order != ZRT_IN_RANK_ORDER)
    fail("it adds as a tree, and GPUs add in the order of ranks; compile with "
         "--collectives=host");
  for (const auto &[what, operand] :
       {std::pair("source", desc.source), {"result", desc.result}})
    if (operand.ref.tier != ZRT_DEVICE)
      fail("{}: it lies on {}, and GPUs exchange what is on them; compile "
           "with --collectives=host",
           what, tierName(operand.ref.tier));
}

void GpuCollectives::run(zrt_stream stream, const zrt_collective_desc &desc,
                         const std::byte * /*source*/, std::byte * /*result*/,
                         TrafficRow &row, CollectiveTrace *trace) {
  // A rank that has failed issues nothing, so peers would wait for it.
  if (!turns.await(stream))
    fail("{}", failure.message());
  device.gpu.enter();
  const CollectiveCall call = device.callOf(desc, stream, host->rank(), row);
  ++row.calls;
  ++calls[stream];
  if (trace) {
    trace->number = calls[stream];
    trace->arrived = traceTime();
  }
  try {
    backend->run(call);
  } catch (const Error &) {
    if (failure.set())
      fail("{}", failure.message());
    throw;
  }
  turns.pass();
  if (trace) {
    // A trace needs the time at which the last byte arrived.
    device.streams.finish(stream);
    trace->read = traceTime();
  }
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

std::shared_ptr<Backend> makeBackend(const CollectiveDevice &device) {
  if (communicatesBy(device.plan, "nccl"))
    return makeNcclBackend(device);
  if (communicatesBy(device.plan, "direct"))
    return makeDirectBackend(device);
  fail("this runtime does not know --collectives={}; compile the model again",
       device.plan.collectives);
}

/// Throws unless the GPU executes the collectives of the plan, and streams that
/// wait for peers do not block other streams.
void checkStreams(const CollectiveDevice &device) {
  for (const char *variable :
       {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS"})
    if (const int64_t queues =
            environmentNumber(variable, device.plan.stream_count, /*most=*/32);
        queues < int64_t(device.plan.stream_count))
      fail("{} is {}, and the plan has {} streams, of which some wait for "
           "other ranks and must not hold the rest; unset it",
           variable, queues, device.plan.stream_count);
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        if (!device.streams.isOnGpu(stream))
          fail("{}: it runs on stream {}, which is not the GPU's; compile with "
               "--collectives=host",
               CollectiveCall::nameOf(desc), device.plan.streams[stream].name);
      });
}

} // namespace

Connect cuda::connectGpus(const CollectiveDevice &device) {
  checkStreams(device);
  return [device, backend = makeBackend(device)](
             World &world, std::unique_ptr<Transport> host) {
    return std::make_unique<GpuCollectives>(device, backend, world,
                                            std::move(host));
  };
}

CollectiveCall CollectiveDevice::callOf(const zrt_collective_desc &desc,
                                        zrt_stream stream, int rank,
                                        TrafficRow &row) const {
  const RankGroups groups(plan);
  return {desc,
          stream,
          streams.of(stream, CollectiveCall::nameOf(desc)),
          address(refOf(desc.source, uint32_t(rank), groups)),
          address(refOf(desc.result, uint32_t(rank), groups)),
          row};
}

void Backend::setRank(int number) {
  rank = number;
  for (uint32_t over = 0; over < parties.size(); ++over)
    parties[over] = groups.partyOver(over, uint32_t(rank));
}

void Backend::connect() {
  TrafficRow row;
  zrt_collective_desc none = {};
  none.name = "the first collective between GPUs";
  std::set<std::pair<zrt_stream, uint32_t>> met;
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        if (!met.emplace(stream, desc.over).second)
          return;
        none.over = desc.over;
        meet({none, stream, device.streams.of(stream, none.name), 0, 0, row});
        device.streams.finish(stream);
      });
  // A new communicator of NCCL sets the stack to what NCCL's kernels need.
  device.kernels.growStack();
  // One of each kind and size.
  std::set<
      std::tuple<zrt_stream, uint32_t, uint32_t, uint64_t, uint32_t, uint32_t>>
      done;
  forEachCollective(
      device.plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        if (!done.emplace(stream, desc.over, desc.kind, desc.elements,
                          desc.source.dtype, desc.result.dtype)
                 .second)
          return;
        run(device.callOf(desc, stream, rank, row));
        device.streams.finish(stream);
      });
  haveConnected();
}

void Backend::run(const CollectiveCall &call) {
  switch (call.desc.kind) {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  case NUMBER:                                                                 \
    return run##STEM(call);
#include "abi/CollectiveKinds.def"
  default:
    refuse(call);
  }
}

void Backend::refuse(const CollectiveCall &call) {
  fail("{}: GPUs have no {}; compile with --collectives=host", call.name(),
       collectiveName(call.desc.kind));
}
