//===- HostCopies.h - Copies of NVMe parameters on the host -----*- C++ -*-===//
//
// A parameter on NVMe is fetched to the host once, and from there to the device
// for each stretch of uses.  Between them the host keeps the copy while other
// parameters are used:
//
//   nvme to host     @b0  @b1  @b2
//   host to device   @b0  @b1  @b2       @b2  @b1  @b0
//                              '---------'
//                         '-------------------'
//                    '-----------------------------'
//
// If host memory is too small, the copy that waits longest is fetched from NVMe
// again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

class HostCopies {
public:
  /// Finds the copies of `program`, whose transfers have not been moved yet.
  explicit HostCopies(ProgramOp program);

  /// Finds the copy with the longest wait among those that are first used where
  /// `isBefore` holds, and last used where it does not.
  std::optional<size_t>
  findAcross(llvm::function_ref<bool(Operation *)> isBefore) const;
  /// Fetches `copy` again before each later use, so that it does not wait.
  void fetchAgain(size_t copy);

private:
  struct Copy {
    FetchOp fetch;
    /// Transfers to the device, in program order.
    SmallVector<Operation *> readers;
    unsigned wait; ///< operations between the first and the last reader
  };
  SmallVector<Copy> copies; ///< the longest wait first
};

} // namespace mlir::zero
