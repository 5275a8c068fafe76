//===- SeededInputs.h - Data for a plan, of random numbers ------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// Files of samples in a temporary folder, for each input of a plan that takes
/// samples: integers that it may hold, and numbers from -1 to 1.  They depend on
/// the seed and the input's name.
class SeededInputs {
public:
  /// `samples` of each input; fewer, but at least `fewest`, where that would be
  /// more than 256 MiB.  Throws zrt::Error.
  SeededInputs(const zrt_plan &plan, uint64_t seed, uint64_t samples,
               uint64_t fewest);
  ~SeededInputs();
  SeededInputs(const SeededInputs &) = delete;
  SeededInputs &operator=(const SeededInputs &) = delete;

  /// As --input has them.
  const std::vector<std::pair<std::string, std::string>> &inputs() const {
    return files;
  }

private:
  void write(const zrt_input &input, uint64_t seed, uint64_t samples);
  void remove();

  std::string folder;
  std::vector<std::pair<std::string, std::string>> files;
};

} // namespace zrt
