//===- PlanText.cpp - Prints a plan's tables as text ----------------------===//
#include "train/report/Report.h"

#include "runtime/plan/OperationFacts.h"
#include "runtime/plan/PlanTable.h"

using namespace zrt;

namespace {

std::string lineOf(const zrt_plan &plan, size_t number, const zrt_op &op) {
  const char *stream =
      op.stream < plan.stream_count ? plan.streams[op.stream].name : "unknown";
  std::string text = fmt::format("{:>6}  {:<{}} {:<10} ", number, stream,
                                 streamWidth(plan), kindName(op.kind));
  if (op.kind >= ZRT_KIND_COUNT || !op.descriptor)
    return text + "no descriptor\n";
  if (!isWork(op))
    return text + fmt::format("event {}\n", eventOf(op));
  const OperationFacts facts = factsOf(op, RankGroups(plan));
  text += nameOf(op) + (facts.sizes.empty() ? "" : " " + facts.sizes) +
          facts.details;
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
