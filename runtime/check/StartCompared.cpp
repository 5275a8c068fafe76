//===- StartCompared.cpp - Starts contexts with comparisons ---------------===//
#include "runtime/check/StartCompared.h"

#include "runtime/check/ComparedDevice.h"
#include "runtime/start/Start.h"

using namespace zrt;
using namespace zrt::check;

zrt_status check::startCompared(zrt_context *ctx, const zrt_setup *setup,
                                zrt_world *world, Comparisons &shown) {
  const int rank = world ? world->world.rank() : 0;
  return startAround(*ctx, *setup, world ? &world->world : nullptr,
                     [&](std::unique_ptr<Device> device) {
                       return std::make_unique<ComparedDevice>(
                           ctx->plan, rank, shown, std::move(device));
                     });
}

std::optional<uint64_t> check::bytesInUse(zrt_context *ctx) {
  return ctx->run->device().bytesInUse();
}
