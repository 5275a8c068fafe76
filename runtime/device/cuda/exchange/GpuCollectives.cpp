//===- GpuCollectives.cpp - Collectives that stay on GPUs -----------------===//
#include "runtime/device/cuda/exchange/GpuCollectives.h"

#include "runtime/Error.h"
#include "runtime/PlanTable.h"

#include <utility>

using namespace zrt;
using namespace zrt::cuda;

GpuCollectives::GpuCollectives(ExchangeDevice theDevice,
                               std::shared_ptr<Exchange> theExchange,
                               World &world, std::unique_ptr<Transport> theHost)
    : device(std::move(theDevice)), host(std::move(theHost)),
      exchange(std::move(theExchange)), calls(device.plan.stream_count),
      watch([this] { look(); }) {
  exchange->prepare(world, *host);
  try {
    begin();
    exchange->connect();
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

void GpuCollectives::begin() {
  peers.clear();
  for (int peer = 0; peer < device.ranks(); ++peer)
    if (peer != host->rank())
      peers.push_back(
          host->connected()->waitFor(peer, "an exchange between GPUs"));
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
    return exchange->abort();
  }
  try {
    for (const auto &peer : peers)
      peer->look();
    if (const std::string text = exchange->failure(); !text.empty())
      fail("{}", text);
  } catch (const std::exception &error) {
    abort(error.what());
  }
}

void GpuCollectives::abort(const std::string &message) {
  // Comes first, so that peers that see the exchange fail already know this
  // rank's error.
  host->abort(message);
  failure.latch(message);
  (void)device.gpu.tryEnter();
  exchange->abort();
}

void GpuCollectives::check(const zrt_collective_desc &desc) const {
  host->check(desc);
  for (const auto &[what, operand] :
       {std::pair("source", desc.source), {"result", desc.result}})
    if (operand.ref.tier != ZRT_DEVICE)
      fail("{}: it lies on {}, and GPUs exchange what is on them; compile "
           "with --collectives=host",
           what, tierName(operand.ref.tier));
}

void GpuCollectives::issue(const ExchangeCall &call) {
  switch (call.desc.kind) {
  case ZRT_ALL_GATHER:
    return exchange->allGather(call);
  case ZRT_REDUCE_SCATTER:
    return exchange->reduceScatter(call);
  default:
    return exchange->allReduce(call);
  }
}

void GpuCollectives::run(zrt_stream stream, const zrt_collective_desc &desc,
                         const std::byte * /*source*/, std::byte * /*result*/,
                         TrafficRow &row, CollectiveTrace *trace) {
  if (failure.set())
    fail("{}", failure.message());
  device.gpu.enter();
  const ExchangeCall call = {
      desc,
      stream,
      device.streams.of(stream, ExchangeCall::nameOf(desc)),
      device.address(desc.source.ref),
      device.address(desc.result.ref),
      row};
  ++row.calls;
  ++calls[stream];
  if (trace) {
    trace->number = calls[stream];
    trace->arrived = traceTime();
  }
  try {
    issue(call);
  } catch (const Error &) {
    if (failure.set())
      fail("{}", failure.message());
    throw;
  }
  if (trace) {
    // A trace needs the time at which the last byte arrived.
    device.streams.finish(stream);
    trace->read = traceTime();
  }
}
