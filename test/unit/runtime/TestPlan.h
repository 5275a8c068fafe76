//===- TestPlan.h - Plans made by hand --------------------------*- C++ -*-===//
//
// A compiled step is a C function that calls zrt.  Tests write it as a lambda.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_TEST_TEST_PLAN_H
#define ZRT_TEST_TEST_PLAN_H

#include "runtime/core/Context.h"
#include "runtime/zrt.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace zrt {

using StepFn = zrt_status (*)(zrt_context *);

inline zrt_plan testPlan(StepFn step, uint64_t deviceBytes = 1 << 16,
                         uint32_t events = 8) {
  zrt_plan plan = {};
  plan.abi_version = ZRT_ABI_VERSION;
  plan.world_size = 1;
  plan.model = "test";
  plan.options = "";
  plan.cpu = "x86-64";
  plan.features = "";
  plan.arena_bytes[ZRT_DEVICE] = deviceBytes;
  plan.accumulate = 1;
  plan.exported_begin = deviceBytes;
  plan.programs[ZRT_STEP] = {step, events, 0, nullptr};
  return plan;
}

struct DestroyContext {
  void operator()(zrt_context *ctx) const { zrt_destroy(ctx); }
};
using ContextPtr = std::unique_ptr<zrt_context, DestroyContext>;

/// A context that has been started, or one that says why it could not be.
inline ContextPtr create(const zrt_plan &plan, int threads = 2,
                         zrt_world *world = nullptr) {
  zrt_context *ctx = nullptr;
  zrt_create(&plan, &ctx);
  zrt_start(ctx, threads, world);
  return ContextPtr(ctx);
}

/// Where the device keeps `ref`: what a test may see, and host code may not.
template <typename T = std::byte>
T *memoryOf(zrt_context *ctx, const zrt_ref &ref) {
  return reinterpret_cast<T *>(ctx->run->device().memory(ref));
}
template <typename T = std::byte>
T *memoryOf(const ContextPtr &ctx, const zrt_ref &ref) {
  return memoryOf<T>(ctx.get(), ref);
}

/// Whether nothing has gone wrong.
inline bool isGood(const ContextPtr &ctx) {
  return !*zrt_error_message(ctx.get());
}

inline zrt_ref deviceRef(uint64_t offset, uint64_t bytes) {
  return {ZRT_DEVICE, 0, offset, bytes};
}

/// ZRT_CHAOS for as long as it lives.
class Chaos {
public:
  explicit Chaos(int seed) {
    setenv("ZRT_CHAOS", std::to_string(seed).c_str(), /*overwrite=*/1);
  }
  ~Chaos() { unsetenv("ZRT_CHAOS"); }
  Chaos(const Chaos &) = delete;
  Chaos &operator=(const Chaos &) = delete;
};

} // namespace zrt

#endif // ZRT_TEST_TEST_PLAN_H
