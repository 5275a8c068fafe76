//===- Communicator.h - Ranks that exchange by NCCL -------------*- C++ -*-===//
//
// NCCL's calls return before they have done anything (`blocking` is 0), so that a
// thread which waits for ranks that never come can be woken: `abort` ends what was
// begun, and the calls and kernels that wait for peers end as well.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/exchange/Nccl.h"

#include <functional>
#include <mutex>
#include <string>

namespace zrt::cuda {

class Communicator {
public:
  using Calls = std::function<ncclResult_t(ncclComm_t)>;

  explicit Communicator(const Nccl &nccl) : nccl(nccl) {}
  /// After the streams that it was used on have finished.
  ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  /// Connects `ranks` ranks, which call it together with the same `id`.  The GPU is
  /// the thread's, here and in what follows.  Throws zrt::Error, also after `abort`.
  void connect(const ncclUniqueId &id, int rank, int ranks);
  /// Returns when what `calls` calls has been issued; `what` names it.  Throws as
  /// well.
  void issue(const char *what, const Calls &calls);
  /// Any thread.
  void abort();
  /// Any thread: what has gone wrong meanwhile, or "".
  std::string failure();

private:
  void begin(const char *what, const std::function<ncclResult_t()> &call);
  /// Waits until what has begun is issued.
  void settle(const char *what);

  const Nccl &nccl;
  std::mutex mutex; ///< of calls
  bool isAborted = false;
  ncclComm_t handle = nullptr; ///< between `connect` and `abort`
};

} // namespace zrt::cuda
