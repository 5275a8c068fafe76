//===- Profile.h - Where a step's time goes ---------------------*- C++ -*-===//
//
// Every stream adds up the time of its own operations, so recording takes no
// lock.  Operations are grouped by name up to the last '.': "layer_norm.3" and
// "layer_norm.7" are one line; matrix products also by shape.  What works on a
// bucket, "adamw of b3", is grouped by what it is.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_PROFILE_H
#define ZRT_CORE_PROFILE_H

#include "runtime/core/Entry.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace zrt {

/// One line of the profile.
struct ProfileRow {
  zrt_stream stream = ZRT_COMPUTE;
  std::string group; ///< "layer_norm", "c_fc 256 x 3072 x 768", "copy ..."
  uint64_t calls = 0;
  double seconds = 0;
  double flops = 0; ///< in all; 0 unless a matrix product
  double bytes = 0; ///< of all operands, in all
};

class Profile {
public:
  /// Starts again from nothing.  No stream may be running.
  void start();
  bool enabled() const { return on; }

  /// Stream thread: `entry` took `seconds`.
  void add(zrt_stream stream, const Entry &entry, double seconds);
  /// Host thread: a program took `seconds`; with the last of a step, the step
  /// is over.
  void addProgram(double seconds, bool isLast);

  /// All groups, the longest first.
  std::vector<ProfileRow> rows() const;
  /// The table that --profile prints, with a final newline.
  std::string table() const;

private:
  struct Total {
    Entry entry; ///< one of those that were added
    uint64_t calls = 0;
    double seconds = 0;
  };
  bool on = false;
  uint64_t steps = 0;
  double stepSeconds = 0;
  /// By descriptor, or by tiers for copies: adding compares no strings.
  std::array<std::unordered_map<uint64_t, Total>, ZRT_STREAM_COUNT> totals;
};

} // namespace zrt

#endif // ZRT_CORE_PROFILE_H
