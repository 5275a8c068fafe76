//===- PlanInterfaces.h - Interfaces of a plan's operations ---------------===//
//
// See PlanInterfaces.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include <map>
#include <string>

#include "dialect/zero/ZeroEnums.h.inc"

namespace mlir::zero {

/// Amounts of work by kind (Work.h).
using Work = std::map<std::string, double>;

/// One pair of values of an operation that share bytes.
struct StorageTie {
  enum Relation {
    /// The result is part of the operand; nothing is written (view, reshape).
    ResultInOperand,
    /// The operand is produced inside the result; nothing is written (flatten).
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

/// What the bytes of a temporary are for: the model's own values; what
/// collectives and transfers gather into or send; gradients until the update.
enum class BytesUse { Activations, Communication, Gradients };

/// The kinds of collectives; the numbers are zrt.h's.
enum class CollectiveKind {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  STEM = (NUMBER),
#include "abi/CollectiveKinds.def"
};

struct CollectiveFacts {
  const char *name;
  /// Between the members or groups of ranks, where ranks are in groups.
  bool ofBucket;
};

/// By the number of the kind.
inline constexpr CollectiveFacts kCollectives[] = {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  {#SPELLING, OF_BUCKET},
#include "abi/CollectiveKinds.def"
};

/// The extent that `type` implies: a shard by several ranks is a slice; the
/// flat tensors of an operation on a bucket are all of it.
Extent getTypeExtent(Type type, bool ofBucket);

/// Bytes that a rank holds of a value of `type`; for a shard, those of its
/// slice.
int64_t getByteSize(Type type);

namespace detail {
/// Fails with an error where `op` has values in two tiers.
LogicalResult verifyOneTier(Operation *op);
/// The axis of the bucket `name`; null if the plan has no such bucket.
FlatSymbolRefAttr getAxisOf(Operation *op, FlatSymbolRefAttr name,
                            SymbolTableCollection &symbols);
/// `count` ties: each result from `result` on replaces one operand, from
/// `operand` on.
SmallVector<StorageTie> replaces(unsigned operand, unsigned result = 0,
                                 unsigned count = 1);
} // namespace detail

} // namespace mlir::zero

#include "dialect/zero/PlanInterfaces.h.inc"
