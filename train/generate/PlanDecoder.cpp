//===- PlanDecoder.cpp - The slots of a plan's programs -------------------===//
#include "train/generate/PlanDecoder.h"

#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/data/HostAccess.h"
#include "train/state/io/InputValues.h"

#include <string_view>

using namespace zrt;

namespace {

/// The input of the first micro-step, which these programs read, or null.
const zrt_input *findIfAny(const zrt_plan &plan, std::string_view name) {
  for (uint32_t i = 0; i < plan.input_count; ++i)
    if (plan.inputs[i].name == name && plan.inputs[i].micro_step == 0)
      return &plan.inputs[i];
  return nullptr;
}

const zrt_input &findInput(const zrt_plan &plan, std::string_view name) {
  if (const zrt_input *input = findIfAny(plan, name))
    return *input;
  fail("the plan continues sequences, and has no input \"{}\"; compile the "
       "model again",
       name);
}

const zrt_output &findLogits(const zrt_plan &plan) {
  for (uint32_t i = 0; i < plan.output_count; ++i)
    if (std::string_view(plan.outputs[i].name) == "logits" &&
        plan.outputs[i].dtype == ZRT_F32)
      return plan.outputs[i];
  fail("the plan continues sequences, and has no output \"logits\" of f32; "
       "compile the model again");
}

} // namespace

bool zrt::canGenerate(const zrt_plan &plan) {
  return plan.programs[ZRT_PREFILL].ops && plan.programs[ZRT_DECODE].ops;
}

int64_t zrt::tokenBoundOf(const zrt_plan &plan) {
  return findInput(plan, "prompt").bound;
}

size_t zrt::positionsOf(const zrt_plan &plan) {
  return size_t(findInput(plan, "begin").bound);
}

size_t zrt::chunkOf(const zrt_plan &plan) {
  const zrt_input &prompt = findInput(plan, "prompt");
  return size_t(prompt.rank == 2 ? prompt.shape[1] : 0);
}

PlanDecoder::PlanDecoder(zrt_context *ctx, const zrt_plan &plan)
    : ctx(ctx), begins(&findInput(plan, "begin")),
      counts(&findInput(plan, "count")), prompt(&findInput(plan, "prompt")),
      token(&findInput(plan, "token")), logits(&findLogits(plan)),
      slotCount(size_t(prompt->shape[0])), positionCount(positionsOf(plan)),
      chunkSize(chunkOf(plan)),
      classes(logits->ref.bytes / sizeof(float) / slotCount),
      stateDistance(plan.kept_every) {
  const auto isOfSlots = [&](const zrt_input &input, uint32_t rank) {
    return input.rank == rank && size_t(input.shape[0]) == slotCount;
  };
  if (!isOfSlots(*begins, 1) || !isOfSlots(*counts, 1) ||
      !isOfSlots(*prompt, 2) || !isOfSlots(*token, 2) ||
      begins->dtype != ZRT_I32 || counts->dtype != ZRT_I32 ||
      !mayHold(*counts, int64_t(chunkSize)) || positionCount == 0)
    fail("the plan's inputs \"prompt\" and \"token\", \"begin\" and \"count\" "
         "are of other shapes than [slots, positions] and [slots]; compile the "
         "model again");
  document = findIfAny(plan, "document");
  if (document && (!isOfSlots(*document, 1) || document->dtype != ZRT_I32 ||
                   document->separator == 0))
    fail("the plan's input \"document\" is no i32 [slots] with a separator; "
         "compile the model again");
  values.resize(slotCount * classes);
}

size_t PlanDecoder::tokenBound() const {
  return prompt->bound > 0 ? std::min(classes, size_t(prompt->bound)) : classes;
}

std::optional<int32_t> PlanDecoder::separator() const {
  return document ? std::optional(int32_t(document->separator - 1))
                  : std::nullopt;
}

std::span<const float> PlanDecoder::run(uint32_t program,
                                        const zrt_input &input,
                                        std::span<const int32_t> tokens,
                                        std::span<const int32_t> begin,
                                        std::span<const int32_t> count,
                                        std::span<const int32_t> starts) {
  ids.resize(tokens.size() * dtypeBytes(input.dtype));
  for (size_t i = 0; i < tokens.size(); ++i)
    putInteger(input, ids.data(), i, tokens[i]);
  writeBytes(ctx, input.ref, ids.data());
  writeBytes(ctx, begins->ref, begin.data());
  writeBytes(ctx, counts->ref, count.data());
  if (document)
    writeBytes(ctx, document->ref, starts.data());
  if (zrt_run(ctx, program) != 0)
    fail("generation: {}", zrt_error_message(ctx));
  readBytes(ctx, logits->ref, values.data());
  return values;
}

std::span<const float> PlanDecoder::prefill(std::span<const int32_t> tokens,
                                            std::span<const int32_t> begin,
                                            std::span<const int32_t> count,
                                            std::span<const int32_t> starts) {
  return run(ZRT_PREFILL, *prompt, tokens, begin, count, starts);
}

std::span<const float> PlanDecoder::decode(std::span<const int32_t> tokens,
                                           std::span<const int32_t> begin,
                                           std::span<const int32_t> count,
                                           std::span<const int32_t> starts) {
  return run(ZRT_DECODE, *token, tokens, begin, count, starts);
}
