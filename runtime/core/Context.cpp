//===- Context.cpp - One run of a plan ------------------------------------===//
#include "runtime/core/Context.h"

#include "runtime/core/PlanChecks.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Returns the largest number of events of any program.
uint32_t eventCount(const zrt_plan &plan) {
  uint32_t most = 0;
  for (const zrt_program &program : plan.programs)
    most = std::max(most, program.event_count);
  return most;
}

/// Whether caches live from `program` to the next one of this kind.
bool keepsCaches(uint32_t program) {
  return program == ZRT_PREFILL || program == ZRT_DECODE;
}

/// Returns the ranges of `tier` that are neither state, input nor output, nor
/// with `withCaches` a cache, in order.
std::vector<zrt_ref> temporaries(const zrt_plan &plan, uint32_t tier,
                                 bool withCaches) {
  std::vector<zrt_ref> kept;
  const auto keep = [&](const zrt_ref &ref) {
    if (ref.tier == tier)
      kept.push_back(ref);
  };
  for (const zrt_state &state : statesOf(plan))
    keep(state.ref);
  for (const zrt_input &input : inputsOf(plan))
    keep(input.ref);
  for (const zrt_output &output : outputsOf(plan))
    keep(output.ref);
  if (withCaches)
    for (const zrt_ref &cache : cachesOf(plan))
      keep(cache);
  // An empty range at the end closes the last gap.
  kept.push_back({tier, 0, plan.arena_bytes[tier], 0});
  std::ranges::sort(kept, {}, &zrt_ref::offset);
  std::vector<zrt_ref> gaps;
  uint64_t begin = 0;
  for (const zrt_ref &ref : kept) {
    if (begin < ref.offset)
      gaps.push_back({tier, 0, begin, ref.offset - begin});
    begin = std::max(begin, ref.offset + ref.bytes);
  }
  return gaps;
}

} // namespace

Context::Context(const zrt_plan &plan, int rank, ContextParts theParts,
                 ErrorLatch &error)
    : profile(plan), traffic(plan), plan(plan),
      rank(static_cast<uint32_t>(rank)), groups(plan), error(error),
      parts(std::move(theParts)), events(eventCount(plan)) {
  checkEach(plan, [&](const zrt_op &op) {
    if (op.kind == ZRT_COLLECTIVE)
      parts.collectives->check(collectiveOf(op));
    else
      parts.device->check(op);
  });
  for (const zrt_bucket &bucket : bucketsOf(plan))
    buckets.push_back(partOf(bucket, this->rank, groups));
  startQueues();
}

void Context::startQueues() {
  std::vector<bool> isUsed(plan.stream_count);
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    lists[p].resize(plan.stream_count);
    const std::span<const zrt_op> ops = opsOf(plan.programs[p]);
    for (uint32_t i = 0; i < ops.size(); ++i) {
      lists[p][ops[i].stream].push_back(i);
      isUsed[ops[i].stream] = true;
    }
  }
  queues.resize(plan.stream_count);
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    if (isUsed[stream])
      queues[stream] = std::make_unique<StreamQueue>(
          plan.streams[stream].name,
          [this](uint32_t operation) { execute(operation); });
}

void Context::latch(const std::string &text) {
  error.latch(text);
  parts.collectives->abort(error.message());
}

void Context::poison(uint32_t next) {
  // Only state, inputs and outputs live between two programs, and caches
  // between two of generation.  Without this, a
  // plan that reads a temporary before it writes it would find the value of the
  // last program, which may well be right on a quiet machine.
  //
  // No peer reads this arena now.  Peers read it only in collectives, and a
  // collective ends here after all of them are done with it (between hosts:
  // after it has been sent).  All collectives of the last program have ended
  // here; if it failed, no other program runs.  The next ones wait until this
  // rank arrives, after this call.
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    for (const zrt_ref &ref :
         temporaries(plan, tier, keepsCaches(program) && keepsCaches(next)))
      parts.device->fill(ref, 0xff); // NaN as a float, -1 as an integer
}

void Context::run(uint32_t which) {
  if (which >= ZRT_PROGRAM_COUNT || !plan.programs[which].ops)
    fail("the plan has no program {}", which);
  if (parts.chaos->on())
    poison(which);
  ++runs;
  program = which;
  if (trace())
    trace()->startRun(program, runs);
  const auto start = Clock::now();
  parts.device->beginProgram();
  parts.collectives->begin(program);
  bool isReplayed = false;
  if (!isObserved())
    attempt([&] { isReplayed = parts.device->replay(program); });
  if (!isReplayed)
    issue();
  finishStreams();
  attempt([&] { parts.collectives->end(); });
  parts.device->endProgram();
  if (profile.enabled())
    profile.addProgram(secondsSince(start),
                       program == ZRT_STEP || program == ZRT_FIRST);
  if (trace())
    trace()->endRun();
}

void Context::issue() {
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    if (!lists[program][stream].empty())
      queues[stream]->start(lists[program][stream]);
  for (const auto &queue : queues)
    if (queue)
      queue->join();
  attempt([&] { parts.device->endIssue(!error.set()); });
}

void Context::finishStreams() {
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    if (!lists[program][stream].empty())
      attempt([&] { parts.device->finish(stream); });
}

bool Context::isObserved() {
  return profile.enabled() || trace() || parts.chaos->on();
}

void Context::finishIfObserved(zrt_stream stream) {
  if (isObserved())
    parts.device->finish(stream);
}

