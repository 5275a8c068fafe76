//===- PlotDraw.cpp - Draws runs as a picture -----------------------------===//
//
//   +--------------------------------------+
//   | -- a.jsonl   1,000 steps, loss 1.73  |  a line a run
//   | -- b.jsonl   ...                     |
//   | pale: every step; ...                |  what else there is to see
//   | loss                                 |
//   | 5 |\                                 |  a panel for each quantity that
//   | 2 |  ------                          |  some run has
//   | gradient norm                        |
//   | 1 | -------                          |
//   |   0   200   400                      |  steps, of all panels
//   +--------------------------------------+
//
//===----------------------------------------------------------------------===//

#include "passes/certify/Certificate.h"
#include "tools/zeroc/PlotRun.h"
#include "tools/zeroc/PlotScale.h"
#include "tools/zeroc/PlotSvg.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::zero;

namespace {

// Pixels.
constexpr double kWidth = 960, kLeft = 76, kRight = 936, kRow = 20;
constexpr size_t kColumns = 860;
/// Curves with fewer points are not smoothed.
constexpr size_t kManySteps = 150;

constexpr const char *kColors[] = {"#1d5fbf", "#d1442f", "#1b8a5a", "#b7790b",
                                   "#7a45c4", "#0b8aa6", "#c2348f", "#5b6470"};
constexpr const char *kInk = "#24292f", *kFaint = "#6a737d", *kGrid = "#e4e7eb";

struct PanelKind {
  Quantity quantity;
  const char *title;
  double height;
  bool fromZero;
  /// Uses a logarithmic axis for positive values if the maximum is at least
  /// this many times the minimum.
  double logFrom;
  bool isSmoothed;
};

constexpr double kNever = INFINITY;
constexpr PanelKind kPanels[] = {
    {Quantity::Loss, "loss", 300, false, 100, true},
    {Quantity::GradNorm, "gradient norm", 130, true, 20, true},
    {Quantity::Rate, "learning rate", 90, true, kNever, false},
    {Quantity::Tokens, "tokens/s", 110, true, kNever, true},
    {Quantity::Samples, "samples/s", 110, true, kNever, true}};

/// Returns the curves of a panel: evaluations belong to the loss.
SmallVector<Quantity> quantitiesOf(const PanelKind &kind) {
  if (kind.quantity == Quantity::Loss)
    return {Quantity::Loss, Quantity::EvalLoss};
  return {kind.quantity};
}

class Picture {
public:
  explicit Picture(ArrayRef<PlotRun> runs) : runs(runs) {
    for (const PlotRun &run : runs) {
      const Curve &loss = run[Quantity::Loss];
      longest = std::max(longest, loss.size());
      steps.add(loss.front().x);
      steps.add(loss.back().x);
    }
    // Enough points to show the trend, and few enough to show changes.
    if (longest >= kManySteps)
      average = std::clamp<int64_t>(int64_t(longest) / 100, 5, 200);
    // The last of 1,000 steps is step 999.
    if (longest >= 50)
      steps.high += 1;
    if (steps.low == steps.high)
      steps = {steps.low - 1, steps.high + 1};
  }

  std::string draw() {
    drawLegend();
    SmallVector<const PanelKind *> shown;
    for (const PanelKind &kind : kPanels)
      if (llvm::any_of(runs, [&](const PlotRun &run) {
            return !run[kind.quantity].empty();
          }))
        shown.push_back(&kind);
    for (const PanelKind *kind : shown)
      drawPanel(*kind, /*isLast=*/kind == shown.back());
    return svg.finish(kWidth, y + 46);
  }

private:
  void drawLegend() {
    for (auto [index, run] : llvm::enumerate(runs)) {
      y += kRow;
      svg.line(kLeft, y - 4, kLeft + 26, y - 4, colorOf(index), 3,
               dashOf(index));
      svg.text(kLeft + 34, y, "start", kInk, 13, shortened(run.name, 60),
               /*isBold=*/true);
      svg.text(kRight, y, "end", kFaint, 12, summary(run));
    }
    drawKey();
  }

  /// Draws a legend of the symbols that occur in this picture.
  void drawKey() {
    double x = kLeft;
    y += kRow;
    auto add = [&](auto drawSign, StringRef words) {
      drawSign(x + 6, y - 4);
      svg.text(x + 17, y, "start", kFaint, 12, words);
      x += 17 + 6.4 * double(words.size()) + 18;
    };
    auto any = [&](auto select) {
      return llvm::any_of(
          runs, [&](const PlotRun &run) { return !select(run).empty(); });
    };
    if (average)
      add([&](double at,
              double h) { svg.line(at - 6, h, at + 6, h, kFaint, 2); },
          "average of about " + groupDigits(average) +
              " steps, each step pale");
    if (any([](const PlotRun &run) { return run[Quantity::EvalLoss]; }))
      add([&](double at, double h) { svg.circle(at, h, 3.2, kFaint); },
          "evaluation");
    if (any([](const PlotRun &run) { return run.spikes; }))
      add([&](double at, double h) { svg.triangle(at, h, kFaint); },
          "skipped spike");
    if (any([](const PlotRun &run) { return run.skipped; }))
      add([&](double at, double h) { svg.bar(at, h, kFaint); }, "skipped step");
    if (any([](const PlotRun &run) { return run.nonfinite; }))
      add([&](double at, double h) { svg.cross(at, h, kFaint); },
          "loss not finite");
    if (x == kLeft)
      y -= kRow;
  }

