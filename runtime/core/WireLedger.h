//===- WireLedger.h - Counts the bytes received by collectives --*- C++ -*-===//
//
// Records, for each collective of the plan: the number of calls, the bytes that
// this rank received from its peers, and the time.  The compiler predicted the
// bytes; a difference is a bug in one of the two.
//
// Every collective has a row of its own, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct WireRow {
  const zrt_collective_desc *collective = nullptr;
  zrt_stream stream = 0;
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< total received from peers
  double seconds = 0; ///< total
  double waiting = 0; ///< part of `seconds` spent waiting for peers
};

class WireLedger {
public:
  /// Counts the collectives of `plan`, which must outlive this.
  explicit WireLedger(const zrt_plan &plan);

  /// Resets all counts.  No stream may be running.
  void start();

  /// Stream thread: returns the row that counts a collective.
  WireRow &row(uint32_t program, size_t operation) {
    return totals[program][operation];
  }

  /// Returns all collectives that ran, sorted by bytes, largest first.  No
  /// stream may be running.
  std::vector<WireRow> rows() const;
  uint64_t bytes() const;
  /// Describes the first collective that did not receive the predicted bytes;
  /// "" if all did.
  std::string difference() const;
  /// Returns a table like the profile's, one line per kind of collective, with
  /// a final newline; "" if none ran.
  std::string table() const;

private:
  const zrt_plan &plan;
  /// By program and operation; rows of other operations are unused.
  std::array<std::vector<WireRow>, ZRT_PROGRAM_COUNT> totals;
};

} // namespace zrt
