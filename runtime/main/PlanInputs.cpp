//===- PlanInputs.cpp - What the host writes and reads each step ----------===//
#include "runtime/main/PlanInputs.h"

#include "runtime/Error.h"
#include "runtime/cpu/PlanChecks.h"

#include <cstring>
#include <string_view>

using namespace zrt;

namespace {

void checkTokens(const zrt_plan &plan, const zrt_input *input,
                 const char *name) {
  if (!input)
    fail("the plan has no input \"{}\"; the model must take tokens and targets",
         name);
  if (input->dtype != ZRT_I32 || input->rank != 2 ||
      input->shape[0] != plan.batch || input->shape[1] != plan.seq ||
      plan.batch <= 0 || plan.seq <= 0)
    fail("input \"{}\" is not i32 of batch x sequence, {} x {}", name,
         plan.batch, plan.seq);
}

double read(zrt_context *ctx, const zrt_output &output) {
  const void *value = zrt_address(ctx, &output.ref);
  return output.dtype == ZRT_F64 ? *static_cast<const double *>(value)
                                 : double(*static_cast<const float *>(value));
}

} // namespace

PlanInputs::PlanInputs(const zrt_plan &plan) {
  for (uint32_t i = 0; i < plan.input_count; ++i) {
    const zrt_input &input = plan.inputs[i];
    const std::string_view name = input.name;
    if (name == "tokens") {
      tokensInput = &input;
    } else if (name == "targets") {
      targetsInput = &input;
    } else if (name == "lr" || name == "step") {
      if (input.dtype != ZRT_F32 || input.rank != 0)
        fail("input \"{}\" is not an f32 scalar", name);
      (name == "lr" ? lrInput : stepInput) = &input;
    } else if (name.ends_with("_sum")) {
      if (input.rank != 0)
        fail("input \"{}\" is not a scalar", name);
      sumInputs.push_back(&input);
    } else {
      fail("the plan wants input \"{}\", which this program cannot provide; it "
           "knows tokens, targets, lr, step and sums (\"..._sum\")",
           name);
    }
  }
  checkTokens(plan, tokensInput, "tokens");
  checkTokens(plan, targetsInput, "targets");
  for (uint32_t i = 0; i < plan.output_count; ++i) {
    const zrt_output &output = plan.outputs[i];
    const std::string_view name = output.name;
    if (name != "loss" && name != "grad_norm")
      continue;
    if (output.dtype != ZRT_F32 && output.dtype != ZRT_F64)
      fail("output \"{}\" is neither f32 nor f64", name);
    (name == "loss" ? lossOutput : normOutput) = &output;
  }
  if (!lossOutput)
    fail("the plan has no output \"loss\"");
}

void PlanInputs::clearSums(zrt_context *ctx) const {
  for (const zrt_input *input : sumInputs)
    std::memset(zrt_address(ctx, &input->ref), 0, dtypeBytes(input->dtype));
}

int32_t *PlanInputs::tokens(zrt_context *ctx) const {
  return static_cast<int32_t *>(zrt_address(ctx, &tokensInput->ref));
}

int32_t *PlanInputs::targets(zrt_context *ctx) const {
  return static_cast<int32_t *>(zrt_address(ctx, &targetsInput->ref));
}

void PlanInputs::writeScalars(zrt_context *ctx, float lr, int64_t step) const {
  if (lrInput)
    *static_cast<float *>(zrt_address(ctx, &lrInput->ref)) = lr;
  if (stepInput)
    *static_cast<float *>(zrt_address(ctx, &stepInput->ref)) = float(step + 1);
}

double PlanInputs::loss(zrt_context *ctx) const {
  return read(ctx, *lossOutput);
}

std::optional<double> PlanInputs::gradNorm(zrt_context *ctx) const {
  if (!normOutput)
    return std::nullopt;
  return read(ctx, *normOutput);
}
