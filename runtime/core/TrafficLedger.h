//===- TrafficLedger.h - Counts the bytes that operations move --*- C++ -*-===//
//
// Records, for each collective of the plan and for each copy between two tiers:
// the number of calls, the bytes that arrived, and the time.  The plan predicts
// the bytes; a difference is a bug in one of the two.
//
// Every operation has a row of its own, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

struct TrafficRow {
  const zrt_op *op = nullptr;   ///< nullptr: it moves nothing
  std::optional<uint32_t> link; ///< of a copy between tiers: ZRT_H2D, ...
  uint64_t predicted = 0;       ///< bytes of a call
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< total that arrived, from peers or another tier
  double seconds = 0; ///< total
  double waiting = 0; ///< part of `seconds` spent waiting for peers

  void add(const TrafficRow &other);
};

class TrafficLedger {
public:
  /// Counts the operations of `plan`, which must outlive this.
  explicit TrafficLedger(const zrt_plan &plan);

  /// Resets all counts.  No stream may be running.
  void start();

  /// Stream thread: returns the row that counts an operation.
  TrafficRow &row(uint32_t program, size_t operation) {
    return totals[program][operation];
  }

  /// Returns the collectives that ran (link = nullopt), or the copies that ran
  /// over a link; sorted by bytes, largest first.  No stream may be running.
  std::vector<TrafficRow> rows(std::optional<uint32_t> link) const;
  /// Returns the bytes that arrived from peers, or over a link.
  uint64_t bytes(std::optional<uint32_t> link) const;
  /// Describes the first operation that did not move the predicted bytes; "" if
  /// all did.
  std::string difference() const;
  /// Returns two tables like the profile's, one line per kind of collective and
  /// one per link, with a final newline; "" if nothing was moved.
  std::string table() const { return wireTable() + linkTable(); }

private:
  std::string wireTable() const;
  std::string linkTable() const;

  const zrt_plan &plan;
  /// By program and operation.
  std::array<std::vector<TrafficRow>, ZRT_PROGRAM_COUNT> totals;
};

} // namespace zrt
