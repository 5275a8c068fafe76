//===- ChaosDelays.h - Delays at random, for tests --------------*- C++ -*-===//
//
// ZRT_CHAOS=seed in the environment delays entries of streams before they
// execute, and copies and collectives in the middle.  Streams and ranks then
// run in orders that a quiet machine never shows, and a plan that lacks an
// event, or a transport that lacks a barrier, computes garbage.  Before each
// program the context poisons what is dead (Poison.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <array>
#include <random>

namespace zrt {

/// One generator per stream, so that streams draw without locks.
class ChaosDelays {
public:
  /// Throws when ZRT_CHAOS is not a number.
  explicit ChaosDelays(int rank);

  bool on() const { return seeded; }
  /// Stream thread: sleeps, perhaps, when `on`.
  void delay(zrt_stream stream);
  /// Stream thread: a random number; only when `on`.
  uint64_t draw(zrt_stream stream) { return generators[stream](); }

private:
  bool seeded = false;
  std::array<std::mt19937_64, ZRT_MAX_STREAMS> generators;
};

} // namespace zrt
