//===- Logs.cpp - Writes --metrics and --tensorboard ----------------------===//
#include "train/report/Logs.h"

#include "runtime/text/Error.h"
#include "train/report/StandardStreams.h"

#include <fmt/format.h>
#include <vector>

using namespace zrt;

template <typename Log, typename Action>
void Logs::attempt(Log &log, const char *what, Action action) {
  if (!log.isOpen())
    return;
  try {
    action(log);
  } catch (const Error &error) {
    log.abandon();
    lost = true;
    complain(fmt::format("{}: warning: {}; training continues without {}",
                         options.program, error.what(), what));
  }
}

void Logs::open(int64_t first, const nlohmann::json &header) {
  if (!options.digest.empty())
    digests.open(options.digest, header, options.force);
  if (!options.metrics.empty())
    lines.open(options.metrics, first, options.force);
  if (!options.tensorboard.empty())
    events.open(options.tensorboard, first);
}

void Logs::afterStep(StepMetrics &step) {
  attempt(lines, "metrics", [&](MetricsFile &log) { log.write(step); });
  attempt(events, "events", [&](EventFile &log) {
    const std::vector<NamedValue> values = valuesOf(step);
    std::vector<EventFile::Scalar> scalars; // views of the tags
    for (const NamedValue &one : values)
      if (!one.tag.empty())
        scalars.push_back({one.tag, one.value});
    log.write(step.step, scalars);
  });
}

void Logs::writeLine(const std::string &line, int64_t step) {
  attempt(lines, "metrics", [&](MetricsFile &log) { log.write(line, step); });
}

void Logs::writeDigest(int64_t step, const std::vector<Checksums> &sums) {
  attempt(digests, "digests",
          [&](DigestWriter &log) { log.write(step, sums); });
}

void Logs::atEnd() {
  attempt(digests, "digests", [](DigestWriter &log) { log.close(); });
  attempt(lines, "metrics", [](MetricsFile &log) { log.close(); });
  attempt(events, "events", [](EventFile &log) { log.close(); });
}
