//===- Metrics.h - One line of JSON per step --------------------*- C++ -*-===//
#ifndef ZRT_MAIN_METRICS_H
#define ZRT_MAIN_METRICS_H

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// What is known of a finished step.
struct StepMetrics {
  int64_t step = 0; ///< from 0
  double loss = 0;
  std::optional<double> gradNorm; ///< when the plan has it
  double lr = 0;
  double tokensPerSecond = 0;
  double milliseconds = 0;
};

/// {"step":0,"loss":5.545,...} without a newline.  Nine digits tell all f32
/// apart.  JSON has no NaN: such a value is null, and "nonfinite" is true.
std::string metricsLine(const StepMetrics &metrics);

/// A file that grows line by line, each written at once.
class MetricsFile {
public:
  MetricsFile() = default;
  ~MetricsFile();
  MetricsFile(const MetricsFile &) = delete;
  MetricsFile &operator=(const MetricsFile &) = delete;

  /// Creates or empties `path`.  Throws zrt::Error.
  void open(const std::string &path);
  bool isOpen() const { return file >= 0; }
  /// Throws zrt::Error when the line could not be written.
  void write(const StepMetrics &metrics);
  /// Throws zrt::Error when the file system reports a late failure.
  void close();

private:
  std::string name;
  int file = -1;
};

} // namespace zrt

#endif // ZRT_MAIN_METRICS_H
