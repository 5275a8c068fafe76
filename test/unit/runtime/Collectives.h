//===- Collectives.h - Plans for several ranks ------------------*- C++ -*-===//
#pragma once

#include "runtime/core/Context.h"
#include "runtime/transport/Transport.h"
#include "runtime/world/World.h"

#include "TestPlan.h"
#include "ThreadWorld.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace zrt::test {

/// A plan of `ranks` ranks with 64 KiB of private memory, then `exported` bytes
/// that peers read.
inline zrt_plan ranksPlan(int ranks, const Table &step,
                          uint64_t exported = 4 << 20) {
  constexpr uint64_t kPrivate = 64 << 10;
  zrt_plan plan = testPlan(step, kPrivate + exported);
  plan.world_size = static_cast<uint32_t>(ranks);
  plan.exported_begin = kPrivate;
  return plan;
}
inline zrt_ref exportedRef(uint64_t offset, uint64_t bytes) {
  return deviceRef((64 << 10) + offset, bytes);
}

/// A collective that accumulates nothing.
inline zrt_collective_desc collectiveWith(const char *name, uint32_t kind,
                                          uint64_t elements, uint64_t wireBytes,
                                          const zrt_operand &source,
                                          const zrt_operand &result,
                                          double scale = 1.0) {
  return {name,      kind,   0,      elements,     scale,
          wireBytes, source, result, ZRT_OVER_ALL, 0};
}

/// Creates a context of this rank, which must succeed.
inline ContextPtr create(const zrt_plan &plan, World &world) {
  zrt_world handle = {world};
  ContextPtr ctx = zrt::create(plan, /*threads=*/1, &handle);
  if (!isGood(ctx))
    ADD_FAILURE() << zrt_error_message(ctx.get());
  return ctx;
}

/// Returns the other ranks, of which there must be some.
inline Peers &peersOf(const ContextPtr &ctx) {
  return *dynamic_cast<Transport &>(ctx->run->collectives()).connected();
}

template <typename T>
T *at(const ContextPtr &ctx, const zrt_ref &ref) {
  return memoryOf<T>(ctx, ref);
}

} // namespace zrt::test
