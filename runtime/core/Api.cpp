//===- Api.cpp - The C ABI on top of the context --------------------------===//
//
// Exceptions are caught here: the first one is latched, later calls return at
// once.  (zrt_create and zrt_start are in runtime/start.)
//
//===----------------------------------------------------------------------===//
#include "runtime/core/Context.h"

#include <exception>

using namespace zrt;

namespace {

constexpr zrt_status kOk = 0, kFailed = 1;

/// Returns true if work can be done: `ctx` was started and nothing has failed.
bool isReady(zrt_context *ctx) {
  if (!ctx->run)
    ctx->error.latch("the context has not been started; call zrt_start");
  return !ctx->error.set();
}

/// Calls `action` and latches its exception; does nothing after an error.
template <typename Action>
zrt_status attempt(zrt_context *ctx, Action action) {
  if (!isReady(ctx))
    return kFailed;
  try {
    action();
    return kOk;
  } catch (const std::exception &exception) {
    ctx->run->latch(exception.what());
    return kFailed;
  }
}

} // namespace

void zrt_destroy(zrt_context *ctx) { delete ctx; }

zrt_status zrt_run(zrt_context *ctx, uint32_t program) {
  attempt(ctx, [&] { ctx->run->run(program); });
  return ctx->error.set() ? kFailed : kOk;
}

zrt_status zrt_read(zrt_context *ctx, const zrt_ref *ref, void *to,
                    uint64_t bytes) {
  return attempt(ctx, [&] { ctx->run->read(*ref, to, bytes); });
}

zrt_status zrt_write(zrt_context *ctx, const zrt_ref *ref, const void *from,
                     uint64_t bytes) {
  return attempt(ctx, [&] { ctx->run->write(*ref, from, bytes); });
}

zrt_status zrt_take_digest(zrt_context *ctx, uint64_t *sums) {
  return attempt(ctx, [&] { ctx->run->takeDigest(sums); });
}

uint64_t zrt_arena_bytes(const zrt_context *ctx, uint32_t tier) {
  return ctx->run && tier < ZRT_TIER_COUNT ? ctx->run->device().arenaBytes(tier)
                                           : 0;
}

int32_t zrt_threads(const zrt_context *ctx) {
  return ctx->run ? ctx->run->device().threads() : 0;
}

int32_t zrt_host_threads(const zrt_context *ctx) {
  return ctx->run ? ctx->run->device().hostThreads() : 0;
}

const char *zrt_choose_matmuls(zrt_context *ctx, int32_t most,
                               const char *chosen) {
  if (!isReady(ctx))
    return nullptr;
  // Peers are told by the caller: they wait for its choices.
  try {
    ctx->report = ctx->run->device().chooseMatmuls(most, chosen);
    return ctx->report.c_str();
  } catch (const std::exception &exception) {
    ctx->error.latch(exception.what());
    return nullptr;
  }
}

double zrt_matmul_rate(zrt_context *ctx, zrt_dtype dtype) {
  return isReady(ctx) ? ctx->run->device().matmulRate(dtype) : 0;
}

void zrt_profile(zrt_context *ctx) {
  if (!isReady(ctx))
    return;
  ctx->run->profile.start();
  ctx->run->traffic.start();
}

const char *zrt_report(zrt_context *ctx, uint32_t what) {
  ctx->report.clear();
  if (Context *run = ctx->run.get()) {
    if (what == ZRT_NOTE) {
      for (const std::string &note :
           {run->collectives().note(), run->device().note()})
        if (!note.empty())
          ctx->report += (ctx->report.empty() ? "" : "\n") + note;
    } else if (what == ZRT_TIMES)
      ctx->report = run->profile.table();
    else if (what == ZRT_TRAFFIC)
      ctx->report = run->traffic.table();
    else if (what == ZRT_UNPREDICTED)
      ctx->report = run->traffic.difference();
  }
  return ctx->report.c_str();
}

const char *zrt_error_message(const zrt_context *ctx) {
  return ctx ? ctx->error.message() : "out of memory";
}
