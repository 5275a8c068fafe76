//===- Storage.h - Which values share bytes -------------------------------===//
//
// Most operations write results into bytes of their own.  The few that do not
// are listed here, in one place: AssignMemory honours these ties and VerifyPlan
// judges by them.
//
//===----------------------------------------------------------------------===//
#ifndef DIALECT_ZERO_STORAGE_H
#define DIALECT_ZERO_STORAGE_H

#include "dialect/zero/Zero.h"
#include "mlir/IR/Operation.h"

namespace mlir::zero {

/// One pair of values of an operation that share bytes.
struct StorageTie {
  enum Relation {
    /// The result is part of the operand; nothing is written (view, reshape).
    ResultInOperand,
    /// The operand is produced inside the result; nothing is written (pack).
    OperandInResult,
    /// The result may overwrite the operand, byte for byte.
    MayReplace,
    /// The result overwrites the operand, byte for byte (update, accumulation).
    MustReplace,
  };
  Relation relation;
  unsigned operand, result;
  /// Where the inner value starts in the outer one, in bytes.
  int64_t offset = 0;
};

/// The ties of `op`; symbols are looked up in the enclosing module, whose tables
/// `symbols` keeps.
SmallVector<StorageTie> getStorageTies(Operation *op,
                                       SymbolTableCollection &symbols);

/// The operands that peers read while `op` runs; they lie in exported bytes.
SmallVector<unsigned> getExportedOperands(Operation *op);

/// The bytes that a plan gives to `value` (zero.at); null if it gives none.
BytesAttr bytesOf(Value value);

/// Bytes of an element of a tensor or a shard.
int64_t getElementBytes(Type type);

/// Whether `op` is an exchange between ranks.
bool isCollective(Operation *op);

/// Bytes that a rank receives from its peers in a collective.
int64_t getWireBytes(Operation *op);

/// Whether `op` only names bytes (view, pack, reshape) and runs nothing.
bool movesNothing(Operation *op);

} // namespace mlir::zero

#endif // DIALECT_ZERO_STORAGE_H
