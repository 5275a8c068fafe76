//===- Lifetimes.h - Buffers and their lifetimes --------------------------===//
//
// Groups the values of a step into buffers, by the storage ties of its
// operations, and computes the lifetime of each buffer.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Bytes that one or more values share.
struct Buffer {
  enum Role { State, Input, Scalar, Cache, Output, Temporary };
  Role role = Temporary;
  Tier tier = Tier::Device;
  int64_t size = 0;
  /// Program points, both included: the first definition and the last use.
  /// Everything but temporaries lives for the whole step.
  unsigned birth = 0, death = 0;
  /// The last point at which a value of the buffer is defined.
  unsigned lastDefinition = 0;
  /// The value that the buffer is named after.
  Value name;
  BytesUse use = BytesUse::Activations; ///< of a temporary
  /// Whether it lies in the exported bytes: because peers read it, or in a gap.
  bool exported = false;
};

/// A value's place in its buffer; `offset` counts bytes.
struct Place {
  unsigned buffer;
  int64_t offset;
};

struct Storage {
  std::vector<Buffer> buffers;
  DenseMap<Value, Place> places;
  /// Operands that cannot share the bytes that their operation ties them to.
  /// The step is valid once each of them is a `zero.copy`.
  SmallVector<OpOperand *> copies;
  /// The operations of the step; operation i is program point i + 1, and
  /// arguments are defined at point 0.
  std::vector<Operation *> operations;
};

/// The programs of the module, in the order in which they run (kPrograms);
/// empty after an error.
SmallVector<ProgramOp> getPrograms(ModuleOp module);

/// The name of a value in messages: its location's name if it has one.
std::string getValueName(Value value);

/// Computes the program's buffers.  A collective runs in parallel with the
/// operations that follow it: the buffers that it reads or writes stay alive
/// until the next collective of its stream, and those of a gather until its
/// result is used, so that later operations use other bytes and do not wait.
/// Kernels that may work in place do so wherever the operand dies; with
/// `asAssigned`, only where the step's `zero.at` agrees.  Fails with an error
/// if even a copy cannot satisfy a tie.
FailureOr<Storage> analyzeStorage(ProgramOp step, bool asAssigned = false);

/// The most bytes of a tier that are alive at one program point, and the first
/// such point.
struct LivePeak {
  int64_t bytes = 0;
  unsigned point = 0;
};
LivePeak getLivePeak(const Storage &storage, Tier tier);
/// Of each run of points where the buffers that `counts` holds for have more
/// than `limit` bytes: the most, and the first point that has them.
SmallVector<LivePeak>
getPeaksAbove(const Storage &storage, int64_t limit,
              llvm::function_ref<bool(const Buffer &)> counts);

} // namespace mlir::zero
