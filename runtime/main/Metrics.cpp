//===- Metrics.cpp - One line of JSON per step ----------------------------===//
#include "runtime/main/Metrics.h"

#include "runtime/Error.h"

#include <cmath>
#include <fcntl.h>
#include <unistd.h>

using namespace zrt;

std::string zrt::metricsLine(const StepMetrics &m) {
  std::string line = fmt::format("{{\"step\":{}", m.step);
  bool nonfinite = false;
  const auto add = [&](const char *key, double value) {
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
  add("tokens_per_s", m.tokensPerSecond);
  add("step_ms", m.milliseconds);
  if (nonfinite)
    line += ",\"nonfinite\":true";
  return line + "}";
}

MetricsFile::~MetricsFile() {
  if (file >= 0)
    ::close(file);
}

void MetricsFile::open(const std::string &path) {
  name = path;
  file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    fail("cannot write metrics to {}: {}; choose a folder that exists and is "
         "writable",
         path, errnoText());
}

void MetricsFile::write(const StepMetrics &metrics) {
  const std::string line = metricsLine(metrics) + "\n";
  const char *text = line.data();
  for (size_t left = line.size(); left > 0;) {
    const ssize_t count = ::write(file, text, left);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail("cannot write metrics of step {} to {}: {}", metrics.step, name,
           errnoText());
    text += count;
    left -= static_cast<size_t>(count);
  }
}

void MetricsFile::close() {
  if (file < 0)
    return;
  const int closing = file;
  file = -1;
  if (::close(closing) != 0)
    fail("cannot finish the metrics in {}: {}", name, errnoText());
}
