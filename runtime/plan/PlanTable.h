//===- PlanTable.h - Reads the tables of a plan -----------------*- C++ -*-===//
//
// Checks, trace, profile, ledgers and `--plan` all read the same tables with
// these functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/plan/RankGroups.h"
#include "runtime/plan/Vocabulary.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

namespace zrt {

/// Returns the operations of a program; none if the plan has no such program.
inline std::span<const zrt_op> opsOf(const zrt_program &program) {
  return {program.ops, program.ops ? program.op_count : 0};
}

/// Returns the operations of all programs, one program after the other.
inline auto opsOf(const zrt_plan &plan) {
  return plan.programs | std::views::transform([](const zrt_program &program) {
           return opsOf(program);
         }) |
         std::views::join;
}

/// Accessors of a plan and of a bucket, as spans.
inline std::span<const zrt_bucket> bucketsOf(const zrt_plan &plan) {
  return {plan.buckets, plan.bucket_count};
}
inline std::span<const zrt_member> membersOf(const zrt_bucket &bucket) {
  return {bucket.members, bucket.member_count};
}
inline std::span<const zrt_state> statesOf(const zrt_plan &plan) {
  return {plan.states, plan.state_count};
}
inline std::span<const zrt_ref> cachesOf(const zrt_plan &plan) {
  return {plan.caches, plan.cache_count};
}
inline std::span<const zrt_input> inputsOf(const zrt_plan &plan) {
  return {plan.inputs, plan.input_count};
}
inline std::span<const zrt_output> outputsOf(const zrt_plan &plan) {
  return {plan.outputs, plan.output_count};
}

/// Returns the width of a column of stream names.
inline size_t streamWidth(const zrt_plan &plan) {
  size_t width = 10;
  for (uint32_t i = 0; i < plan.stream_count; ++i)
    width = std::max(width, std::string_view(plan.streams[i].name).size());
  return width;
}

/// Returns the number of micro-steps whose batches a program takes at once.
inline uint32_t microStepsAtOnce(const zrt_plan &plan) {
  return plan.layered ? plan.accumulate : 1;
}

/// Returns the number of ranks that share a sequence, 1 or more.
inline uint32_t ranksOfSequence(const zrt_plan &plan) {
  return plan.context > 1 ? plan.context : 1;
}
/// Returns the number of groups of ranks that share sequences; that of ranks,
/// if none do.
inline uint64_t sequenceGroups(const zrt_plan &plan) {
  return plan.world_size / ranksOfSequence(plan);
}
/// Returns the group of `rank`, and its number there.
inline uint64_t sequenceGroupOf(const zrt_plan &plan, int rank) {
  return uint64_t(rank) / ranksOfSequence(plan);
}
inline uint64_t partOfSequence(const zrt_plan &plan, int rank) {
  return uint64_t(rank) % ranksOfSequence(plan);
}

/// launchOf(op), matmulOf(op), ...: the descriptor of an operation of a kind.
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS)                      \
  inline const zrt_##SPELLING##_desc &SPELLING##Of(const zrt_op &op) {         \
    return *static_cast<const zrt_##SPELLING##_desc *>(op.descriptor);         \
  }
#define ZRT_MOVE_KIND ZRT_DEVICE_KIND
#include "abi/OperationKinds.def"

