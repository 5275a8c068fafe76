//===- ChaosDelays.h - Random delays for tests ------------------*- C++ -*-===//
//
// ZRT_CHAOS=seed in the environment delays entries of streams before they
// execute, and copies and collectives in the middle.  Streams and ranks then
// run in orders that never occur on a quiet machine, so a plan that lacks an
// event, or a transport that lacks a barrier, computes garbage.  Before each
// program the context also overwrites all dead memory, and each operation is
// finished before the stream's next one (Context.cpp).
//
// ZRT_DELAYS=seed only delays entries, so that a device that works later than
// its calls is issued to by threads that are late; with both, its seed counts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <array>
#include <random>

namespace zrt {

/// Has one generator per stream, so that streams draw without locks.
class ChaosDelays {
public:
  /// Throws if a variable is not a number.
  explicit ChaosDelays(int rank);

  /// Returns true with ZRT_CHAOS.
  bool on() const { return isChaos; }
  /// Stream thread: with one of the variables, sleeps in some of the calls.
  void delay(zrt_stream stream);
  /// Stream thread: returns a random number; only with one of the variables.
  uint64_t draw(zrt_stream stream) { return generators[stream](); }

private:
  /// Seeds the generators if the variable is set.
  bool seedBy(const char *variable, int rank);

  std::array<std::mt19937_64, ZRT_MAX_STREAMS> generators;
  const bool isChaos, isLate;
};

} // namespace zrt