  std::string summary(const PlotRun &run) const {
    const Curve &loss = run[Quantity::Loss], &eval = run[Quantity::EvalLoss];
    std::string text = groupDigits(int64_t(loss.size())) +
                       (loss.size() == 1 ? " step" : " steps");
    Curve shown = average ? smoothed(loss, average, run.spikes) : loss;
    auto last = llvm::find_if(llvm::reverse(shown), [](const PlotPoint &point) {
      return !std::isnan(point.y);
    });
    if (last != shown.rend())
      text += ", loss " + printed("%.*g", 4, last->y) + " at the end";
    if (!eval.empty())
      text += ", " + printed("%.*g", 4, eval.back().y) + " in evaluation";
    return text;
  }

  void drawPanel(const PanelKind &kind, bool isLast) {
    AxisRange range = emptyRange();
    for (const PlotRun &run : runs)
      for (Quantity quantity : quantitiesOf(kind))
        for (const PlotPoint &point : run[quantity])
          range.add(point.y);
    if (range.isEmpty())
      range = {0, 1};
    bool isLog = range.low > 0 && range.high / range.low >= kind.logFrom;
    if (isLog)
      range = {range.low / 1.15, range.high * 1.15};
    else if (kind.fromZero && range.low >= 0)
      range = {0, range.high > 0 ? 1.06 * range.high : 1};
    else
      range = range.padded(0.05);

    double top = y + 34, bottom = top + kind.height;
    Scale across(steps, /*isLog=*/false, kLeft, kRight);
    Scale up(range, isLog, bottom, top);
    svg.text(kLeft, top - 8, "start", kInk, 13,
             std::string(kind.title) + (isLog ? ", logarithmic" : ""),
             /*isBold=*/true);
    for (const Tick &tick :
         isLog ? logTicks(range) : linearTicks(range, int(kind.height / 38))) {
      svg.line(kLeft, up(tick.value), kRight, up(tick.value), kGrid, 1);
      svg.text(kLeft - 8, up(tick.value) + 4, "end", kFaint, 11, tick.label);
    }
    for (const Tick &tick : linearTicks(steps, 9, /*isWhole=*/true)) {
      if (tick.value < 0)
        continue;
      double at = across(tick.value);
      svg.line(at, top, at, bottom, kGrid, 1);
      if (isLast)
        svg.text(at, bottom + 17, "middle", kFaint, 11, tick.label);
    }
    svg.line(kLeft, bottom, kRight, bottom, kFaint, 1);
    if (isLast)
      svg.text((kLeft + kRight) / 2, bottom + 35, "middle", kInk, 12, "step");

    for (auto [index, run] : llvm::enumerate(runs))
      drawCurve(kind, run, index, across, up);
    if (kind.quantity == Quantity::Loss)
      for (auto [index, run] : llvm::enumerate(runs)) {
        drawEvaluations(run, index, across, up);
        drawMarks(run, index, across, top, bottom);
      }
    y = bottom;
  }

  void drawCurve(const PanelKind &kind, const PlotRun &run, size_t index,
                 const Scale &across, const Scale &up) {
    const Curve &curve = run[kind.quantity];
    bool isAveraged = average && kind.isSmoothed && curve.size() >= kManySteps;
    auto draw = [&](const Curve &drawn, double width, double opacity,
                    StringRef dash) {
      Curve placed = thinned(drawn, kColumns);
      for (PlotPoint &point : placed)
        point = {across(point.x), up(point.y)};
      svg.curve(placed, colorOf(index), width, opacity, dash, run.name);
    };
    if (isAveraged)
      draw(curve, 1, 0.28, "");
    draw(isAveraged ? smoothed(curve, average, run.spikes) : curve, 1.8, 1,
         dashOf(index));
  }

  void drawEvaluations(const PlotRun &run, size_t index, const Scale &across,
                       const Scale &up) {
    Curve placed = thinned(run[Quantity::EvalLoss], kColumns);
    for (PlotPoint &point : placed)
      point = {across(point.x), up(point.y)};
    svg.curve(placed, colorOf(index), 1.2, 0.9, "5 3",
              run.name + ", evaluation");
    if (placed.size() <= 100)
      for (const PlotPoint &point : placed)
        svg.circle(point.x, point.y, 3.2, colorOf(index));
  }

  /// Draws at most one mark every four pixels.
  void drawMarks(const PlotRun &run, size_t index, const Scale &across,
                 double top, double bottom) {
    auto each = [&](ArrayRef<double> at, auto mark) {
      double last = -kWidth;
      for (double step : at) {
        double x = across(step);
        if (x - last < 4)
          continue;
        last = x;
        mark(x);
      }
    };
    StringRef color = colorOf(index);
    each(run.skipped, [&](double x) { svg.bar(x, bottom - 6, color); });
    each(run.spikes, [&](double x) { svg.triangle(x, top + 5, color); });
    each(run.nonfinite, [&](double x) { svg.cross(x, top + 15, color); });
  }

  static const char *colorOf(size_t run) {
    return kColors[run % std::size(kColors)];
  }
  /// Returns a dash pattern for runs whose colour is used a second time.
  static const char *dashOf(size_t run) {
    return run < std::size(kColors) ? "" : "6 3";
  }

  ArrayRef<PlotRun> runs;
  Svg svg;
  size_t longest = 0;  ///< steps of the longest run
  int64_t average = 0; ///< number of averaged steps; 0: none
  AxisRange steps = emptyRange();
  double y = 8; ///< end of the drawn part
};

} // namespace

std::string zero::drawRuns(ArrayRef<PlotRun> runs) {
  return Picture(runs).draw();
}
