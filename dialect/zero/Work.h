//===- Work.h - The amounts of work of a plan's operation -----------------===//
//
// A machine is described by the seconds that a unit of each kind of work takes,
// and an operation by its amounts of these kinds:
//
//   seconds = sum over kinds of  amount x seconds of a unit
//
// Amounts are counted from types and bodies (Cost.h) and do not depend on a
// machine.  The name of a kind begins with the kind of operation:
//
//   OP.call                      operations, of every kind
//   matmul.TYPE.flop .a .b .c    multiply-adds count twice; bytes of operands
//                                and result; also of products of experts
//   attention.TYPE.flop .score   score: a pair of query and key, of a head
//   kernel.op .division .function .rounding
//                                of elements in bodies: additions and the like,
//                                divisions and roots, exp and the like,
//                                conversions to 16 bits
//   kernel.reduction             elements that are summed or compared
//   OP.memory .cache             bytes of operands and results; which of the
//                                two is known from the operations before
//   LINK.byte                    bytes that a collective receives, or a copy
//                                between tiers moves
//   LINK.member_byte             of a collective over members, which are near
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

constexpr llvm::StringLiteral kMemberByte = ".member_byte";

/// The first word of the kinds of work of `op`: "matmul", "attention" or
/// another operation with a routine of its own, "kernel", "update",
/// "all_gather", the stream of a copy between tiers such as "h2d", or "move"
/// for other copies; with "host_" before it on stream host.
std::string getWorkKind(PlanOpInterface op, SymbolTableCollection &symbols);

/// The bytes of `value` that `op` reads or writes on a rank; of a table, the
/// rows that are looked up.
int64_t countWorkBytes(PlanOpInterface op, Value value,
                       SymbolTableCollection &symbols);

/// The work of `op` on a rank, without its bytes in memory or cache.  `op` does
/// something (it is not movesNothing()).
Work countWork(PlanOpInterface op, SymbolTableCollection &symbols);

} // namespace mlir::zero
