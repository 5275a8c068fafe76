//===- Profile.h - Where a step's time goes ---------------------*- C++ -*-===//
//
// Every operation has a total of its own, so recording takes no lock.  They are
// added up by their labels (ProfileLabels.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <array>
#include <string>
#include <vector>

namespace zrt {

/// One line of the profile.
struct ProfileRow {
  zrt_stream stream = 0;
  std::string group; ///< "adamw", "matmul of h.*.c_fc 256 x 3072 x 768"
  uint64_t calls = 0;
  double seconds = 0;
  double flops = 0; ///< in all; 0 unless a matrix product
  double bytes = 0; ///< of all operands, in all
};

class Profile {
public:
  /// Of the programs of `plan`, which outlives this.
  explicit Profile(const zrt_plan &plan) : plan(plan) {}

  /// Starts again from nothing.  No stream may be running.
  void start();
  bool enabled() const { return on; }

  /// Stream thread: an operation took `seconds`.
  void add(uint32_t program, size_t operation, double seconds) {
    Total &total = totals[program][operation];
    ++total.calls;
    total.seconds += seconds;
  }
  /// Host thread: a program took `seconds`; with the last of a step, the step
  /// is over.
  void addProgram(double seconds, bool isLast);

  /// All groups, the longest first.
  std::vector<ProfileRow> rows() const;
  /// The table that --profile prints, with a final newline.
  std::string table() const;

private:
  struct Total {
    uint64_t calls = 0;
    double seconds = 0;
  };
  const zrt_plan &plan;
  bool on = false;
  uint64_t steps = 0;
  double stepSeconds = 0;
  std::array<std::vector<Total>, ZRT_PROGRAM_COUNT> totals; ///< by operation
};

} // namespace zrt
