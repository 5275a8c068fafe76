//===- PlotCurve.cpp - Curves with many steps -----------------------------===//
//
// A million steps are drawn on a thousand pixels.  Drawing every n-th step
// would lose the spikes that a reader looks for; the minimum and the maximum of
// each column of pixels look the same as all points.
//
// An average of past values lags behind a falling curve.  The mean of a forward
// and a backward average does not.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/PlotRun.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::zero;

/// Adds the moving average of each point and its predecessors in `order`.
template <typename Order>
static void addAverages(const Order &order, double share,
                        ArrayRef<double> leftOut,
                        MutableArrayRef<double> sums) {
  // `weight` corrects the bias of the initial 0.
  double sum = 0, weight = 0;
  for (auto [index, point] : order) {
    if (!std::isnan(point.y) && !llvm::binary_search(leftOut, point.x)) {
      sum += share * (point.y - sum);
      weight += share * (1 - weight);
    }
    sums[index] += weight > 0 ? sum / weight : point.y;
  }
}

Curve zero::smoothed(const Curve &curve, int64_t steps,
                     ArrayRef<double> leftOut) {
  const double share = 2.0 / (static_cast<double>(steps) + 1);
  std::vector<double> sums(curve.size());
  std::vector<std::pair<size_t, PlotPoint>> order;
  for (auto [index, point] : llvm::enumerate(curve))
    order.emplace_back(index, point);
  addAverages(ArrayRef(order), share, leftOut, sums);
  addAverages(llvm::reverse(order), share, leftOut, sums);
  Curve result = curve;
  for (auto [point, sum] : llvm::zip(result, sums))
    if (!std::isnan(point.y))
      point.y = sum / 2;
  return result;
}

Curve zero::thinned(const Curve &curve, size_t columns) {
  if (curve.size() <= 2 * columns)
    return curve;
  const double first = curve.front().x;
  const double perStep =
      static_cast<double>(columns) / (curve.back().x - first + 1);
  auto columnOf = [&](const PlotPoint &point) {
    return static_cast<size_t>((point.x - first) * perStep);
  };
  Curve result;
  for (size_t begin = 0, end; begin != curve.size(); begin = end) {
    end = begin + 1;
    while (end != curve.size() &&
           columnOf(curve[end]) == columnOf(curve[begin]))
      ++end;
    const PlotPoint *least = nullptr, *greatest = nullptr;
    for (const PlotPoint &point : ArrayRef(curve).slice(begin, end - begin)) {
      if (std::isnan(point.y))
        continue;
      if (!least || point.y < least->y)
        least = &point;
      if (!greatest || point.y > greatest->y)
        greatest = &point;
    }
    // A gap within a column is narrower than a pixel.
    const bool wasGap = !result.empty() && std::isnan(result.back().y);
    if (std::isnan(curve[begin].y) && !wasGap)
      result.push_back(curve[begin]);
    if (!least)
      continue;
    auto [left, right] = std::minmax(least, greatest);
    result.push_back(*left);
    if (left != right)
      result.push_back(*right);
    if (std::isnan(curve[end - 1].y))
      result.push_back(curve[end - 1]);
  }
  return result;
}
