//===- WireLedger.h - What went over the wire -------------------*- C++ -*-===//
//
// For each collective of the plan: how often it ran, the bytes that this rank
// received from its peers, and its time.  The compiler predicted the bytes; a
// difference is a mistake in one of the two.
//
// Every stream counts its own collectives, so counting takes no lock.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_WIRE_LEDGER_H
#define ZRT_CORE_WIRE_LEDGER_H

#include "runtime/zrt.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace zrt {

struct WireRow {
  const zrt_collective_desc *collective = nullptr;
  zrt_stream stream = ZRT_COMPUTE;
  uint64_t calls = 0;
  uint64_t bytes = 0; ///< received from peers, in all
  double seconds = 0; ///< in all
  double waiting = 0; ///< of `seconds`, those spent waiting for peers
};

class WireLedger {
public:
  /// Starts again from nothing.  No stream may be running.
  void start();

  /// Stream thread: the row of `desc` to count in.
  WireRow &row(zrt_stream stream, const zrt_collective_desc &desc);

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
  std::array<std::unordered_map<const zrt_collective_desc *, WireRow>,
             ZRT_STREAM_COUNT>
      totals;
};

} // namespace zrt

#endif // ZRT_CORE_WIRE_LEDGER_H
