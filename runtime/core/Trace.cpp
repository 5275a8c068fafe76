//===- Trace.cpp - What ran when, and after what --------------------------===//
//
// Streams write down what they did in lanes of their own; when a run is over,
// the host puts the rows in the order in which it had issued them.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/Trace.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

using namespace zrt;

namespace {

bool runs(const Entry &entry) {
  return entry.kind != Entry::Kind::Record && entry.kind != Entry::Kind::Wait;
}

const char *nameOf(const Entry &entry) {
  switch (entry.kind) {
  case Entry::Kind::Launch:
    return entry.launch->name;
  case Entry::Kind::Matmul:
    return entry.matmul->name;
  case Entry::Kind::Update:
    return entry.update->name;
  case Entry::Kind::SumSquares:
    return entry.squares->name;
  case Entry::Kind::Collective:
    return entry.collective->name;
  default:
    return "copy";
  }
}

} // namespace

int64_t zrt::traceTime() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::unique_ptr<Trace> Trace::fromEnvironment(int rank) {
  const char *prefix = std::getenv("ZRT_TRACE");
  if (!prefix || !*prefix)
    return nullptr;
  return std::make_unique<Trace>(fmt::format("{}.{}.jsonl", prefix, rank));
}

Trace::~Trace() {
  try {
    file.close();
  } catch (const Error &error) {
    // Nobody is left to take it.
    std::fprintf(stderr, "zrt: error: %s\n", error.what());
  }
}

void Trace::startRun(uint32_t aProgram, uint64_t aRun) {
  program = aProgram;
  run = aRun;
  issued.clear();
  for (Lane &lane : lanes) {
    lane.clock = {};
    lane.rows.clear();
  }
}

void Trace::issue(zrt_stream stream, const Entry &entry) {
  if (runs(entry))
    issued.push_back(stream);
}

void Trace::begin(zrt_stream stream) {
  Lane &lane = lanes[stream];
  lane.current = {};
  lane.current.clock = lane.clock;
  lane.current.begin = traceTime();
}

void Trace::end(zrt_stream stream, const Entry &entry) {
  Lane &lane = lanes[stream];
  lane.current.end = traceTime();
  lane.current.entry = entry;
  lane.rows.push_back(lane.current);
  ++lane.clock[stream];
}

void Trace::endRun() {
  std::array<size_t, ZRT_STREAM_COUNT> written = {};
  std::string lines;
  // After an error streams drop their work: what ran is the first part of each.
  for (const zrt_stream stream : issued)
    if (written[stream] < lanes[stream].rows.size()) {
      const Row &row = lanes[stream].rows[written[stream]];
      lines += line(stream, ++written[stream], row);
    }
  file.write(lines, fmt::format("run {}", run));
}

std::string Trace::line(zrt_stream stream, size_t number,
                        const Row &row) const {
  static const char *const programs[ZRT_PROGRAM_COUNT] = {"count", "micro",
                                                          "step"};
  static const char *const kinds[] = {"all_gather", "reduce_scatter",
                                      "all_reduce"};
  const char *name = nameOf(row.entry);
  nlohmann::ordered_json after = nlohmann::ordered_json::object();
  for (zrt_stream other = 0; other < ZRT_STREAM_COUNT; ++other)
    if (other != stream && row.clock[other] > 0)
      after[streamName(other)] = row.clock[other];
  nlohmann::ordered_json json = {{"program", programs[program]},
                                 {"run", run},
                                 {"stream", streamName(stream)},
                                 {"number", number},
                                 {"name", name ? name : "unnamed"}};
  if (row.entry.kind == Entry::Kind::Collective) {
    json["kind"] = kinds[row.entry.collective->kind];
    json["collective"] = row.collective.number;
  }
  json["begin"] = row.begin;
  json["end"] = row.end;
  if (row.entry.kind == Entry::Kind::Collective) {
    json["arrived"] = row.collective.arrived;
    json["read"] = row.collective.read;
  }
  json["after"] = std::move(after);
  // Names are the compiler's; bytes that are no text must not end a run.
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}
