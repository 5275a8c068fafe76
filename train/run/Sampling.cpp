//===- Sampling.cpp - Generates tokens after a prompt ---------------------===//
#include "train/run/Sampling.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"
#include "runtime/io/InputValues.h"
#include "train/data/HostAccess.h"
#include "train/run/Draw.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

using namespace zrt;

namespace {

/// The input of the first micro-step, which the program predict reads.
const zrt_input *findInput(const zrt_plan &plan, std::string_view name) {
  for (uint32_t i = 0; i < plan.input_count; ++i)
    if (plan.inputs[i].name == name && plan.inputs[i].micro_step == 0)
      return &plan.inputs[i];
  fail("the plan predicts, and has no input \"{}\"", name);
}

const zrt_output *findLogits(const zrt_plan &plan) {
  for (uint32_t i = 0; i < plan.output_count; ++i)
    if (std::string_view(plan.outputs[i].name) == "logits" &&
        plan.outputs[i].dtype == ZRT_F32)
      return &plan.outputs[i];
  fail("the plan predicts, and has no output \"logits\" of f32");
}

std::vector<int64_t> promptOf(const SampleOptions &options,
                              const zrt_input &tokens) {
  constexpr int64_t kBytes = 256;
  if (options.text && (tokens.bound <= 0 || tokens.bound > kBytes))
    usage(
        "--prompt=TEXT is for models whose tokens are bytes, and this one has "
        "{}; give --prompt-ids=ID,...",
        tokens.bound > 0 ? fmt::format("a vocabulary of {}", tokens.bound)
                         : "a vocabulary that it does not say");
  std::vector<int64_t> prompt = options.ids;
  if (options.text)
    for (const char byte : *options.text)
      prompt.push_back(static_cast<unsigned char>(byte));
  for (const int64_t id : prompt)
    if (tokens.bound > 0 && (id < 0 || id >= tokens.bound))
      usage("--prompt{} has the token {}, and the model has tokens 0 to {}",
            options.text ? "" : "-ids", id, tokens.bound - 1);
  const auto positions = static_cast<size_t>(tokens.shape[1]);
  if (prompt.size() > positions)
    usage("--prompt{} has {} tokens, and the model reads "
          "{}; give it fewer",
          options.text ? "" : "-ids", prompt.size(), positions);
  return prompt;
}

} // namespace

void zrt::checkSampling(const zrt_plan &plan, const SampleOptions &options) {
  if (!options.isWanted())
    return;
  if (!plan.programs[ZRT_PREDICT].ops)
    usage("--sample: this program gives no samples; compile the "
          "model with --sample");
  promptOf(options, *findInput(plan, "tokens"));
}

Sampling::Sampling(const zrt_plan &plan, const SampleOptions &options,
                   uint64_t seed, int rank)
    : options(options), seed(seed), rank(static_cast<size_t>(rank)),
      tokens(findInput(plan, "tokens")), position(findInput(plan, "position")),
      logits(findLogits(plan)) {
  const auto batch = static_cast<uint64_t>(tokens->shape[0]);
  if (tokens->rank != 2 || position->rank != 1 || position->dtype != ZRT_I32 ||
      static_cast<uint64_t>(position->shape[0]) != batch ||
      logits->ref.bytes % (batch * sizeof(float)) != 0)
    fail("the plan's inputs \"tokens\" and \"position\" and its output "
         "\"logits\" are of other shapes than [sequences, positions], "
         "[sequences] and [sequences, classes]");
  // The last position is the largest integer that we write.
  if (!mayHold(*position, tokens->shape[1] - 1))
    fail("the plan predicts at {}, and has {} positions",
         allowedText(*position), tokens->shape[1]);
  start = promptOf(options, *tokens);
}

uint64_t Sampling::classes() const {
  return logits->ref.bytes / sizeof(float) / uint64_t(tokens->shape[0]);
}

void Sampling::predict(zrt_context *ctx,
                       const std::vector<std::span<const int64_t>> &sequences,
                       const std::vector<int32_t> &at) const {
  const auto batch = static_cast<size_t>(tokens->shape[0]),
             positions = static_cast<size_t>(tokens->shape[1]);
  std::vector<std::byte> text(batch * positions * dtypeBytes(tokens->dtype));
  std::vector<int32_t> places(batch);
  for (size_t row = 0; row < batch; ++row) {
    const size_t from = std::min(row, sequences.size() - 1);
    // A causal model does not read the tokens after position at[from].
    for (size_t i = 0; i < sequences[from].size(); ++i)
      putInteger(*tokens, text.data(), row * positions + i, sequences[from][i]);
    places[row] = at[from];
  }
  writeBytes(ctx, tokens->ref, text.data());
  writeBytes(ctx, position->ref, places.data());
  if (zrt_run(ctx, ZRT_PREDICT) != 0)
    fail("a sample: {}", zrt_error_message(ctx));
}

