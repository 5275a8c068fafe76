//===- Api.cpp - The C ABI on top of the context --------------------------===//
//
// Exceptions end here: the first one is latched, later calls return at once.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Context.h"

#include "runtime/cpu/PlanChecks.h"
#include "runtime/world/World.h"

#include <exception>
#include <new>
#include <string>

using namespace zrt;

namespace {

constexpr zrt_status kOk = 0, kFailed = 1;

/// Why the last zrt_create of this thread failed.
thread_local std::string creationError;

zrt_status enqueue(zrt_context *ctx, zrt_stream stream, const Entry &entry) {
  if (ctx->error.set())
    return kFailed;
  try {
    ctx->enqueue(stream, entry);
    return kOk;
  } catch (const std::exception &exception) {
    ctx->latch(exception.what());
    return kFailed;
  }
}

} // namespace

zrt_status zrt_launch(zrt_context *ctx, zrt_stream stream,
                      const zrt_launch_desc *launch) {
  return enqueue(ctx, stream, {.kind = Entry::Kind::Launch, .launch = launch});
}

zrt_status zrt_matmul(zrt_context *ctx, zrt_stream stream,
                      const zrt_matmul_desc *matmul) {
  return enqueue(ctx, stream, {.kind = Entry::Kind::Matmul, .matmul = matmul});
}

zrt_status zrt_update(zrt_context *ctx, zrt_stream stream,
                      const zrt_update_desc *update) {
  return enqueue(ctx, stream, {.kind = Entry::Kind::Update, .update = update});
}

zrt_status zrt_sum_squares(zrt_context *ctx, zrt_stream stream,
                           const zrt_squares_desc *squares) {
  return enqueue(ctx, stream,
                 {.kind = Entry::Kind::SumSquares, .squares = squares});
}

zrt_status zrt_collective(zrt_context *ctx, zrt_stream stream,
                          const zrt_collective_desc *collective) {
  return enqueue(ctx, stream,
                 {.kind = Entry::Kind::Collective, .collective = collective});
}

zrt_status zrt_copy(zrt_context *ctx, zrt_stream stream, const zrt_ref *from,
                    const zrt_ref *to) {
  return enqueue(ctx, stream,
                 {.kind = Entry::Kind::Copy, .from = *from, .to = *to});
}

zrt_status zrt_record(zrt_context *ctx, zrt_stream stream, uint32_t event) {
  return enqueue(ctx, stream, {.kind = Entry::Kind::Record, .event = event});
}

zrt_status zrt_wait(zrt_context *ctx, zrt_stream stream, uint32_t event) {
  return enqueue(ctx, stream, {.kind = Entry::Kind::Wait, .event = event});
}

zrt_status zrt_create(const zrt_plan *plan, int32_t threads, zrt_world *world,
                      zrt_context **out_ctx) {
  *out_ctx = nullptr;
  try {
    creationError.clear();
    // First: an alien plan has no sizes to believe.
    checkPlan(*plan);
    World *ranks = world ? &world->world : nullptr;
    checkRanks(*plan, ranks ? ranks->size() : 1);
    *out_ctx = new zrt_context(*plan, threads, ranks);
    return kOk;
  } catch (const std::exception &exception) {
    creationError = exception.what();
    return kFailed;
  }
}

void zrt_destroy(zrt_context *ctx) { delete ctx; }

zrt_status zrt_run(zrt_context *ctx, uint32_t program) {
  if (ctx->error.set())
    return kFailed;
  try {
    ctx->run(program);
  } catch (const std::exception &exception) {
    ctx->latch(exception.what());
  }
  return ctx->error.set() ? kFailed : kOk;
}

void *zrt_address(zrt_context *ctx, const zrt_ref *ref) {
  return ctx->address(*ref);
}

uint64_t zrt_arena_bytes(const zrt_context *ctx, uint32_t tier) {
  return tier < ZRT_TIER_COUNT ? ctx->arena(tier).size() : 0;
}

const char *zrt_error_message(const zrt_context *ctx) {
  return ctx ? ctx->error.message() : creationError.c_str();
}
