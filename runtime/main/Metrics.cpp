//===- Metrics.cpp - One line of JSON per step ----------------------------===//
#include "runtime/main/Metrics.h"

#include <cmath>
#include <fmt/format.h>
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
  add(fmt::format("{}_per_s", m.unit), m.perSecond);
  add("step_ms", m.milliseconds);
  if (nonfinite)
    line += ",\"nonfinite\":true";
  return line + "}";
}

void MetricsFile::write(const StepMetrics &metrics) {
  file.write(metricsLine(metrics) + "\n", fmt::format("step {}", metrics.step));
}
