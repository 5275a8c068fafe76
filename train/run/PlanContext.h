//===- PlanContext.h - The context of a training binary ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/text/Error.h"
#include "runtime/world/World.h"
#include "train/options/Options.h"
#include "train/run/MemoryCheck.h"

#include <functional>
#include <memory>

namespace zrt {

/// A zrt_context that is made in two steps: create() can fail on one rank
/// alone; all ranks call start() together, which first holds the plan against
/// the memory.  Both throw zrt::Error.
class PlanContext {
public:
  explicit PlanContext(World &world) : handle{world} {}

  void create(const zrt_plan &aPlan) {
    zrt_context *created = nullptr;
    plan = &aPlan;
    const zrt_status status = zrt_create(plan, &created);
    context.reset(created);
    if (status != 0)
      throw Error(zrt_error_message(created));
  }

  using Starter =
      std::function<zrt_status(zrt_context *, const zrt_setup *, zrt_world *)>;
  /// `digestRanks` is that of zrt_setup.
  void start(const TrainOptions &options, const Starter &starter = zrt_start,
             uint32_t digestRanks = 0) {
    checkMemory(handle.world, *plan, options.checksMemory);
    const zrt_setup setup = {options.threads, options.hostThreads,
                             options.nvmePath.c_str(), options.verifyReads,
                             digestRanks};
    if (starter(get(), &setup, &handle) != 0)
      throw Error(zrt_error_message(get()));
  }

  zrt_context *get() const { return context.get(); }

private:
  struct Destroy {
    void operator()(zrt_context *ctx) const { zrt_destroy(ctx); }
  };

  const zrt_plan *plan = nullptr;
  zrt_world handle;
  std::unique_ptr<zrt_context, Destroy> context;
};

} // namespace zrt
