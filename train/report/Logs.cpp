//===- Logs.cpp - Writes --metrics and --tensorboard ----------------------===//
#include "train/report/Logs.h"

#include "runtime/Error.h"
#include "train/report/StandardStreams.h"

#include <cmath>
#include <fmt/format.h>
#include <vector>

using namespace zrt;

static std::vector<EventFile::Scalar> scalarsOf(const StepMetrics &m) {
  std::vector<EventFile::Scalar> scalars = {{"train/loss", m.loss},
                                            {"train/lr", m.lr}};
  const auto add = [&](const char *tag, std::optional<double> value) {
    if (value)
      scalars.push_back({tag, *value});
  };
  add("train/grad_norm", m.gradNorm);
  add("train/loss_scale", m.lossScale);
  if (m.skipped)
    add("train/skipped", double(m.skipped));
  if (m.spikes)
    add("train/spikes", double(m.spikes));
  if (m.evalLoss) {
    add("eval/loss", m.evalLoss);
    add("eval/perplexity", std::exp(*m.evalLoss));
  }
  add("speed/step_ms", m.milliseconds);
  add(m.unit == std::string_view("tokens") ? "speed/tokens_per_s"
                                           : "speed/samples_per_s",
      m.perSecond);
  add("speed/mfu", m.mfu);
  add("speed/hfu", m.hfu);
  if (m.checkpointMilliseconds > 0)
    add("speed/checkpoint_ms", m.checkpointMilliseconds);
  return scalars;
}

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

void Logs::open(int64_t first) {
  if (!options.metrics.empty())
    lines.open(options.metrics, first);
  if (!options.tensorboard.empty())
    events.open(options.tensorboard, first);
}

void Logs::write(const StepMetrics &metrics) {
  attempt(lines, "metrics", [&](MetricsFile &log) { log.write(metrics); });
  attempt(events, "events",
          [&](EventFile &log) { log.write(metrics.step, scalarsOf(metrics)); });
}

void Logs::writeLine(const std::string &line, int64_t step) {
  attempt(lines, "metrics", [&](MetricsFile &log) { log.write(line, step); });
}

void Logs::close() {
  attempt(lines, "metrics", [](MetricsFile &log) { log.close(); });
  attempt(events, "events", [](EventFile &log) { log.close(); });
}
