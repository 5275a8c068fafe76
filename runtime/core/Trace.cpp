//===- Trace.cpp - Records the times and order of operations --------------===//
//
// Each stream records its operations in its own lane.  After a run the host
// sorts the rows into the order in which it had issued them.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/Trace.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

using namespace zrt;

int64_t zrt::traceTime() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::unique_ptr<Trace> Trace::fromEnvironment(const zrt_plan &plan, int rank) {
  const char *prefix = std::getenv("ZRT_TRACE");
  if (!prefix || !*prefix)
    return nullptr;
  return std::make_unique<Trace>(plan,
                                 fmt::format("{}.{}.jsonl", prefix, rank));
}

Trace::Trace(const zrt_plan &plan, const std::string &path)
    : plan(plan), lanes(plan.stream_count) {
  file.open(path);
}

Trace::~Trace() {
  try {
    file.close();
  } catch (const Error &error) {
    // No caller is left to handle it.
    std::fprintf(stderr, "zrt: error: %s\n", error.what());
  }
}

void Trace::startRun(uint32_t aProgram, uint64_t aRun) {
  program = aProgram;
  run = aRun;
  for (Lane &lane : lanes) {
    lane.clock.assign(lanes.size(), 0);
    lane.rows.clear();
  }
}

void Trace::begin(zrt_stream stream) {
  Lane &lane = lanes[stream];
  lane.current = {};
  lane.current.clock = lane.clock;
  lane.current.begin = traceTime();
}

void Trace::end(zrt_stream stream) {
  Lane &lane = lanes[stream];
  lane.current.end = traceTime();
  lane.rows.push_back(lane.current);
  ++lane.clock[stream];
}

void Trace::endRun() {
  std::vector<size_t> written(lanes.size());
  std::string lines;
  // After an error streams drop their work, so each has run only a prefix.
  for (const zrt_op &op : opsOf(plan.programs[program])) {
    const std::vector<Row> &rows = lanes[op.stream].rows;
    size_t &number = written[op.stream];
    if (isWork(op) && number < rows.size()) {
      const Row &row = rows[number];
      lines += line(op, ++number, row);
    }
  }
  file.write(lines, fmt::format("run {}", run));
}

std::string Trace::line(const zrt_op &op, size_t number, const Row &row) const {
  nlohmann::ordered_json after = nlohmann::ordered_json::object();
  for (zrt_stream other = 0; other < lanes.size(); ++other)
    if (other != op.stream && row.clock[other] > 0)
      after[plan.streams[other].name] = row.clock[other];
  nlohmann::ordered_json json = {{"program", programName(program)},
                                 {"run", run},
                                 {"stream", plan.streams[op.stream].name},
                                 {"number", number},
                                 {"name", nameOf(op)}};
  if (op.kind == ZRT_COLLECTIVE) {
    json["kind"] = collectiveName(collectiveOf(op).kind);
    json["collective"] = row.collective.number;
  }
  json["begin"] = row.begin;
  json["end"] = row.end;
  if (op.kind == ZRT_COLLECTIVE) {
    json["arrived"] = row.collective.arrived;
    json["read"] = row.collective.read;
  }
  json["after"] = std::move(after);
  // The compiler makes the names; invalid UTF-8 in them must not end a run.
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}
