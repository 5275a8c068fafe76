//===- PlotRun.cpp - Reads the metrics of a run ---------------------------===//
#include "tools/zeroc/PlotRun.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::zero;
namespace json = llvm::json;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
/// Beyond these, differences and powers of ten would overflow or underflow.
constexpr double kLargest = 1e200, kLeast = 1e-200;
/// Doubles represent all steps up to this one exactly.
constexpr int64_t kMostSteps = 1'000'000'000'000'000;

/// In the order of Quantity.
constexpr const char *kMetrics[kNumQuantities] = {
    "loss", "eval_loss", "grad_norm", "lr", "tokens_per_s", "samples_per_s"};

struct Line {
  int64_t step;
  std::array<double, kNumQuantities> values;
  int64_t skipped = 0, spikes = 0; ///< totals up to this step
};

} // namespace

static llvm::Error wrongRun(const Twine &message) {
  return llvm::createStringError(message);
}

/// Returns the number of steps at `key`, or 0 if the key is missing.
static llvm::Expected<int64_t> countAt(const json::Object &object,
                                       StringRef key) {
  const json::Value *value = object.get(key);
  if (!value)
    return 0;
  std::optional<int64_t> count = value->getAsInteger();
  if (!count || *count < 0 || *count > kMostSteps)
    return wrongRun("\"" + key + "\" is not a number of steps");
  return *count;
}

/// Returns nothing for a line of samples.
static llvm::Expected<std::optional<Line>> readLine(StringRef text) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    // "[1:7, byte=6]: Expected object key"; the position is relative to this
    // line.
    std::string reason = llvm::toString(parsed.takeError());
    StringRef words = StringRef(reason).split("]: ").second;
    return wrongRun("this is not JSON: " + (words.empty() ? reason : words));
  }
  const json::Object *object = parsed->getAsObject();
  if (object && object->get("samples"))
    return std::nullopt;
  if (!object || (!object->get("step") && !object->get("loss")))
    return wrongRun(
        "these are not metrics: an object with \"step\" and \"loss\" "
        "is needed, as train --metrics writes it");
  for (StringRef key : {"step", "loss"})
    if (!object->get(key))
      return wrongRun("\"" + key + "\" is missing");
  Line line;
  for (auto [key, count] : {std::pair<StringRef, int64_t *>{"step", &line.step},
                            {"skipped", &line.skipped},
                            {"spikes", &line.spikes}}) {
    auto read = countAt(*object, key);
    if (!read)
      return read.takeError();
    *count = *read;
  }
  for (size_t i = 0; i != kNumQuantities; ++i) {
    const json::Value *value = object->get(kMetrics[i]);
    line.values[i] = kNothing;
    if (!value || value->getAsNull())
      continue;
    std::optional<double> number = value->getAsNumber();
    if (!number)
      return wrongRun(Twine("\"") + kMetrics[i] +
                      "\" is neither a number nor null");
    if (std::abs(*number) <= kLargest)
      line.values[i] = std::abs(*number) < kLeast ? 0 : *number;
  }
  return line;
}

static PlotRun curvesOf(ArrayRef<Line> lines) {
  PlotRun run;
  // In a resumed run, steps skipped before the file begins are unknown.
  bool isWhole = lines.front().step == 0;
  int64_t skipped = isWhole ? 0 : lines.front().skipped;
  int64_t spikes = isWhole ? 0 : lines.front().spikes;
  for (const Line &line : lines) {
    auto step = static_cast<double>(line.step);
    for (size_t i = 0; i != kNumQuantities; ++i)
      run.curves[i].push_back({step, line.values[i]});
    if (line.spikes > spikes)
      run.spikes.push_back(step);
    else if (line.skipped > skipped)
      run.skipped.push_back(step);
    if (std::isnan(line.values[static_cast<size_t>(Quantity::Loss)]))
      run.nonfinite.push_back(step);
    skipped = line.skipped;
    spikes = line.spikes;
  }
  // A key that no line has gives no curve; missing evaluations are not gaps.
  for (size_t i = 0; i != kNumQuantities; ++i) {
    Curve &curve = run.curves[i];
    auto isNothing = [](const PlotPoint &point) { return std::isnan(point.y); };
    if (i == static_cast<size_t>(Quantity::EvalLoss))
      llvm::erase_if(curve, isNothing);
    else if (i != static_cast<size_t>(Quantity::Loss) &&
             llvm::all_of(curve, isNothing))
      curve.clear();
  }
  return run;
}

llvm::Expected<PlotRun> zero::readRun(StringRef path) {
  std::string name = path == "-" ? "standard input" : json::fixUTF8(path);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return wrongRun("cannot read " + name + ": " + buffer.getError().message());
  std::vector<Line> lines;
  StringRef rest = (*buffer)->getBuffer();
  for (size_t number = 1; !rest.empty(); ++number) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    if (text.trim().empty())
      continue;
    auto line = readLine(text);
    if (!line)
      return wrongRun(name + ":" + Twine(number) + ": " +
                      llvm::toString(line.takeError()));
    if (!*line)
      continue;
    while (!lines.empty() && lines.back().step >= (*line)->step)
      lines.pop_back();
    lines.push_back(**line);
  }
  if (lines.empty())
    return wrongRun(name +
                    " is empty; train --metrics FILE writes a line a step");
  PlotRun run = curvesOf(lines);
  run.name = std::move(name);
  return run;
}
