//===- HostCopies.h - Parameters of nvme that wait in host memory -*- C++ -*-===//
//
// A parameter that lies on nvme is fetched to the host once, and from there to
// the device for each stretch of uses.  Between them the host holds it, for as
// long as others are used:
//
//   nvme to host     @b0  @b1  @b2
//   host to device   @b0  @b1  @b2       @b2  @b1  @b0
//                              '---------'
//                         '-------------------'
//                    '-----------------------------'
//
// Where that is too much, what waits longest is fetched from nvme again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

class HostCopies {
public:
  /// Those of a program whose transfers have not been moved.
  explicit HostCopies(ProgramOp program);

  /// The one that waits longest of those that do so beyond where `isBefore` ends.
  std::optional<size_t>
  findAcross(llvm::function_ref<bool(Operation *)> isBefore) const;
  /// Fetches it again, before each later use; it waits no more.
  void fetchAgain(size_t copy);

private:
  struct Copy {
    FetchOp fetch;
    /// Transfers to the device, in program order.
    SmallVector<Operation *> readers;
    unsigned wait; ///< operations between the first and the last
  };
  SmallVector<Copy> copies; ///< the longest wait first
};

} // namespace mlir::zero
