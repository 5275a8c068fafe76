//===- Start.cpp - Puts a context together --------------------------------===//
//
// Only this file knows which devices and transports exist: it makes the device
// that the plan names, or the one for the host's processors.
//
//===----------------------------------------------------------------------===//
#include "runtime/start/Start.h"

#include "runtime/core/PlanChecks.h"
#include "runtime/device/MakeDevice.h"
#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/store/Store.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/transport/Transport.h"
#include "runtime/world/Agree.h"
#include "runtime/world/RankOnHost.h"
#include "runtime/world/World.h"

#include <exception>
#include <new>

using namespace zrt;

namespace {

constexpr zrt_status kOk = 0, kFailed = 1;

/// Returns the NVMe tier; nullptr if the plan has none.
std::unique_ptr<Store> makeStore(const zrt_plan &plan, const zrt_setup &setup,
                                 int rank, bool isChaos) {
  const uint64_t bytes = plan.arena_bytes[ZRT_NVME];
  if (bytes == 0)
    return nullptr;
  if (!setup.nvme_path || !*setup.nvme_path)
    fail("the plan keeps {} on nvme; say in which folders, with "
         "--nvme-path=DIR[,DIR...]",
         shownBytes(bytes));
  return std::make_unique<Store>(bytes, setup.nvme_path,
                                 Faults::fromEnvironment(rank),
                                 setup.verify_reads != 0 || isChaos);
}

void start(zrt_context &ctx, const zrt_setup &setup, World *world,
           const AroundDevice &around) {
  const zrt_plan &plan = ctx.plan;
  const int rank = world ? world->rank() : 0;
  checkRanks(plan, world ? world->size() : 1);
  ContextParts parts;
  parts.chaos = std::make_unique<ChaosDelays>(rank);
  for (const int32_t threads : {setup.threads, setup.host_threads})
    if (threads < 0)
      fail("the number of threads is {}; give 0 for all", threads);
  const int onHost = world ? rankOnHost(*world) : 0;
  std::unique_ptr<Device> device;
  decltype(zrt_device_request::connect) connect;
  const auto allocate = [&] {
    zrt_device_request made = makeDevice(
        plan, rank, onHost, makeStore(plan, setup, rank, parts.chaos->on()),
        environmentNumber("ZRT_GUARD", 0, 1) != 0);
    device = std::move(made.device);
    connect = std::move(made.connect);
    parts.trace = Trace::fromEnvironment(plan, rank);
  };
  // A rank that is out of memory must not leave the others waiting for it.
  if (world)
    together(*world, allocate);
  else
    allocate();
  auto transport = std::make_unique<Transport>(plan, device->exported(), world,
                                               *parts.chaos);
  std::vector<int> processors = availableProcessors();
  if (const Peers *peers = transport->connected())
    processors = peers->shareOf(processors);
  device->startThreads(plan, setup.threads, std::move(processors),
                       setup.host_threads);
  if (setup.digest_ranks != 0) {
    parts.digest =
        std::make_unique<Digest>(plan, uint32_t(rank), setup.digest_ranks);
    device->addTo(*parts.digest);
  }
  parts.device = around ? around(std::move(device)) : std::move(device);
  if (world && connect)
    parts.collectives = connect(*world, std::move(transport));
  else
    parts.collectives = std::move(transport);
  ctx.run = std::make_unique<Context>(plan, rank, std::move(parts), ctx.error);
}

/// Catches what `action` throws and keeps it as the error of `ctx`.
template <typename Action>
zrt_status attempt(zrt_context &ctx, Action action) {
  try {
    action();
  } catch (const std::exception &exception) {
    ctx.error.latch(exception.what());
  }
  return ctx.error.set() ? kFailed : kOk;
}

} // namespace

zrt_device_request zrt::makeDevice(const zrt_plan &plan, int rank,
                                   int rankOnHost, std::unique_ptr<Store> store,
                                   bool isGuarded) {
  zrt_device_request made = {plan, rank, rankOnHost, {}, {}, {}};
  if (!plan.make_device) {
    made.device =
        std::make_unique<CpuDevice>(plan, isGuarded, std::move(store));
    return made;
  }
  made.host = std::make_unique<CpuDevice>(planOfHost(plan), isGuarded,
                                          std::move(store));
  plan.make_device(&made);
  return made;
}

zrt_status zrt_create(const zrt_plan *plan, zrt_context **out_ctx) {
  zrt_context *ctx = *out_ctx = new (std::nothrow) zrt_context;
  if (!ctx)
    return kFailed;
  return attempt(*ctx, [&] {
    // Checked first: the sizes in a plan of another version cannot be trusted.
    checkVersion(*plan);
    checkMachine(*plan);
    checkPlan(*plan);
    ctx->plan = *plan;
  });
}

zrt_status zrt_start(zrt_context *ctx, const zrt_setup *setup,
                     zrt_world *world) {
  return startAround(*ctx, *setup, world ? &world->world : nullptr, {});
}

zrt_status zrt::startAround(zrt_context &ctx, const zrt_setup &setup,
                            World *world, const AroundDevice &around) {
  if (ctx.error.set())
    return kFailed;
  return attempt(ctx, [&] {
    if (ctx.run)
      fail("the context has been started already");
    start(ctx, setup, world, around);
  });
}
