//===- LinkLedger.h - What went from tier to tier ---------------*- C++ -*-===//
//
// For each copy of the plan between two tiers: how often it ran, the bytes that
// arrived, as the device counted them, and its time.  The plan's table predicts
// the bytes; a difference is a mistake of one of the two.
//
// Every copy has a row of its own, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct LinkRow {
  const zrt_copy_desc *copy = nullptr; ///< nullptr: no copy between tiers
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< that arrived, in all
  double seconds = 0; ///< in all
};

class LinkLedger {
public:
  /// Of the copies of `plan`, which outlives this.
  explicit LinkLedger(const zrt_plan &plan);

  /// Starts again from nothing.  No stream may be running.
  void start();

  /// Stream thread: the row of a copy to count in; nullptr when it stays in its
  /// tier.
  LinkRow *row(uint32_t program, size_t operation) {
    LinkRow &row = totals[program][operation];
    return row.copy ? &row : nullptr;
  }

  /// Bytes that arrived over the link of a stream class (ZRT_H2D, ...).
  uint64_t bytes(uint32_t link) const;
  /// "" when every copy moved what the plan predicted, else the first that did
  /// not.
  std::string difference() const;
  /// A table like that of the wire, a line for each link, with a final newline;
  /// "" when nothing went over any.
  std::string table() const;

private:
  const zrt_plan &plan;
  /// Of each operation; those of copies between tiers are used.
  std::array<std::vector<LinkRow>, ZRT_PROGRAM_COUNT> totals;
};

} // namespace zrt