std::vector<float> Sampling::logitsOf(zrt_context *ctx, size_t row) const {
  std::vector<float> values(classes());
  zrt_ref from = logits->ref;
  from.bytes = values.size() * sizeof(float);
  from.offset += row * from.bytes;
  readBytes(ctx, from, values.data());
  return values;
}

std::span<const float>
Sampling::drawable(const std::vector<float> &values) const {
  const size_t most = tokens->bound > 0
                          ? std::min(values.size(), size_t(tokens->bound))
                          : values.size();
  return {values.data(), most};
}

std::vector<Sample> Sampling::drawBatch(zrt_context *ctx,
                                        uint64_t first) const {
  const auto batch = static_cast<size_t>(tokens->shape[0]),
             positions = static_cast<size_t>(tokens->shape[1]);
  const auto count = static_cast<uint64_t>(options.count);
  const size_t mine =
      first < count ? std::min(batch, size_t(count - first)) : 0;
  // A rank without samples runs the program, too: ranks exchange parameters.
  std::vector<std::vector<int64_t>> texts(std::max<size_t>(mine, 1), start);
  std::vector<bool> ended(texts.size());
  for (int64_t k = 0; k < options.tokens; ++k) {
    std::vector<std::span<const int64_t>> windows;
    std::vector<int32_t> at;
    for (const auto &text : texts) {
      windows.push_back(std::span(text).last(std::min(text.size(), positions)));
      at.push_back(static_cast<int32_t>(windows.back().size()) - 1);
    }
    predict(ctx, windows, at);
    for (size_t row = 0; row < mine; ++row) {
      if (ended[row])
        continue;
      const std::vector<float> values = logitsOf(ctx, row);
      const std::optional<int64_t> next =
          draw(drawable(values), options.temperature, options.topK,
               chanceOf(seed, first + row, texts[row].size()));
      if (next)
        texts[row].push_back(*next);
      else
        ended[row] = true;
    }
  }
  std::vector<Sample> samples;
  samples.reserve(mine);
  for (size_t row = 0; row < mine; ++row)
    samples.emplace_back(texts[row].begin() + long(start.size()),
                         texts[row].end());
  return samples;
}

std::vector<Sample> Sampling::run(zrt_context *ctx, World &world) const {
  const auto batch = static_cast<uint64_t>(tokens->shape[0]),
             count = static_cast<uint64_t>(options.count),
             ranks = static_cast<uint64_t>(world.size()),
             length = static_cast<uint64_t>(options.tokens);
  std::vector<Sample> samples;
  for (uint64_t first = 0; first < count; first += batch * ranks) {
    // A fixed length per sample, for the all-gather; -1 ends a short sample.
    std::vector<int64_t> mine(batch * length, -1), all(ranks * mine.size());
    const std::vector<Sample> drawn = drawBatch(ctx, first + rank * batch);
    for (size_t row = 0; row < drawn.size(); ++row)
      std::copy(drawn[row].begin(), drawn[row].end(),
                mine.begin() + long(row * length));
    world.allGather(mine.data(), mine.size() * sizeof(int64_t), all.data());
    for (uint64_t row = 0; row < batch * ranks && samples.size() < count;
         ++row) {
      const auto begin = all.begin() + long(row * length);
      samples.emplace_back(begin,
                           std::find(begin, begin + long(length), int64_t{-1}));
    }
  }
  return samples;
}

std::vector<float> Sampling::promptLogits(zrt_context *ctx) const {
  const auto batch = static_cast<size_t>(tokens->shape[0]);
  std::vector<float> all;
  for (size_t first = 0; first < start.size(); first += batch) {
    const size_t count = std::min(batch, start.size() - first);
    std::vector<int32_t> at(count);
    std::iota(at.begin(), at.end(), static_cast<int32_t>(first));
    predict(ctx, std::vector<std::span<const int64_t>>(count, start), at);
    for (size_t row = 0; row < count; ++row) {
      const std::vector<float> values = logitsOf(ctx, row);
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}