/// Calls `visit(descriptor)` with the struct of the operation's kind, if the
/// operation does work; visitDevice only if it is the device's work.
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS)                      \
  case NUMBER:                                                                 \
    return visit(SPELLING##Of(op));
template <typename Visit>
void visitDevice(const zrt_op &op, Visit visit) {
  switch (op.kind) {
#include "abi/OperationKinds.def"
  default:
    return;
  }
}
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS)                      \
  case NUMBER:                                                                 \
    return visit(SPELLING##Of(op));
#define ZRT_MOVE_KIND ZRT_DEVICE_KIND
template <typename Visit>
void visitWork(const zrt_op &op, Visit visit) {
  switch (op.kind) {
#include "abi/OperationKinds.def"
  default:
    return;
  }
}

/// True if the operations of this descriptor work on a bucket.
template <typename Desc>
constexpr bool hasBucket = requires(const Desc &desc) { desc.bucket; };

/// The event of a record or a wait.
inline uint32_t eventOf(const zrt_op &op) {
  return static_cast<const zrt_event_desc *>(op.descriptor)->event;
}

/// Returns true if `op` does any work: it is neither a record nor a wait.
inline bool isWork(const zrt_op &op) {
  return op.kind != ZRT_RECORD && op.kind != ZRT_WAIT;
}

/// Returns the name of an operation that does work; "unnamed" if it has none.
inline const char *nameOf(const zrt_op &op) {
  // Every such descriptor begins with its name.
  const auto *name = *static_cast<const char *const *>(op.descriptor);
  return name ? name : "unnamed";
}

/// Calls `visit(what, operand)` for every operand of a descriptor.
#define ZRT_OPERAND(FIELD, TEXT) visit(std::string(TEXT), desc.FIELD);
#define ZRT_OPTIONAL(FIELD, TEXT, FLAG)                                        \
  if (desc.FLAG)                                                               \
    visit(std::string(TEXT), desc.FIELD);
#define ZRT_OPERAND_LIST(FIELD, TEXT, COUNT)                                   \
  for (uint32_t i = 0; i < desc.COUNT; ++i)                                    \
    visit(fmt::format(TEXT "{}", i), desc.FIELD[i]);
#define ZRT_DEVICE_KIND(NUMBER, NAME, SPELLING, OPERANDS)                      \
  template <typename Visit>                                                    \
  void forEachOperand(const zrt_##SPELLING##_desc &desc, Visit visit) {        \
    OPERANDS                                                                   \
  }
#define ZRT_MOVE_KIND ZRT_DEVICE_KIND
#include "abi/OperationKinds.def"
#undef ZRT_OPERAND
#undef ZRT_OPTIONAL
#undef ZRT_OPERAND_LIST

/// Calls `visit(what, operand)` for every operand of `op`.
template <typename Visit>
void forEachOperand(const zrt_op &op, Visit visit) {
  visitWork(op, [&](const auto &desc) { forEachOperand(desc, visit); });
}

/// Returns the class of the streams that copy between two tiers, or nullopt if
/// no link connects them.
constexpr std::optional<uint32_t> linkOf(uint32_t from, uint32_t to) {
  if (from == ZRT_HOST && to == ZRT_DEVICE)
    return ZRT_H2D;
  if (from == ZRT_DEVICE && to == ZRT_HOST)
    return ZRT_D2H;
  if (from == ZRT_NVME && to == ZRT_HOST)
    return ZRT_NVME_READ;
  if (from == ZRT_HOST && to == ZRT_NVME)
    return ZRT_NVME_WRITE;
  return std::nullopt;
}
inline std::optional<uint32_t> linkOf(const zrt_copy_desc &desc) {
  return linkOf(desc.source.ref.tier, desc.result.ref.tier);
}

/// Formats an operand: "device 4096 + 1024 f32 whole".
inline std::string operandText(const zrt_operand &operand) {
  return fmt::format("{} {} + {} {} {}", tierName(operand.ref.tier),
                     operand.ref.offset, operand.ref.bytes,
                     dtypeName(operand.dtype), extentName(operand.extent));
}

/// Returns the number of elements that the operand's bytes hold.
inline uint64_t elementsIn(const zrt_operand &operand) {
  return operand.ref.bytes / dtypeBytes(operand.dtype) *
         numbersIn(operand.dtype);
}

/// A matrix as it is stored, row by row.
struct StoredMatrix {
  int64_t rows, columns;
  int64_t ld; ///< elements from one row to the next
};
inline StoredMatrix storedMatrix(int64_t rows, int64_t columns, int64_t ld) {
  return {rows, columns, ld == 0 ? columns : ld};
}
inline StoredMatrix storedA(const zrt_matmul_desc &d) {
  return d.trans_a ? storedMatrix(d.k, d.m, d.lda)
                   : storedMatrix(d.m, d.k, d.lda);
}
inline StoredMatrix storedB(const zrt_matmul_desc &d) {
  return d.trans_b ? storedMatrix(d.n, d.k, d.ldb)
                   : storedMatrix(d.k, d.n, d.ldb);
}
inline StoredMatrix storedC(const zrt_matmul_desc &d) {
  return storedMatrix(d.m, d.n, d.ldc);
}

/// Returns the bytes that an operation of `rank` works on.
inline zrt_ref refOf(const zrt_operand &operand, uint32_t rank,
                     const RankGroups &groups) {
  const Share share = groups.shareOf(operand.extent, rank);
  zrt_ref ref = operand.ref;
  ref.bytes /= share.count;
  ref.offset += share.number * ref.bytes;
  return ref;
}

/// Returns their number, which is the same on all ranks.
inline uint64_t bytesOf(const zrt_operand &operand, const RankGroups &groups) {
  return refOf(operand, /*rank=*/0, groups).bytes;
}

/// Returns true if the update works on the rank's slice.
inline bool isSliced(const zrt_update_desc &desc) {
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (isSlice(desc.args[i].extent))
      return true;
  return false;
}

} // namespace zrt
