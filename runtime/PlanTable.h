//===- PlanTable.h - Reading the tables of a plan ---------------*- C++ -*-===//
//
// Checks, trace, profile, ledger and `--plan` read one table; how a descriptor
// is read lies here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/Vocabulary.h"
#include "runtime/zrt.h"

#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>

namespace zrt {

/// The operations of a program, none where the plan has no such program.
inline std::span<const zrt_op> opsOf(const zrt_program &program) {
  return {program.ops, program.ops ? program.op_count : 0};
}

/// How many micro-steps a program takes the batches of.
inline uint32_t microStepsAtOnce(const zrt_plan &plan) {
  return plan.layered ? plan.accumulate : 1;
}

/// The descriptor of an operation of its kind.
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
/// Of a record or a wait.
inline uint32_t eventOf(const zrt_op &op) {
  return static_cast<const zrt_event_desc *>(op.descriptor)->event;
}

/// Whether it does any work: it is no record and no wait.
inline bool isWork(const zrt_op &op) {
  return op.kind != ZRT_RECORD && op.kind != ZRT_WAIT;
}

/// The name of an operation that works; "unnamed" where it has none.
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

/// The class of the streams that copy from tier to tier, if there is such a
/// link.
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

/// "device 4096 + 1024 f32 whole"
inline std::string operandText(const zrt_operand &operand) {
  return fmt::format("{} {} + {} {} {}", tierName(operand.ref.tier),
                     operand.ref.offset, operand.ref.bytes,
                     dtypeName(operand.dtype), extentName(operand.extent));
}

/// Elements that its bytes hold.
inline uint64_t elementsIn(const zrt_operand &operand) {
  return operand.ref.bytes / dtypeBytes(operand.dtype);
}

/// Bytes that an operation works on, of a plan of `ranks` ranks.
inline uint64_t bytesOf(const zrt_operand &operand, uint32_t ranks) {
  return operand.extent == ZRT_SLICE_OF_WHOLE ? operand.ref.bytes / ranks
                                              : operand.ref.bytes;
}

/// The bytes that an operation works on, on `rank` of so many.
inline zrt_ref refOf(const zrt_operand &operand, uint32_t rank,
                     uint32_t ranks) {
  zrt_ref ref = operand.ref;
  if (operand.extent == ZRT_SLICE_OF_WHOLE) {
    ref.bytes /= ranks;
    ref.offset += rank * ref.bytes;
  }
  return ref;
}

/// Whether an update works on the rank's slice.
inline bool isSliced(const zrt_update_desc &desc) {
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (desc.args[i].extent == ZRT_SLICE ||
        desc.args[i].extent == ZRT_SLICE_OF_WHOLE)
      return true;
  return false;
}

} // namespace zrt
