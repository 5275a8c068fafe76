//===- LinkLedger.h - Counts the bytes copied between tiers -----*- C++ -*-===//
//
// Records, for each copy of the plan between two tiers: the number of calls,
// the bytes that arrived, as the device counted them, and the time.  The plan's
// table predicts the bytes; a difference is a bug in one of the two.
//
// Every copy has a row of its own, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct LinkRow {
  const zrt_copy_desc *copy = nullptr; ///< nullptr: no copy between tiers
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< total that arrived
  double seconds = 0; ///< total
};

class LinkLedger {
public:
  /// Counts the copies of `plan`, which must outlive this.
  explicit LinkLedger(const zrt_plan &plan);

  /// Resets all counts.  No stream may be running.
  void start();

  /// Stream thread: returns the row that counts a copy; nullptr if the copy
  /// stays in its tier.
  LinkRow *row(uint32_t program, size_t operation) {
    LinkRow &row = totals[program][operation];
    return row.copy ? &row : nullptr;
  }

  /// Returns the bytes that arrived over the link of a stream class (ZRT_H2D,
  /// ...).
  uint64_t bytes(uint32_t link) const;
  /// Describes the first copy that did not move the predicted bytes; "" if all
  /// did.
  std::string difference() const;
  /// Returns a table like that of the WireLedger, one line per link, with a
  /// final newline; "" if no link was used.
  std::string table() const;

private:
  const zrt_plan &plan;
  /// By program and operation; rows of other operations are unused.
  std::array<std::vector<LinkRow>, ZRT_PROGRAM_COUNT> totals;
};

} // namespace zrt
