//===- TestPlan.h - Plans made by hand, and their contexts ------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Context.h"
#include "runtime/plan/PlanTable.h"
#include "train/check/HandPlan.h"

#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zrt {

inline zrt_plan testPlan(const Table &step, uint64_t deviceBytes = 1 << 16) {
  return handPlan(step, deviceBytes);
}

struct DestroyContext {
  void operator()(zrt_context *ctx) const { zrt_destroy(ctx); }
};
using ContextPtr = std::unique_ptr<zrt_context, DestroyContext>;

/// Returns a started context, or one that explains why it could not be started.
inline ContextPtr create(const zrt_plan &plan, int threads = 2,
                         zrt_world *world = nullptr) {
  zrt_context *ctx = nullptr;
  zrt_create(&plan, &ctx);
  const zrt_setup setup = {threads, 0, nullptr, 0, 0};
  zrt_start(ctx, &setup, world);
  return ContextPtr(ctx);
}

/// The device address of `ref`, which a test may use but host code may not.
template <typename T = std::byte>
T *memoryOf(zrt_context *ctx, const zrt_ref &ref) {
  return reinterpret_cast<T *>(ctx->run->device().memory(ref));
}
template <typename T = std::byte>
T *memoryOf(const ContextPtr &ctx, const zrt_ref &ref) {
  return memoryOf<T>(ctx.get(), ref);
}

/// Returns true if there has been no error.
inline bool isGood(const ContextPtr &ctx) {
  return !*zrt_error_message(ctx.get());
}

/// Sets an environment variable during its lifetime.
class Environment {
public:
  Environment(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), /*overwrite=*/1);
  }
  ~Environment() { unsetenv(name); }
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

private:
  const char *const name;
};

/// Sets ZRT_CHAOS during its lifetime.
struct Chaos : Environment {
  explicit Chaos(int seed) : Environment("ZRT_CHAOS", std::to_string(seed)) {}
};

} // namespace zrt
