//===- Context.cpp - One run of a plan on the CPU -------------------------===//
#include "runtime/cpu/Context.h"

#include "runtime/Error.h"
#include "runtime/cpu/Matmul.h"
#include "runtime/cpu/PlanChecks.h"
#include "runtime/cpu/Poison.h"
#include "runtime/world/Agree.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace zrt;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Events of one run of any program.
uint32_t eventCount(const zrt_plan &plan) {
  uint32_t most = 0;
  for (const zrt_program &program : plan.programs)
    most = std::max(most, program.event_count);
  return most;
}

const char *orElse(const char *name, const char *otherwise) {
  return name ? name : otherwise;
}

} // namespace

void ErrorLatch::latch(std::string text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load(std::memory_order_relaxed))
    return;
  first = std::move(text);
  failed.store(true, std::memory_order_release);
}

Context::Context(const zrt_plan &aPlan, int threads, World *world)
    : plan(aPlan), events(eventCount(aPlan)), chaos(world ? world->rank() : 0),
      buckets(aPlan, world ? static_cast<uint32_t>(world->rank()) : 0) {
  if (threads < 0)
    fail("the number of threads is {}; give 0 for all", threads);
  const auto allocate = [&] {
    for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
      arenas[tier].allocate(plan.arena_bytes[tier], tier,
                            tier == ZRT_DEVICE && plan.world_size > 1
                                ? plan.exported_begin
                                : plan.arena_bytes[tier]);
    trace = Trace::fromEnvironment(world ? world->rank() : 0);
  };
  // A rank without memory must not leave the others waiting for it.
  if (world)
    together(*world, allocate);
  else
    allocate();
  transport =
      std::make_unique<Transport>(plan, arenas[ZRT_DEVICE], world, chaos);
  team = makeTeam(threads);
  for (zrt_stream stream = 0; stream < ZRT_STREAM_COUNT; ++stream)
    queues[stream] = std::make_unique<StreamQueue>(
        stream,
        [this](zrt_stream s, const Entry &entry) { execute(s, entry); });
}

std::unique_ptr<Team> Context::makeTeam(int threads) const {
  std::vector<int> processors = availableProcessors();
  if (const Peers *peers = transport->connected())
    processors = peers->shareOf(processors);
  const size_t size =
      threads ? size_t(threads) : std::max<size_t>(processors.size(), 1);
  // With fewer threads than processors, other programs may want the rest.
  if (processors.size() != size)
    processors.clear();
  return std::make_unique<Team>(static_cast<int>(size), std::move(processors));
}

void Context::latch(const std::string &text) {
  error.latch(text);
  transport->abort(error.message());
}

std::string Context::transportNote() const {
  const Peers *peers = transport->connected();
  return peers ? peers->note : "";
}

void Context::check(const Entry &entry) {
  switch (entry.kind) {
  case Entry::Kind::Launch: {
    const zrt_launch_desc &desc = *entry.launch;
    const char *name = orElse(desc.name, "launch");
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
    const char *name = orElse(desc.name, "matmul");
    checkMatmul(desc);
    checkRef(plan, desc.a, name);
    checkRef(plan, desc.b, name);
    checkRef(plan, desc.c, name);
    if (desc.has_bias)
      checkRef(plan, desc.bias, name);
    return;
  }
  case Entry::Kind::Update: {
    const zrt_update_desc &desc = *entry.update;
    buckets.check(desc);
    for (uint32_t i = 0; i < desc.arg_count; ++i)
      checkRef(plan, desc.args[i], orElse(desc.name, "update"));
    return;
  }
  case Entry::Kind::SumSquares: {
    const zrt_squares_desc &desc = *entry.squares;
    buckets.check(desc);
    checkRef(plan, desc.grad, orElse(desc.name, "sum_squares"));
    checkRef(plan, desc.partials, orElse(desc.name, "sum_squares"));
    return;
  }
  case Entry::Kind::Collective: {
    const zrt_collective_desc &desc = *entry.collective;
    checkRef(plan, desc.source, orElse(desc.name, "a collective"));
    checkRef(plan, desc.result, orElse(desc.name, "a collective"));
    return transport->check(desc);
  }
  case Entry::Kind::Copy:
    if (entry.to.bytes < entry.from.bytes)
      fail("a copy of {} bytes goes to a range of {} bytes", entry.from.bytes,
           entry.to.bytes);
    checkRef(plan, entry.from, "the source of a copy");
    checkRef(plan, entry.to, "the target of a copy");
    return;
  case Entry::Kind::Record:
    return events.issueRecord(entry.event, runs);
  case Entry::Kind::Wait:
    return events.checkWait(entry.event, runs);
  }
}

