//===- WireLedger.h - What went over the wire -------------------*- C++ -*-===//
//
// For each collective of the plan: how often it ran, the bytes that this rank
// received from its peers, and its time.  The compiler predicted the bytes; a
// difference is a mistake in one of the two.
//
// Every collective has a row of its own, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct WireRow {
  const zrt_collective_desc *collective = nullptr;
  zrt_stream stream = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< received from peers, in all
  double seconds = 0; ///< in all
  double waiting = 0; ///< of `seconds`, those spent waiting for peers
};

class WireLedger {
public:
  /// Of the collectives of `plan`, which outlives this.
  explicit WireLedger(const zrt_plan &plan);

  /// Starts again from nothing.  No stream may be running.
  void start();

  /// Stream thread: the row of a collective to count in.
  WireRow &row(uint32_t program, size_t operation) {
    return totals[program][operation];
  }

  /// All collectives that ran, the most bytes first.  No stream may be running.
  std::vector<WireRow> rows() const;
  uint64_t bytes() const;
  /// "" when every collective received what the plan predicted, else the first
  /// that did not.
  std::string difference() const;
  /// A table like the profile's, a line for each kind of collective, with a
  /// final newline; "" when nothing ran.
  std::string table() const;

private:
  const zrt_plan &plan;
  /// Of each operation; those of collectives are used.
  std::array<std::vector<WireRow>, ZRT_PROGRAM_COUNT> totals;
};

} // namespace zrt
