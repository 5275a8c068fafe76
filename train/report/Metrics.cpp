//===- Metrics.cpp - One line of JSON per step ----------------------------===//
#include "train/report/Metrics.h"

#include "runtime/text/Error.h"
#include "train/report/StandardStreams.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

using namespace zrt;

std::vector<NamedValue> zrt::valuesOf(const StepMetrics &m) {
  std::vector<NamedValue> values;
  const auto add = [&](const std::string &key, const std::string &tag,
                       std::optional<double> value) {
    if (value)
      values.push_back({key, tag, *value});
  };
  const auto unless0 = [](double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
  };
  add("loss", "train/loss", m.loss);
  add("grad_norm", "train/grad_norm", m.gradNorm);
  add("lr", "train/lr", m.lr);
  add("loss_scale", "train/loss_scale", m.lossScale);
  add("skipped", "train/skipped", unless0(double(m.skipped)));
  add("spikes", "train/spikes", unless0(double(m.spikes)));
  const std::string rate = fmt::format("{}_per_s", m.unit);
  add(rate, "speed/" + rate, m.perSecond);
  add("step_ms", "speed/step_ms", m.milliseconds);
  add("mfu", "speed/mfu", m.mfu);
  add("hfu", "speed/hfu", m.hfu);
  add("checkpoint_ms", "speed/checkpoint_ms",
      unless0(m.checkpointMilliseconds));
  const auto addEvaluation = [&](const std::string &when,
                                 const std::optional<EvalMetrics> &eval) {
    if (!eval)
      return;
    // A picture of the values after steps has no place for those before.
    const auto tag = [&](const char *name) { return when.empty() ? name : ""; };
    add(when + "eval_loss", tag("eval/loss"), eval->loss);
    if (eval->isOfText)
      add(when + "eval_perplexity", tag("eval/perplexity"),
          std::exp(eval->loss));
    for (const auto &[name, value] : eval->measures)
      add(fmt::format("{}eval_{}", when, name),
          when.empty() ? "eval/" + name : "", value);
    add(when + "eval_ms", "", eval->milliseconds);
  };
  addEvaluation("", m.evaluated);
  addEvaluation("initial_", m.evaluatedBefore);
  return values;
}

std::string zrt::metricsLine(const StepMetrics &m) {
  std::string line = fmt::format("{{\"step\":{}", m.step);
  bool nonfinite = false;
  for (const NamedValue &one : valuesOf(m))
    if (std::isfinite(one.value)) {
      line += fmt::format(",\"{}\":{:.9g}", one.key, one.value);
    } else {
      line += fmt::format(",\"{}\":null", one.key);
      nonfinite = true;
    }
  return line + (nonfinite ? ",\"nonfinite\":true}" : "}");
}

/// Bytes of the complete lines of steps below `step` at the start of the file.
/// Throws for a line that is not ours, because the rest would be lost.
static uint64_t bytesBefore(const std::string &path, int64_t step) {
  constexpr std::string_view kStart = "{\"step\":";
  std::ifstream old(path);
  uint64_t bytes = 0;
  for (std::string line; std::getline(old, line) && !old.eof();) {
    int64_t number = 0;
    if (line.rfind(kStart, 0) != 0 ||
        std::from_chars(line.data() + kStart.size(), line.data() + line.size(),
                        number)
                .ec != std::errc())
      fail("{} is no file of metrics: \"{}\" is not a step; give another "
           "--metrics",
           path, shown(line.substr(0, 40)));
    if (number >= step)
      break;
    bytes += line.size() + 1;
  }
  return bytes;
}

void MetricsFile::open(const std::string &path, int64_t step, bool isForced) {
  isPrinted = path == "-";
  if (isPrinted)
    return;
  std::error_code error;
  const bool isOld = step > 0 && std::filesystem::is_regular_file(path, error);
  file.open(path, isOld ? bytesBefore(path, step) : 0, isForced);
}

void MetricsFile::write(const StepMetrics &metrics) {
  write(metricsLine(metrics), metrics.step);
}

void MetricsFile::write(const std::string &line, int64_t step) {
  if (isPrinted)
    printText(line + "\n");
  else
    file.write(line + "\n", fmt::format("step {}", step));
}
