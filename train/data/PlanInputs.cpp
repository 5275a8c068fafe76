//===- PlanInputs.cpp - The scalar inputs and outputs of a plan -----------===//
#include "train/data/PlanInputs.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "train/data/HostAccess.h"

#include <algorithm>
#include <limits>
#include <string_view>

using namespace zrt;

namespace {

/// The outputs called `name`, by micro-step; empty if there are none.
std::vector<const zrt_output *> findOutputs(const zrt_plan &plan,
                                            std::string_view name) {
  std::vector<const zrt_output *> found;
  for (uint32_t i = 0; i < plan.output_count; ++i)
    if (plan.outputs[i].name == name)
      found.push_back(&plan.outputs[i]);
  std::sort(found.begin(), found.end(),
            [](const zrt_output *a, const zrt_output *b) {
              return a->micro_step < b->micro_step;
            });
  const size_t expected = microStepsAtOnce(plan);
  if (!found.empty() &&
      (found.size() != expected || found.back()->micro_step != expected - 1))
    fail("the plan has output \"{}\" {} times, in {} micro-steps", name,
         found.size(), expected);
  return found;
}

double read(zrt_context *ctx, const zrt_output &output) {
  return output.dtype == ZRT_F64 ? readValue<double>(ctx, output.ref)
                                 : double(readValue<float>(ctx, output.ref));
}

/// The f32 limit that the plan compares with.
float limitInPlan(double limit) {
  constexpr float kMost = std::numeric_limits<float>::max();
  return limit > kMost ? kMost : static_cast<float>(limit);
}

/// The f32 scalars that a plan may have; it counts updates from 1.
std::map<std::string_view, float> numbersOf(const StepScalars &scalars) {
  return {{"lr", scalars.lr},
          {"step", float(scalars.update + 1)},
          {"loss_scale", scalars.lossScale},
          {"clip", scalars.clip},
          {"norm_limit", limitInPlan(scalars.normLimit)},
          {"loss_limit", limitInPlan(scalars.lossLimit)}};
}

} // namespace

PlanInputs::PlanInputs(const zrt_plan &plan) {
  const std::map<std::string_view, float> known = numbersOf({});
  for (uint32_t i = 0; i < plan.input_count; ++i) {
    const zrt_input &input = plan.inputs[i];
    const std::string_view name = input.name;
    if (input.rank > 0)
      continue; // Feed.h fills these
    if (name == "rounding" || name == "micro_step" || name == "context") {
      if (input.dtype != ZRT_I64)
        fail("input \"{}\" is not an i64 scalar", name);
      (name == "rounding"  ? roundingInput
       : name == "context" ? partInput
                           : microStepInput) = &input;
    } else if (known.contains(name)) {
      if (input.dtype != ZRT_F32)
        fail("input \"{}\" is not an f32 scalar", name);
      numbers[name] = &input;
    } else if (Outputs found = findOutputs(plan, name); !found.empty()) {
      for (const zrt_output *output : found)
        if (input.dtype != output->dtype)
          fail("input \"{}\" is not a scalar of its output's type", name);
      means.emplace_back(&input, std::move(found));
    } else {
      fail("the plan wants the number \"{}\", which this program cannot "
           "provide; it knows lr, step, loss_scale, norm_limit, loss_limit, "
           "rounding, micro_step, context, clip and means of outputs",
           name);
    }
  }
  for (uint32_t i = 0; i < plan.output_count; ++i) {
    const zrt_output &output = plan.outputs[i];
    const std::string_view name = output.name;
    if (output.dtype != ZRT_F32 && output.dtype != ZRT_F64)
      fail("output \"{}\" is neither f32 nor f64", name);
    if (name == "grad_norm")
      normOutput = &output;
    else if (name == "clip")
      clipOutput = &output;
  }
  if (has("clip") && (!clipOutput || clipOutput->dtype != ZRT_F32))
    fail("the plan wants the number \"clip\", and has no f32 output of that "
         "name");
  lossOutputs = findOutputs(plan, "loss");
  if (lossOutputs.empty())
    fail("the plan has no output \"loss\"");
  if (plan.programs[ZRT_EVAL].ops)
    weightOutputs = findOutputs(plan, "count0");
}

void PlanInputs::addToSums(zrt_context *ctx, std::vector<StepSum> &sums) const {
  for (size_t i = 0; i < means.size(); ++i)
    for (const zrt_output *output : means[i].second)
      sums[i].add(read(ctx, *output));
}

void PlanInputs::writeMeans(zrt_context *ctx, const std::vector<StepSum> &sums,
                            uint32_t microSteps) const {
  for (size_t i = 0; i < means.size(); ++i) {
    const zrt_input &input = *means[i].first;
    const double mean = sums[i].get() / microSteps;
    if (input.dtype == ZRT_F64)
      writeValue(ctx, input.ref, mean);
    else
      writeValue(ctx, input.ref, static_cast<float>(mean));
  }
}

void PlanInputs::writeScalars(zrt_context *ctx,
                              const StepScalars &scalars) const {
  for (const auto &[name, value] : numbersOf(scalars))
    if (const auto input = numbers.find(name); input != numbers.end())
      writeValue(ctx, input->second->ref, value);
  if (roundingInput)
    writeValue(ctx, roundingInput->ref, scalars.rounding);
}

void PlanInputs::writeMicroStep(zrt_context *ctx, uint32_t number) const {
  if (microStepInput)
    writeValue(ctx, microStepInput->ref, int64_t{number});
}

void PlanInputs::writePart(zrt_context *ctx, uint64_t part) const {
  if (partInput)
    writeValue(ctx, partInput->ref, int64_t(part));
}

bool PlanInputs::wasSkipped(zrt_context *ctx,
                            const StepScalars &scalars) const {
  if (!hasLimits() || !normOutput)
    return false;
  float loss = 0; // in f32 and in the order in which zero.clip adds
  for (const zrt_output *output : lossOutputs)
    loss += static_cast<float>(read(ctx, *output));
  const auto norm = static_cast<float>(read(ctx, *normOutput));
  return !(norm <= limitInPlan(scalars.normLimit) &&
           loss <= limitInPlan(scalars.lossLimit));
}

std::optional<float> PlanInputs::clip(zrt_context *ctx) const {
  if (!clipOutput)
    return std::nullopt;
  return readValue<float>(ctx, clipOutput->ref);
}

double PlanInputs::loss(zrt_context *ctx) const {
  double sum = 0;
  for (const zrt_output *output : lossOutputs)
    sum += read(ctx, *output);
  return sum;
}

std::optional<double> PlanInputs::gradNorm(zrt_context *ctx) const {
  if (!normOutput)
    return std::nullopt;
  return read(ctx, *normOutput);
}

void PlanInputs::addLoss(zrt_context *ctx, WeightedLoss &total) const {
  for (size_t i = 0; i < lossOutputs.size(); ++i) {
    const double weight =
        weightOutputs.empty() ? 1 : read(ctx, *weightOutputs[i]);
    if (weight == 0)
      continue; // the loss is a mean over no targets
    total.sum += weight * read(ctx, *lossOutputs[i]);
    total.weight += weight;
  }
}
