//===- Communicator.h - Connects ranks by NCCL ------------------*- C++ -*-===//
//
// NCCL's calls return before they are complete (`blocking` is 0), so that a
// thread which waits for missing ranks can be woken: `abort` ends all calls and
// kernels that wait for peers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/collectives/Nccl.h"

#include <functional>
#include <mutex>
#include <string>

namespace zrt::cuda {

class Communicator {
public:
  using Calls = std::function<ncclResult_t(ncclComm_t)>;

  explicit Communicator(const Nccl &nccl) : nccl(nccl) {}
  /// The streams that used it must have finished.
  ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  /// Connects `ranks` ranks, which call it together with the same `id`.  This
  /// and later calls use the thread's current GPU.  Throws zrt::Error, also
  /// after `abort`.
  void connect(const ncclUniqueId &id, int rank, int ranks);
  /// Returns when the operations in `calls` have been issued; `what` names
  /// them.  Throws zrt::Error, also after `abort`.
  void issue(const char *what, const Calls &calls);
  /// Any thread.
  void abort();
  /// Any thread: returns an error that has occurred meanwhile, or "".
  std::string failure();

private:
  void begin(const char *what, const std::function<ncclResult_t()> &call);
  /// Waits until the operations that have begun are issued.
  void settle(const char *what);

  const Nccl &nccl;
  std::mutex mutex; ///< guards calls of NCCL
  bool isAborted = false;
  ncclComm_t handle = nullptr; ///< between `connect` and `abort`
};

} // namespace zrt::cuda