zrt_ref Context::checkAccess(const zrt_ref &ref, uint64_t bytes) const {
  checkRef(plan, ref, "host access");
  if (bytes > ref.bytes)
    fail("host access: {} of a range of {}", shownBytes(bytes),
         shownBytes(ref.bytes));
  return {ref.tier, 0, ref.offset, bytes};
}

void Context::read(const zrt_ref &ref, void *to, uint64_t bytes) {
  parts.device->read(checkAccess(ref, bytes), to);
}

void Context::write(const zrt_ref &ref, const void *from, uint64_t bytes) {
  parts.device->write(checkAccess(ref, bytes), from);
}

void Context::takeDigest(uint64_t *sums) {
  if (!parts.digest)
    fail("the run was started without digests");
  parts.digest->take(sums);
}

template <typename Action>
void Context::attempt(Action action) {
  try {
    action();
  } catch (const std::exception &exception) {
    latch(exception.what());
  }
}

void Context::execute(uint32_t operation) {
  const zrt_op &op = plan.programs[program].ops[operation];
  parts.chaos->delay(op.stream);
  if (!isWork(op))
    return executeEvent(op);
  if (!error.set())
    attempt([&] { executeWork(op, operation); });
}

void Context::executeEvent(const zrt_op &op) {
  const uint32_t event = eventOf(op);
  VectorClock *clock = trace() ? &trace()->clock(op.stream) : nullptr;
  // Runs after a failure, too, since other streams wait for the event.
  if (op.kind == ZRT_RECORD) {
    attempt([&] { parts.device->record(op.stream, event); });
    events.reach(event, runs, clock);
  } else {
    events.wait(event, runs, clock);
    attempt([&] { parts.device->wait(op.stream, event); });
  }
}

void Context::executeWork(const zrt_op &op, uint32_t operation) {
  if (trace())
    trace()->begin(op.stream);
  if (profile.enabled()) {
    const auto start = Clock::now();
    work(op, operation);
    finishIfObserved(op.stream);
    profile.add(program, operation, secondsSince(start));
  } else {
    work(op, operation);
    finishIfObserved(op.stream);
  }
  if (trace())
    trace()->end(op.stream);
}

void Context::work(const zrt_op &op, uint32_t operation) {
  if (op.kind == ZRT_COLLECTIVE)
    return runCollective(op, operation);
  if (op.kind == ZRT_COPY)
    return copy(op, operation);
  const BucketPart *bucket = nullptr;
  visitDevice(op, [&](const auto &desc) {
    if constexpr (hasBucket<decltype(desc)>)
      bucket = &buckets[desc.bucket];
  });
  parts.device->work(op, bucket);
}

void Context::runCollective(const zrt_op &op, uint32_t operation) {
  const zrt_collective_desc &desc = collectiveOf(op);
  if (parts.collectives->isOnDevice())
    return runCollectiveOnDevice(op, operation);
  Device &device = *parts.device;
  const zrt_ref result = refOf(desc.result, rank, groups);
  device.bringToHost(op.stream, refOf(desc.source, rank, groups));
  if (desc.accumulate)
    device.bringToHost(op.stream, result);
  if (parts.digest && desc.source.ref.gradient_of) {
    const uint32_t bucket = desc.source.ref.gradient_of - 1;
    parts.digest->addGradient(bucket, parts.digest->beginGradient(bucket),
                              device.memory(desc.source.ref), desc.source.dtype,
                              0, buckets[bucket].elements);
  }
  parts.collectives->run(op.stream, desc, device.memory(desc.source.ref),
                         device.memory(desc.result.ref),
                         traffic.row(program, operation),
                         trace() ? &trace()->collective(op.stream) : nullptr);
  device.bringBack(op.stream, result);
}

void Context::runCollectiveOnDevice(const zrt_op &op, uint32_t operation) {
  TrafficRow &row = traffic.row(program, operation);
  const auto start = Clock::now();
  parts.collectives->run(op.stream, collectiveOf(op), /*source=*/nullptr,
                         /*result=*/nullptr, row,
                         trace() ? &trace()->collective(op.stream) : nullptr);
  finishIfObserved(op.stream);
  row.seconds += secondsSince(start);
}

void Context::copy(const zrt_op &op, uint32_t operation) {
  const zrt_copy_desc &desc = copyOf(op);
  const zrt_ref from = refOf(desc.source, rank, groups),
                to = refOf(desc.result, rank, groups);
  const auto start = Clock::now();
  uint64_t moved = 0;
  try {
    moved = parts.chaos->on() ? copyInHalves(op.stream, from, to)
                              : parts.device->copy(op.stream, from, to);
    finishIfObserved(op.stream);
  } catch (const Error &error) {
    fail("{}: {}", nameOf(op), error.what());
  }
  TrafficRow &row = traffic.row(program, operation);
  if (!row.link)
    return; // the copy stays in its tier
  ++row.calls;
  row.bytes += moved;
  row.seconds += secondsSince(start);
}

uint64_t Context::copyInHalves(zrt_stream stream, const zrt_ref &from,
                               const zrt_ref &to) {
  uint64_t half = from.bytes / 2;
  // Copies to and from nvme must begin at a block.
  if (from.tier == ZRT_NVME || to.tier == ZRT_NVME)
    half -= half % ZRT_NVME_BLOCK;
  uint64_t moved = 0;
  if (half > 0) {
    moved = parts.device->copy(stream, {from.tier, 0, from.offset, half}, to);
    parts.chaos->delay(stream);
  }
  return moved + parts.device->copy(
                     stream,
                     {from.tier, 0, from.offset + half, from.bytes - half},
                     {to.tier, 0, to.offset + half, to.bytes - half});
}
