//===- Answers.cpp - The answers of a driven run as lines -----------------===//
#include "train/drive/Answers.h"

#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/data/BatchSource.h"
#include "train/state/io/Json.h"

#include <cmath>
#include <fmt/ranges.h>
#include <vector>

using namespace zrt;
using nlohmann::json;

/// The shortest digits that read back to the same bits.
template <typename T>
static std::string numberText(T value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

static std::string listText(std::span<const float> values) {
  std::string text = "[";
  for (const float value : values)
    text += (text.size() > 1 ? "," : "") + numberText(value);
  return text + "]";
}

std::string zrt::sampleLine(uint64_t id, uint64_t count,
                            std::span<const GivenAnswer> answers,
                            std::span<const std::vector<float>> logprobs) {
  std::string text = fmt::format("{{\"id\":{},\"answers\":[", id);
  for (size_t i = 0; i < answers.size(); ++i) {
    text += fmt::format("{}{{\"prompt\":{},\"ids\":[{}],\"end\":\"{}\"",
                        i ? "," : "", i / count, fmt::join(answers[i].ids, ","),
                        nameOf(answers[i].end));
    if (!logprobs.empty())
      text += ",\"logprobs\":" + listText(logprobs[i]);
    text += "}";
  }
  return text + "]}";
}

std::string zrt::valuesLine(uint64_t id, std::span<const float> values,
                            size_t columns) {
  std::string text = fmt::format("{{\"id\":{},\"values\":[", id);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      fail("value {} of row {} is {}; the weights may be damaged", i % columns,
           i / columns, values[i]);
    const bool isFirst = i % columns == 0, isLast = (i + 1) % columns == 0;
    text += fmt::format("{}{}{}", isFirst ? (i ? ",[" : "[") : ",",
                        numberText(values[i]), isLast ? "]" : "");
  }
  return text + "]}";
}

std::string zrt::forwardBackwardLine(uint64_t id, const MadeStep &step) {
  return fmt::format("{{\"id\":{},\"step\":{}}}", id, step.done);
}

std::string zrt::stepLine(uint64_t id, const MadeStep &step) {
  return fmt::format(
      "{{\"id\":{},\"step\":{},\"loss\":{}{},\"skipped\":{}}}", id, step.done,
      numberText(step.loss),
      step.gradNorm ? ",\"grad_norm\":" + numberText(*step.gradNorm) : "",
      step.wasSkipped);
}

std::string zrt::lossLine(uint64_t id, double loss) {
  return fmt::format("{{\"id\":{},\"loss\":{}}}", id, numberText(loss));
}

std::string zrt::saveLine(uint64_t id, const std::string &path) {
  return fmt::format("{{\"id\":{},\"path\":{}}}", id,
                     json(path).dump(-1, ' ', /*ensure_ascii=*/true,
                                     json::error_handler_t::replace));
}

std::string zrt::loadLine(uint64_t id, int64_t step) {
  return fmt::format("{{\"id\":{},\"step\":{}}}", id, step);
}

std::string zrt::stateLine(uint64_t id, const zrt_plan &plan,
                           const DriveState &state) {
  std::string inputs;
  uint64_t batch = 0, positions = 0, vocabulary = 0;
  for (const zrt_input *input : fedInputs(plan)) {
    batch = uint64_t(input->shape[0]);
    if (isText(*input, "tokens")) {
      positions = uint64_t(input->shape[1]);
      vocabulary = uint64_t(std::max<int64_t>(input->bound, 0));
    }
    inputs += fmt::format(
        "{}\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}]}}",
        inputs.empty() ? "" : ",", input->name, dtypeName(input->dtype),
        fmt::join(input->shape, input->shape + input->rank, ","));
  }
  if (state.prompts) {
    positions = state.prompts->positions;
    vocabulary = state.prompts->tokenBound;
  }
  std::vector<std::string_view> programs = {"\"step\""};
  if (state.prompts)
    programs.emplace_back("\"sample\"");
  if (plan.programs[ZRT_SCORE].ops)
    programs.emplace_back("\"score\"");
  if (plan.programs[ZRT_EVAL].ops)
    programs.emplace_back("\"eval\"");
  return fmt::format(
      "{{\"id\":{},\"step\":{},\"queued\":{},\"batch\":{},\"rows\":{},"
      "\"positions\":{},\"vocabulary\":{},\"ranks\":{},\"inputs\":{{{}}},"
      "\"programs\":[{}]}}",
      id, state.done, state.queued, batch, samplesPerStep(plan), positions,
      vocabulary, plan.world_size, inputs, fmt::join(programs, ","));
}
