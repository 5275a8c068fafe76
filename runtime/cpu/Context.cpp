//===- Context.cpp - One run of a plan on the CPU -------------------------===//
//
// ZRT_CHAOS=seed delays entries at random before they execute, and copies in
// the middle as well.  Streams then run in orders that a quiet machine never
// shows, and a plan that lacks an event computes garbage.
//
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Context.h"

#include "runtime/Error.h"
#include "runtime/cpu/Matmul.h"
#include "runtime/cpu/Parallel.h"
#include "runtime/cpu/PlanChecks.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace zrt;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<uint64_t> chaosSeed() {
  const char *text = std::getenv("ZRT_CHAOS");
  if (!text || !*text)
    return std::nullopt;
  uint64_t seed = 0;
  const char *end = text + std::strlen(text);
  if (std::from_chars(text, end, seed).ptr != end)
    fail("ZRT_CHAOS={} is not a number; set it to a seed or unset it", text);
  return seed;
}

} // namespace

void ErrorLatch::latch(std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load(std::memory_order_relaxed))
    return;
  first = std::move(text);
  failed.store(true, std::memory_order_release);
}

Context::Context(const zrt_plan &aPlan, int threads)
    : plan(aPlan), teamSize(threads > 0 ? threads : availableThreads()),
      events(std::max({plan.programs[ZRT_COUNT].event_count,
                       plan.programs[ZRT_MICRO].event_count,
                       plan.programs[ZRT_STEP].event_count})) {
  if (threads < 0)
    fail("the number of threads is {}; give 0 for all", threads);
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    arenas[tier].allocate(plan.arena_bytes[tier], tier);
  if (const auto seed = chaosSeed()) {
    chaos.emplace();
    for (zrt_stream stream = 0; stream < ZRT_STREAM_COUNT; ++stream)
      (*chaos)[stream].seed(*seed * ZRT_STREAM_COUNT + stream);
  }
  for (zrt_stream stream = 0; stream < ZRT_STREAM_COUNT; ++stream)
    queues[stream] = std::make_unique<StreamQueue>(
        stream,
        [this](zrt_stream s, const Entry &entry) { execute(s, entry); });
}

void Context::check(const Entry &entry) {
  switch (entry.kind) {
  case Entry::Kind::Launch: {
    const zrt_launch_desc &desc = *entry.launch;
    const char *name = desc.name ? desc.name : "launch";
    if (!desc.fn || desc.extent < 0 || desc.grain <= 0)
      fail("{}: a launch needs a kernel, an extent >= 0 and a grain > 0, got "
           "extent {}, grain {}",
           name, desc.extent, desc.grain);
    for (uint32_t i = 0; i < desc.arg_count; ++i)
      checkRef(plan, desc.args[i], name);
    return;
  }
  case Entry::Kind::Matmul: {
    const zrt_matmul_desc &desc = *entry.matmul;
    const char *name = desc.name ? desc.name : "matmul";
    checkMatmul(desc);
    checkRef(plan, desc.a, name);
    checkRef(plan, desc.b, name);
    checkRef(plan, desc.c, name);
    if (desc.has_bias)
      checkRef(plan, desc.bias, name);
    return;
  }
  case Entry::Kind::Copy:
    if (entry.to.bytes < entry.from.bytes)
      fail("a copy of {} bytes goes to a range of {} bytes", entry.from.bytes,
           entry.to.bytes);
    checkRef(plan, entry.from, "the source of a copy");
    checkRef(plan, entry.to, "the target of a copy");
    return;
  case Entry::Kind::Record:
    return events.issueRecord(entry.event, step);
  case Entry::Kind::Wait:
    return events.checkWait(entry.event, step);
  }
}

void Context::enqueue(zrt_stream stream, const Entry &entry) {
  if (stream >= ZRT_STREAM_COUNT)
    fail("stream {} does not exist", stream);
  check(entry);
  queues[stream]->push(entry);
}

void Context::joinAll() {
  for (auto &queue : queues)
    queue->join();
}

void Context::run(uint32_t program) {
  joinAll();
  for (auto &queue : queues)
    queue->rewind();
  ++step;
  const auto start = Clock::now();
  const zrt_status status = plan.programs[program].run(static_cast<zrt_context *>(this));
  joinAll();
  if (profile.enabled())
    profile.addStep(secondsSince(start));
  if (status != 0 && !error.set())
    error.latch(fmt::format("the compiled step returned status {}", status));
}

void Context::execute(zrt_stream stream, const Entry &entry) {
  delay(stream);
  switch (entry.kind) {
  case Entry::Kind::Record:
    return events.reach(entry.event, step);
  case Entry::Kind::Wait:
    return events.wait(entry.event, step);
  default:
    break;
  }
  if (error.set())
    return;
  try {
    if (!profile.enabled())
      return work(stream, entry);
    const auto start = Clock::now();
    work(stream, entry);
    profile.add(stream, entry, secondsSince(start));
  } catch (const std::exception &exception) {
    error.latch(exception.what());
  }
}

void Context::work(zrt_stream stream, const Entry &entry) {
  if (entry.kind == Entry::Kind::Launch)
    return launch(stream, *entry.launch);
  if (entry.kind == Entry::Kind::Copy)
    return copy(stream, entry);
  const zrt_matmul_desc &desc = *entry.matmul;
  runMatmul(desc, address(desc.a), address(desc.b),
            desc.has_bias ? address(desc.bias) : nullptr, address(desc.c),
            stream == ZRT_COMPUTE ? teamSize : 1);
}

void Context::launch(zrt_stream stream, const zrt_launch_desc &desc) {
  std::vector<void *> &args = arguments[stream];
  args.resize(desc.arg_count);
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] = address(desc.args[i]);
  const int64_t pieces =
      desc.extent / desc.grain + (desc.extent % desc.grain != 0);
  parallelFor(stream == ZRT_COMPUTE ? teamSize : 1, pieces,
              [&](int64_t first, int64_t last) {
                for (int64_t piece = first; piece < last; ++piece) {
                  const int64_t begin = piece * desc.grain;
                  const int64_t size =
                      std::min(desc.grain, desc.extent - begin);
                  desc.fn(args.data(), begin, begin + size);
                }
              });
  if (const int status = takeTileFailure())
    fail("{}: dnnl_sgemm failed on a tile (oneDNN status {})",
         desc.name ? desc.name : "launch", status);
}

void Context::copy(zrt_stream stream, const Entry &entry) {
  const std::byte *from = address(entry.from);
  std::byte *to = address(entry.to);
  if (entry.from.bytes == 0)
    return;
  const uint64_t half = chaos ? entry.from.bytes / 2 : 0;
  if (chaos) {
    std::memcpy(to, from, half);
    delay(stream);
  }
  std::memcpy(to + half, from + half, entry.from.bytes - half);
}

void Context::delay(zrt_stream stream) {
  if (!chaos)
    return;
  // Most entries run at once, or long steps would take for ever and all streams
  // would be late alike; the others are late by up to 2 ms.
  const uint64_t draw = (*chaos)[stream]();
  if (draw % 4 == 0)
    std::this_thread::sleep_for(std::chrono::microseconds((draw >> 8) % 2001));
}
