//===- PlanText.cpp - Prints a plan's tables as text ----------------------===//
#include "train/report/PlanText.h"

#include "runtime/PlanTable.h"
#include "train/report/Report.h"

using namespace zrt;

namespace {

/// " 64 x 32 x 16", " 128 by 8", ...
std::string sizesOf(const zrt_op &op) {
  switch (op.kind) {
  case ZRT_LAUNCH:
    return fmt::format(" {} by {}", launchOf(op).units, launchOf(op).grain);
  case ZRT_MATMUL: {
    const zrt_matmul_desc &d = matmulOf(op);
    std::string text = fmt::format(" {} x {} x {}", d.m, d.n, d.k);
    if (d.batch != 1)
      text += fmt::format(" batch {}", d.batch);
    for (const auto &[flag, word] :
         {std::pair(d.trans_a, " trans_a"), std::pair(d.trans_b, " trans_b"),
          std::pair(d.accumulate, " accumulate")})
      text += flag ? word : "";
    return text;
  }
  case ZRT_GROUPED_MATMUL: {
    const zrt_grouped_desc &d = groupedOf(op);
    return fmt::format(" {} x {} x {} in {} groups{}{}", d.rows, d.n, d.k,
                       d.groups, d.sums ? " sums" : "",
                       d.trans_w ? " trans_w" : "");
  }
  case ZRT_DEQUANTIZE:
    return fmt::format(" {} elements of {}", dequantizeOf(op).elements,
                       packingName(dequantizeOf(op).packing));
  case ZRT_COLLECTIVE: {
    const zrt_collective_desc &d = collectiveOf(op);
    return fmt::format(" {} elements{}{}", d.elements,
                       d.scale != 1 ? fmt::format(" scale {}", d.scale) : "",
                       d.accumulate ? " accumulate" : "");
  }
  default:
    return "";
  }
}

std::string lineOf(const zrt_plan &plan, size_t number, const zrt_op &op) {
  const char *stream =
      op.stream < plan.stream_count ? plan.streams[op.stream].name : "unknown";
  std::string text =
      fmt::format("{:>6}  {:<10} {:<10} ", number, stream, kindName(op.kind));
  if (op.kind >= ZRT_KIND_COUNT || !op.descriptor)
    return text + "no descriptor\n";
  if (!isWork(op))
    return text + fmt::format("event {}\n", eventOf(op));
  text += nameOf(op) + sizesOf(op);
  const char *before = ": ";
  forEachOperand(op, [&](const std::string &what, const zrt_operand &operand) {
    text += before + what + " " + operandText(operand);
    before = ", ";
  });
  return text + "\n";
}

} // namespace

std::string zrt::planText(const zrt_plan &plan) {
  std::string text = fmt::format(
      "plan of {}\nranks {}\n", plan.model ? plan.model : "?", ranksText(plan));
  for (uint32_t i = 0; i < plan.stream_count; ++i)
    text += fmt::format("stream {}: {}, class {}\n", i, plan.streams[i].name,
                        streamClassName(plan.streams[i].stream_class));
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    const zrt_program &program = plan.programs[p];
    if (!program.ops)
      continue;
    text += fmt::format("program {}: {} operations, {} events\n",
                        programName(p), program.op_count, program.event_count);
    for (size_t i = 0; i < program.op_count; ++i)
      text += lineOf(plan, i, program.ops[i]);
  }
  return text;
}