void Context::enqueue(zrt_stream stream, const Entry &entry) {
  if (stream >= ZRT_STREAM_COUNT)
    fail("stream {} does not exist", stream);
  check(entry);
  if (trace)
    trace->issue(stream, entry);
  queues[stream]->push(entry);
}

void Context::joinAll() {
  for (auto &queue : queues)
    queue->join();
}

void Context::poison() {
  // Peers read this arena only in collectives.  One ends here when all of them
  // are done with it (between hosts: when it has been sent), and those of the
  // last program have all ended here, or it failed and no other runs.  Those of
  // the next wait until this rank arrives, which it does after this.
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    poisonTemporaries(plan, tier, arenas[tier].data());
}

void Context::run(uint32_t program) {
  if (program >= ZRT_PROGRAM_COUNT || !plan.programs[program].run)
    fail("the plan has no program {}", program);
  joinAll();
  if (chaos.on())
    poison();
  for (auto &queue : queues)
    queue->rewind();
  ++runs;
  if (trace)
    trace->startRun(program, runs);
  const auto start = Clock::now();
  const zrt_status status =
      plan.programs[program].run(static_cast<zrt_context *>(this));
  joinAll();
  if (profile.enabled())
    profile.addProgram(secondsSince(start), program == ZRT_STEP);
  if (status != 0 && !error.set())
    latch(fmt::format("the compiled step returned status {}", status));
  if (trace)
    trace->endRun();
}

void Context::execute(zrt_stream stream, const Entry &entry) {
  chaos.delay(stream);
  switch (entry.kind) {
  case Entry::Kind::Record:
    return events.reach(entry.event, runs,
                        trace ? &trace->clock(stream) : nullptr);
  case Entry::Kind::Wait:
    return events.wait(entry.event, runs,
                       trace ? &trace->clock(stream) : nullptr);
  default:
    break;
  }
  if (error.set())
    return;
  try {
    if (trace)
      trace->begin(stream);
    if (profile.enabled()) {
      const auto start = Clock::now();
      work(stream, entry);
      profile.add(stream, entry, secondsSince(start));
    } else {
      work(stream, entry);
    }
    if (trace)
      trace->end(stream, entry);
  } catch (const std::exception &exception) {
    latch(exception.what());
  }
}

void Context::work(zrt_stream stream, const Entry &entry) {
  switch (entry.kind) {
  case Entry::Kind::Launch:
    return launch(stream, *entry.launch);
  case Entry::Kind::Update:
    return update(stream, *entry.update);
  case Entry::Kind::SumSquares: {
    const zrt_squares_desc &desc = *entry.squares;
    return buckets.sumSquares(
        desc, reinterpret_cast<const float *>(address(desc.grad)),
        reinterpret_cast<double *>(address(desc.partials)), teamOf(stream));
  }
  case Entry::Kind::Collective: {
    const zrt_collective_desc &desc = *entry.collective;
    return transport->run(stream, desc, address(desc.source),
                          address(desc.result),
                          trace ? &trace->collective(stream) : nullptr);
  }
  case Entry::Kind::Copy:
    return copy(stream, entry);
  default:
    break;
  }
  const zrt_matmul_desc &desc = *entry.matmul;
  runMatmul(desc, address(desc.a), address(desc.b),
            desc.has_bias ? address(desc.bias) : nullptr, address(desc.c),
            teamOf(stream));
}

void Context::launch(zrt_stream stream, const zrt_launch_desc &desc) {
  std::vector<void *> &args = arguments[stream];
  args.resize(desc.arg_count);
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] = address(desc.args[i]);
  const int64_t pieces =
      desc.extent / desc.grain + (desc.extent % desc.grain != 0);
  teamOf(stream).parallelFor(pieces, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece * desc.grain;
      const int64_t size = std::min(desc.grain, desc.extent - begin);
      desc.fn(args.data(), begin, begin + size);
    }
  });
  checkPacking(orElse(desc.name, "launch"));
}

void Context::update(zrt_stream stream, const zrt_update_desc &desc) {
  std::vector<void *> &args = arguments[stream];
  args.resize(desc.arg_count);
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    args[i] = address(desc.args[i]);
  buckets.update(desc, args, teamOf(stream));
}

void Context::copy(zrt_stream stream, const Entry &entry) {
  const std::byte *from = address(entry.from);
  std::byte *to = address(entry.to);
  if (entry.from.bytes == 0)
    return;
  const uint64_t half = chaos.on() ? entry.from.bytes / 2 : 0;
  if (chaos.on()) {
    std::memcpy(to, from, half);
    chaos.delay(stream);
  }
  std::memcpy(to + half, from + half, entry.from.bytes - half);
}
