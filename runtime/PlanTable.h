//===- PlanTable.h - Reads the tables of a plan -----------------*- C++ -*-===//
//
// Checks, trace, profile, ledgers and `--plan` all read the same tables with
// these functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/Vocabulary.h"

#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>

namespace zrt {

/// Returns the operations of a program; none if the plan has no such program.
inline std::span<const zrt_op> opsOf(const zrt_program &program) {
  return {program.ops, program.ops ? program.op_count : 0};
}

/// Returns the number of micro-steps whose batches a program takes at once.
inline uint32_t microStepsAtOnce(const zrt_plan &plan) {
  return plan.layered ? plan.accumulate : 1;
}

/// The descriptor of an operation; its kind must match.
inline const zrt_launch_desc &launchOf(const zrt_op &op) {
  return *static_cast<const zrt_launch_desc *>(op.descriptor);
}
inline const zrt_matmul_desc &matmulOf(const zrt_op &op) {
  return *static_cast<const zrt_matmul_desc *>(op.descriptor);
}
inline const zrt_grouped_desc &groupedOf(const zrt_op &op) {
  return *static_cast<const zrt_grouped_desc *>(op.descriptor);
}
inline const zrt_update_desc &updateOf(const zrt_op &op) {
  return *static_cast<const zrt_update_desc *>(op.descriptor);
}
inline const zrt_dequantize_desc &dequantizeOf(const zrt_op &op) {
  return *static_cast<const zrt_dequantize_desc *>(op.descriptor);
}
inline const zrt_squares_desc &squaresOf(const zrt_op &op) {
  return *static_cast<const zrt_squares_desc *>(op.descriptor);
}
inline const zrt_collective_desc &collectiveOf(const zrt_op &op) {
  return *static_cast<const zrt_collective_desc *>(op.descriptor);
}
inline const zrt_copy_desc &copyOf(const zrt_op &op) {
  return *static_cast<const zrt_copy_desc *>(op.descriptor);
}
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

/// Calls `visit(what, operand)` for every operand of `op`.
template <typename Visit>
void forEachOperand(const zrt_op &op, Visit visit) {
  const auto list = [&](const zrt_operand *args, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      visit(fmt::format("operand {}", i), args[i]);
  };
  switch (op.kind) {
  case ZRT_LAUNCH:
    return list(launchOf(op).args, launchOf(op).arg_count);
  case ZRT_UPDATE:
    return list(updateOf(op).args, updateOf(op).arg_count);
  case ZRT_MATMUL:
    visit("A", matmulOf(op).a);
    visit("B", matmulOf(op).b);
    if (matmulOf(op).has_bias)
      visit("bias", matmulOf(op).bias);
    return visit("C", matmulOf(op).c);
  case ZRT_GROUPED_MATMUL: {
    const zrt_grouped_desc &d = groupedOf(op);
    visit("x", d.x);
    visit("y", d.y);
    visit("offsets", d.offsets);
    for (uint32_t i = 0; i < d.groups; ++i)
      visit(fmt::format("W{}", i), d.w[i]);
    return;
  }
  case ZRT_DEQUANTIZE:
    visit("source", dequantizeOf(op).source);
    return visit("result", dequantizeOf(op).result);
  case ZRT_SQUARES:
    visit("gradient", squaresOf(op).grad);
    return visit("partials", squaresOf(op).partials);
  case ZRT_COLLECTIVE:
    visit("source", collectiveOf(op).source);
    return visit("result", collectiveOf(op).result);
  case ZRT_COPY:
    visit("source", copyOf(op).source);
    return visit("result", copyOf(op).result);
  default:
    return;
  }
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
  return operand.ref.bytes / dtypeBytes(operand.dtype);
}

/// Returns the number of bytes that an operation works on, with `ranks` ranks.
inline uint64_t bytesOf(const zrt_operand &operand, uint32_t ranks) {
  return operand.extent == ZRT_SLICE_OF_WHOLE ? operand.ref.bytes / ranks
                                              : operand.ref.bytes;
}

/// Returns the bytes that an operation works on, on `rank` of `ranks` ranks.
inline zrt_ref refOf(const zrt_operand &operand, uint32_t rank,
                     uint32_t ranks) {
  zrt_ref ref = operand.ref;
  if (operand.extent == ZRT_SLICE_OF_WHOLE) {
    ref.bytes /= ranks;
    ref.offset += rank * ref.bytes;
  }
  return ref;
}

/// Returns true if the update works on the rank's slice.
inline bool isSliced(const zrt_update_desc &desc) {
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (desc.args[i].extent == ZRT_SLICE ||
        desc.args[i].extent == ZRT_SLICE_OF_WHOLE)
      return true;
  return false;
}

} // namespace zrt
