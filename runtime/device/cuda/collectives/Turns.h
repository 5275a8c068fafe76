//===- Turns.h - One order of collectives on all ranks ----------*- C++ -*-===//
//
// Each stream has a thread that issues its operations.  A GPU may have room for
// the kernels of one collective only; if two ranks issued those of two streams
// in another order, each GPU would wait for the other:
//
//   rank 0   all_gather on `gather`   reduce_scatter on `reduce`
//   rank 1   reduce_scatter on `reduce`   all_gather on `gather`
//
// So streams take turns: collectives are issued in the order of the program's
// operations, which is the same on all ranks.  No turn waits for ever, because
// everything that an operation waits for comes before it in this order.  Direct
// collectives need it, too: a full queue of launches holds all threads of a
// rank.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace zrt::cuda {

class Turns {
public:
  explicit Turns(const zrt_plan &plan);

  /// Starts the order of `program`, before its streams issue anything.
  void begin(uint32_t program);
  /// Thread of `stream`: waits until its next collective is to be issued.
  /// Returns false after `giveUp`.
  bool await(zrt_stream stream);
  /// Ends the turn that `await` has given.
  void pass();
  /// Any thread: ends all waits, now and later.
  void giveUp();

private:
  /// By program: the stream of each collective, in order.
  std::array<std::vector<zrt_stream>, ZRT_PROGRAM_COUNT> orders;
  std::mutex mutex;
  std::condition_variable changed;
  const std::vector<zrt_stream> *order = nullptr;
  size_t next = 0; ///< index in `order`
  bool isGivenUp = false;
};

} // namespace zrt::cuda
