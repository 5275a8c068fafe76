//===- Nccl.h - NVIDIA's NCCL, loaded at run time ---------------*- C++ -*-===//
//
// libnccl.so.2 is opened by name, and its functions are kept in a table:
//
//   nccl.Send(...)                        ncclResult_t, as in nccl.h
//   nccl.describe("ncclSend", ...)        the error's text, and NCCL's details
//
// Its environment is set before the first communicator:
//
//   NCCL_RUNTIME_CONNECT=0         connects at the start, not in a step, where
//                                  that waits for the GPU (2.22 and later)
//   NCCL_SET_STACK_SIZE=1          the same for the stacks of its kernels
//   NCCL_LAUNCH_ORDER_IMPLICIT=1   communicators run in the order of their
//                                  calls (2.26 and later)
//   NCCL_NVLS_ENABLE=0             saves memory; a user's value is kept
//   NCCL_MAX_P2P_NCHANNELS=4       the same (numerics/NcclMemory.h)
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nccl.h>

#include <string>

namespace zrt::cuda {

class Nccl {
public:
  /// Opens `library`.  Throws zrt::Error, which says what is missing, or what
  /// variable of the environment must not be set so.
  explicit Nccl(const char *library = "libnccl.so.2");

  /// Returns true if communicators run in the order of their calls.
  bool keepsOrder() const { return isOrdered; }
  /// Returns e.g. "2.28.9".
  const std::string &version() const { return shownVersion; }
  /// Returns e.g. "ncclSend: unhandled system error: connection reset"; `of`
  /// may be null.
  std::string describe(const char *call, ncclResult_t result,
                       ncclComm_t of) const;

  // NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZRT_NCCL(FUNCTION, SYMBOL) decltype(&::SYMBOL) FUNCTION = nullptr;
#include "runtime/device/cuda/collectives/NcclFunctions.def"

private:
  std::string shownVersion;
  bool isOrdered = false;
};

} // namespace zrt::cuda
