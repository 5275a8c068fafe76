//===- ChaosDelays.h - Random delays for tests ------------------*- C++ -*-===//
//
// ZRT_CHAOS=seed in the environment delays entries of streams before they
// execute, and copies and collectives in the middle.  Streams and ranks then
// run in orders that never occur on a quiet machine, so a plan that lacks an
// event, or a transport that lacks a barrier, computes garbage.  Before each
// program the context also overwrites all dead memory (Context.cpp).
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
  /// Throws if ZRT_CHAOS is not a number.
  explicit ChaosDelays(int rank);

  bool on() const { return seeded; }
  /// Stream thread: if `on`, sleeps in some of the calls.
  void delay(zrt_stream stream);
  /// Stream thread: returns a random number; only if `on`.
  uint64_t draw(zrt_stream stream) { return generators[stream](); }

private:
  bool seeded = false;
  std::array<std::mt19937_64, ZRT_MAX_STREAMS> generators;
};

} // namespace zrt
