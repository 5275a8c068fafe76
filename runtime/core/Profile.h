//===- Profile.h - Measures the time of operations --------------*- C++ -*-===//
//
// Every operation has its own total, so recording takes no lock.  Reports sum
// the totals of operations with the same label (ProfileLabels.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

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
  double flops = 0; ///< total; 0 unless a matmul
  double bytes = 0; ///< of all operands, total
};

class Profile {
public:
  /// Measures the programs of `plan`, which must outlive this.
  explicit Profile(const zrt_plan &plan) : plan(plan) {}

  /// Resets all totals.  No stream may be running.
  void start();
  bool enabled() const { return on; }

  /// Stream thread: adds a run of an operation that took `seconds`.
  void add(uint32_t program, size_t operation, double seconds) {
    Total &total = totals[program][operation];
    ++total.calls;
    total.seconds += seconds;
  }
  /// Host thread: adds a program that took `seconds`; `isLast` if it ends a
  /// step.
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
