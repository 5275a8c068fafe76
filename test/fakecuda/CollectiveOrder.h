//===- CollectiveOrder.h - The order of a GPU's exchanges ---------*- C++ -*-===//
#pragma once

#include <deque>
#include <mutex>
#include <random>

namespace fakecuda {

/// The collectives of a user, of all communicators, of which its GPU does one at
/// a time.  All functions may be called by any thread.
class CollectiveOrder {
public:
  /// Returns that of a user of NCCL in this process (NcclRanks.h).
  static CollectiveOrder &of(int user);

  void issue(const void *exchange);
  bool isRunning(const void *exchange);
  /// Starts a collective that is the first of its stream, unless another one
  /// runs.  With `isOrdered` it must be the first that was issued; otherwise
  /// the GPU may choose another one, and chance decides.
  bool tryStart(const void *exchange, bool isOrdered);
  /// Also after an abort, when it may not have been started.
  void end(const void *exchange);

private:
  std::mutex mutex;
  std::deque<const void *> issued; ///< that have not been started
  const void *running = nullptr;
  std::mt19937_64 random{std::random_device()()};
};

} // namespace fakecuda
