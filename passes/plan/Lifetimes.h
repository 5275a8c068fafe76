//===- Lifetimes.h - Buffers and when they are alive ----------------------===//
//
// Groups the values of a step into buffers, by the storage ties of its
// operations, and says from when to when each buffer is needed.
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
  enum Role { State, Input, Scalar, Output, Temporary };
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
  /// What a temporary is for: gradients until the update, the buffers that
  /// collectives gather into or reduce from, or the model's own values.
  enum Use { Activations, Communication, Gradients };
  Use use = Activations;
  /// Whether it lies where peers read: because they read it, or in a gap.
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
  /// The step is in order once each of them is a `zero.copy`.
  SmallVector<OpOperand *> copies;
  /// The operations of the step; operation i is program point i + 1, and
  /// arguments are defined at point 0.
  std::vector<Operation *> operations;
};

/// The programs of the module, in the order in which they run (kPrograms);
/// empty after an error.
SmallVector<ProgramOp> getPrograms(ModuleOp module);

/// What messages call a value: its location's name if it has one.
std::string getValueName(Value value);

/// The program's buffers.  A collective runs beside the operations that follow
/// it: what it reads or writes stays taken until the next collective of its
/// stream, so that the next bytes are other ones and nobody waits.  Kernels
/// that may work in place do so wherever the operand dies; with `asAssigned`,
/// where the step's `zero.at` says so.  Fails with an error where a tie cannot
/// be honoured even by a copy.
FailureOr<Storage> analyzeStorage(ProgramOp step, bool asAssigned = false);

/// The most bytes of a tier that are alive at one program point, and the first
/// such point.
struct LivePeak {
  int64_t bytes = 0;
  unsigned point = 0;
};
LivePeak getLivePeak(const Storage &storage, Tier tier);

} // namespace mlir::zero
