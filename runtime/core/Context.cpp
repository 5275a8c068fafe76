//===- Context.cpp - One run of a plan ------------------------------------===//
#include "runtime/core/Context.h"

#include "runtime/Error.h"
#include "runtime/core/PlanChecks.h"
#include "runtime/core/Poison.h"

#include <algorithm>
#include <chrono>

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

} // namespace

Context::Context(const zrt_plan &aPlan, int rank, ContextParts theParts,
                 ErrorLatch &error, zrt_context *handle)
    : plan(aPlan), error(error), handle(handle), parts(std::move(theParts)),
      checks(plan, static_cast<uint32_t>(rank)), events(eventCount(plan)) {
  for (zrt_stream stream = 0; stream < ZRT_STREAM_COUNT; ++stream)
    queues[stream] = std::make_unique<StreamQueue>(
        stream,
        [this](zrt_stream s, const Entry &entry) { execute(s, entry); });
}

void Context::latch(const std::string &text) {
  error.latch(text);
  parts.collectives->abort(error.message());
}

void Context::check(const Entry &entry) {
  checks.check(entry);
  if (entry.kind == Entry::Kind::Collective)
    parts.collectives->check(*entry.collective);
  else if (entry.kind == Entry::Kind::Record)
    events.issueRecord(entry.event, runs);
  else if (entry.kind == Entry::Kind::Wait)
    events.checkWait(entry.event, runs);
}

void Context::enqueue(zrt_stream stream, const Entry &entry) {
  if (stream >= ZRT_STREAM_COUNT)
    fail("stream {} does not exist", stream);
  check(entry);
  if (trace())
    trace()->issue(stream, entry);
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
  poisonTemporaries(plan, *parts.device);
}

void Context::run(uint32_t program) {
  if (program >= ZRT_PROGRAM_COUNT || !plan.programs[program].run)
    fail("the plan has no program {}", program);
  joinAll();
  if (parts.chaos->on())
    poison();
  for (auto &queue : queues)
    queue->rewind();
  ++runs;
  if (trace())
    trace()->startRun(program, runs);
  const auto start = Clock::now();
  runProgram(plan.programs[program]);
  if (profile.enabled())
    profile.addProgram(secondsSince(start), program == ZRT_STEP);
  if (trace())
    trace()->endRun();
}

void Context::runProgram(const zrt_program &program) {
  parts.device->beginProgram();
  const zrt_status status = program.run(handle);
  joinAll();
  parts.device->endProgram();
  if (status != 0 && !error.set())
    latch(fmt::format("the compiled step returned status {}", status));
}

zrt_ref Context::checkAccess(const zrt_ref &ref, uint64_t bytes) const {
  checkRef(plan, ref, "host access");
  if (bytes > ref.bytes)
    fail("host access: {} bytes of a range of {} bytes", bytes, ref.bytes);
  return {ref.tier, 0, ref.offset, bytes};
}

void Context::read(const zrt_ref &ref, void *to, uint64_t bytes) {
  parts.device->read(checkAccess(ref, bytes), to);
}

void Context::write(const zrt_ref &ref, const void *from, uint64_t bytes) {
  parts.device->write(checkAccess(ref, bytes), from);
}

void Context::execute(zrt_stream stream, const Entry &entry) {
  parts.chaos->delay(stream);
  switch (entry.kind) {
  case Entry::Kind::Record:
    return events.reach(entry.event, runs,
                        trace() ? &trace()->clock(stream) : nullptr);
  case Entry::Kind::Wait:
    return events.wait(entry.event, runs,
                       trace() ? &trace()->clock(stream) : nullptr);
  default:
    break;
  }
  if (error.set())
    return;
  try {
    if (trace())
      trace()->begin(stream);
    if (profile.enabled()) {
      const auto start = Clock::now();
      work(stream, entry);
      profile.add(stream, entry, secondsSince(start));
    } else {
      work(stream, entry);
    }
    if (trace())
      trace()->end(stream, entry);
  } catch (const std::exception &exception) {
    latch(exception.what());
  }
}

void Context::work(zrt_stream stream, const Entry &entry) {
  Device &device = *parts.device;
  switch (entry.kind) {
  case Entry::Kind::Launch:
    return device.launch(stream, *entry.launch);
  case Entry::Kind::Matmul:
    return device.multiply(stream, *entry.matmul);
  case Entry::Kind::Update:
    return device.update(stream, *entry.update,
                         checks.bucket(entry.update->bucket));
  case Entry::Kind::SumSquares:
    return device.sumSquares(stream, *entry.squares,
                             checks.bucket(entry.squares->bucket));
  case Entry::Kind::Collective: {
    const zrt_collective_desc &desc = *entry.collective;
    return parts.collectives->run(
        stream, desc, device.memory(desc.source), device.memory(desc.result),
        trace() ? &trace()->collective(stream) : nullptr);
  }
  case Entry::Kind::Copy:
    return copy(stream, entry);
  case Entry::Kind::Record:
  case Entry::Kind::Wait:
    return; // not here: execute
  }
}

void Context::copy(zrt_stream stream, const Entry &entry) {
  zrt_ref from = entry.from, to = entry.to;
  if (parts.chaos->on() && from.bytes > 1) {
    const uint64_t half = from.bytes / 2;
    parts.device->copy(stream, {from.tier, 0, from.offset, half}, to);
    parts.chaos->delay(stream);
    from = {from.tier, 0, from.offset + half, from.bytes - half};
    to = {to.tier, 0, to.offset + half, to.bytes - half};
  }
  parts.device->copy(stream, from, to);
}
