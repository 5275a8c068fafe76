//===- PlanInputs.cpp - What the host writes and reads each step ----------===//
#include "runtime/main/PlanInputs.h"

#include "runtime/Error.h"

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

const zrt_output *findOutput(const zrt_plan &plan, std::string_view name) {
  for (uint32_t i = 0; i < plan.output_count; ++i)
    if (plan.outputs[i].name == name)
      return &plan.outputs[i];
  return nullptr;
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
    } else if (const zrt_output *output = findOutput(plan, name)) {
      if (input.dtype != output->dtype || input.rank != 0)
        fail("input \"{}\" is not a scalar of its output's type", name);
      means.emplace_back(&input, output);
    } else {
      fail("the plan wants input \"{}\", which this program cannot provide; it "
           "knows tokens, targets, lr, step and means of outputs",
           name);
    }
  }
  checkTokens(plan, tokensInput, "tokens");
  checkTokens(plan, targetsInput, "targets");
  for (uint32_t i = 0; i < plan.output_count; ++i) {
    const zrt_output &output = plan.outputs[i];
    const std::string_view name = output.name;
    if (output.dtype != ZRT_F32 && output.dtype != ZRT_F64)
      fail("output \"{}\" is neither f32 nor f64", name);
    if (name == "loss")
      lossOutput = &output;
    else if (name == "grad_norm")
      normOutput = &output;
  }
  if (!lossOutput)
    fail("the plan has no output \"loss\"");
}

void PlanInputs::addToSums(zrt_context *ctx, std::vector<double> &sums) const {
  for (size_t i = 0; i < means.size(); ++i)
    sums[i] += read(ctx, *means[i].second);
}

void PlanInputs::writeMeans(zrt_context *ctx, const std::vector<double> &sums,
                            uint32_t runs) const {
  for (size_t i = 0; i < means.size(); ++i) {
    void *to = zrt_address(ctx, &means[i].first->ref);
    const double mean = sums[i] / runs;
    if (means[i].first->dtype == ZRT_F64)
      *static_cast<double *>(to) = mean;
    else
      *static_cast<float *>(to) = static_cast<float>(mean);
  }
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
