//===- StepTimes.h - Statistics of step times -------------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace zrt {

/// The times of all steps of a run except the first, which includes page
/// faults.
class StepTimes {
public:
  void add(double milliseconds) {
    all.push_back(static_cast<float>(milliseconds));
    sum += milliseconds;
  }
  size_t count() const { return all.size(); }
  double seconds() const { return sum * 1e-3; }
  /// The quantile for `share`, in milliseconds.  Needs at least one step.
  double quantile(double share) const {
    std::vector<float> sorted = all;
    const size_t rank = std::min(
        all.size() - 1, static_cast<size_t>(share * double(all.size())));
    std::nth_element(sorted.begin(), sorted.begin() + long(rank), sorted.end());
    return sorted[rank];
  }
  /// "step 12.3 ms (median), 13.0 (90 %), 15.2 (99 %), 20.1 (longest)"
  std::string text() const {
    return fmt::format("step {:.1f} ms (median), {:.1f} (90 %), {:.1f} (99 %), "
                       "{:.1f} (longest)",
                       quantile(0.5), quantile(0.9), quantile(0.99),
                       quantile(1));
  }

private:
  std::vector<float> all; ///< milliseconds
  double sum = 0;
};

} // namespace zrt
