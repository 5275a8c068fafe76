//===- Metrics.cpp - One line of JSON per step ----------------------------===//
#include "train/report/Metrics.h"

#include "runtime/Error.h"
#include "train/report/StandardStreams.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

using namespace zrt;

std::string zrt::metricsLine(const StepMetrics &m) {
  std::string line = fmt::format("{{\"step\":{}", m.step);
  bool nonfinite = false;
  const auto add = [&](std::string_view key, double value) {
    if (std::isfinite(value)) {
      line += fmt::format(",\"{}\":{:.9g}", key, value);
    } else {
      line += fmt::format(",\"{}\":null", key);
      nonfinite = true;
    }
  };
  add("loss", m.loss);
  if (m.gradNorm)
    add("grad_norm", *m.gradNorm);
  add("lr", m.lr);
  if (m.lossScale)
    add("loss_scale", *m.lossScale);
  if (m.skipped)
    line += fmt::format(",\"skipped\":{}", m.skipped);
  if (m.spikes)
    line += fmt::format(",\"spikes\":{}", m.spikes);
  add(fmt::format("{}_per_s", m.unit), m.perSecond);
  add("step_ms", m.milliseconds);
  if (m.mfu)
    add("mfu", *m.mfu);
  if (m.hfu)
    add("hfu", *m.hfu);
  if (m.checkpointMilliseconds > 0)
    add("checkpoint_ms", m.checkpointMilliseconds);
  if (m.evalLoss) {
    add("eval_loss", *m.evalLoss);
    add("eval_perplexity", std::exp(*m.evalLoss));
    add("eval_ms", m.evalMilliseconds);
  }
  if (nonfinite)
    line += ",\"nonfinite\":true";
  return line + "}";
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

void MetricsFile::open(const std::string &path, int64_t step) {
  isPrinted = path == "-";
  if (isPrinted)
    return;
  std::error_code error;
  const bool isOld = step > 0 && std::filesystem::is_regular_file(path, error);
  file.open(path, isOld ? bytesBefore(path, step) : 0);
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
