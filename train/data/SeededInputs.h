//===- SeededInputs.h - Writes random data for a plan's inputs --*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// The beginning of a file of NumPy's format, for f32, i32 or i64.
std::string npyHeader(zrt_dtype dtype, const std::vector<int64_t> &shape);

/// Files of samples in a temporary folder, for each input of a plan that takes
/// samples: integers within its bound, and numbers from -1 to 1.  They depend
/// on the seed and the input's name.
class SeededInputs {
public:
  /// Writes `samples` of each input; fewer, but at least `fewest`, if a file
  /// would exceed 256 MiB.  Throws zrt::Error.
  SeededInputs(const zrt_plan &plan, uint64_t seed, uint64_t samples,
               uint64_t fewest);
  ~SeededInputs();
  SeededInputs(const SeededInputs &) = delete;
  SeededInputs &operator=(const SeededInputs &) = delete;

  /// Names and files, in the form of --input.
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
