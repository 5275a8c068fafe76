//===- Sampling.cpp - Generates tokens after a prompt ---------------------===//
#include "train/run/Sampling.h"

#include "runtime/text/Error.h"
#include "train/generate/Draw.h"
#include "train/report/Logs.h"
#include "train/report/Progress.h"
#include "train/report/StandardStreams.h"
#include "train/run/Run.h"

#include <algorithm>
#include <fmt/format.h>

using namespace zrt;

namespace {

std::vector<int64_t> promptOf(const SampleOptions &options,
                              const zrt_plan &plan) {
  constexpr int64_t kBytes = 256;
  const int64_t bound = tokenBoundOf(plan);
  if (options.text && (bound <= 0 || bound > kBytes))
    usage(
        "--prompt=TEXT is for models whose tokens are bytes, and this one has "
        "{}; give --prompt-ids=ID,...",
        bound > 0 ? fmt::format("a vocabulary of {}", bound)
                  : "a vocabulary that it does not say");
  std::vector<int64_t> prompt = options.ids;
  if (options.text)
    for (const char byte : *options.text)
      prompt.push_back(static_cast<unsigned char>(byte));
  for (const int64_t id : prompt)
    if (bound > 0 && (id < 0 || id >= bound))
      usage("--prompt{} has the token {}, and the model has tokens 0 to {}",
            options.text ? "" : "-ids", id, bound - 1);
  const size_t positions = positionsOf(plan);
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
  if (!canGenerate(plan))
    usage("--sample: this program gives no samples; compile the "
          "model with --sample");
  promptOf(options, plan);
}

Sampling::Sampling(const zrt_plan &plan, const SampleOptions &options,
                   uint64_t seed, int rank)
    : plan(plan), options(options), seed(seed), rank(static_cast<size_t>(rank)),
      start(promptOf(options, plan)) {}

std::vector<Sample> Sampling::drawBatch(PlanDecoder &decoder,
                                        uint64_t first) const {
  const auto count = static_cast<uint64_t>(options.count);
  const size_t slots = decoder.slots(), chunk = decoder.chunk(),
               mine =
                   first < count ? std::min(slots, size_t(count - first)) : 0;
  const std::vector<int32_t> prompt(start.begin(), start.end());
  std::vector<std::vector<int32_t>> texts(mine, prompt);
  std::vector<bool> ended(mine);
  std::vector<int32_t> begin(slots), many(slots), starts(slots);
  std::span<const float> logits;
  // A rank without samples runs the programs, too: ranks exchange parameters.
  for (size_t done = 0, some = 0; done < prompt.size(); done += some) {
    some = decoder.runOf(prompt, done, chunk);
    std::vector<int32_t> tokens(slots * chunk);
    for (size_t slot = 0; slot < mine; ++slot) {
      std::copy_n(&prompt[done], some, &tokens[slot * chunk]);
      begin[slot] = int32_t(done);
      many[slot] = int32_t(some);
      starts[slot] = int32_t(decoder.documentOf(prompt, done));
    }
    logits = decoder.prefill(tokens, begin, many, starts);
  }
  const size_t longest =
      std::min(size_t(options.tokens), decoder.positions() - prompt.size());
  for (size_t k = 0; k < longest; ++k) {
    std::vector<int32_t> tokens(slots);
    for (size_t slot = 0; slot < mine; ++slot) {
      many[slot] = 0;
      if (ended[slot])
        continue;
      std::vector<int32_t> &text = texts[slot];
      const size_t at = text.size();
      const std::optional<int32_t> next = draw(
          logits.subspan(slot * decoder.vocabulary(), decoder.tokenBound()), {},
          {.temperature = options.temperature, .topK = options.topK},
          chanceOf(seed, first + slot, at));
      ended[slot] = !next;
      if (!next)
        continue;
      text.push_back(*next);
      ended[slot] = options.pieces && options.pieces->stops(*next);
      if (ended[slot])
        continue;
      tokens[slot] = *next;
      begin[slot] = int32_t(at);
      many[slot] = 1;
      starts[slot] = int32_t(decoder.documentOf(text, at));
    }
    if (k + 1 < longest)
      logits = decoder.decode(tokens, begin, many, starts);
  }
  std::vector<Sample> samples;
  samples.reserve(mine);
  for (const std::vector<int32_t> &text : texts)
    samples.emplace_back(text.begin() + long(prompt.size()), text.end());
  return samples;
}

std::vector<Sample> Sampling::run(zrt_context *ctx, World &world) const {
  PlanDecoder decoder(ctx, plan);
  const auto batch = uint64_t{decoder.slots()},
             count = static_cast<uint64_t>(options.count),
             ranks = static_cast<uint64_t>(world.size()),
             length = static_cast<uint64_t>(options.tokens);
  std::vector<Sample> samples;
  for (uint64_t first = 0; first < count; first += batch * ranks) {
    // A fixed length per sample, for the all-gather; -1 ends a short sample.
    std::vector<int64_t> mine(batch * length, -1), all(ranks * mine.size());
    const std::vector<Sample> drawn = drawBatch(decoder, first + rank * batch);
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

std::vector<float> Sampling::promptLogits(zrt_context *ctx, size_t most) const {
  PlanDecoder decoder(ctx, plan);
  const size_t slots = decoder.slots(), classes = decoder.vocabulary(),
               width = std::max(most, size_t(1));
  const std::vector<int32_t> prompt(start.begin(), start.end());
  std::vector<int32_t> begin(slots), many(slots), starts(slots);
  // The last slot: the others rest.
  const size_t slot = slots - 1;
  const auto read = [&](size_t at, size_t count) {
    const size_t columns = most > 0 ? decoder.chunk() : 1;
    std::vector<int32_t> tokens(slots * columns);
    std::copy_n(&prompt[at], count, &tokens[slot * columns]);
    begin[slot] = int32_t(at);
    many[slot] = int32_t(count);
    starts[slot] = int32_t(decoder.documentOf(prompt, at));
    return (most > 0 ? decoder.prefill(tokens, begin, many, starts)
                     : decoder.decode(tokens, begin, many, starts))
        .subspan(slot * classes, classes);
  };
  std::vector<float> all;
  for (size_t i = 0; i < prompt.size(); ++i) {
    // All tokens of a run so far are read again, and those before them, if the
    // slot cannot go back to where they begin.
    const size_t first =
        std::max(i / width * width, decoder.documentOf(prompt, i));
    std::span<const float> logits;
    for (size_t at = decoder.resume(i, first), some = 0; at <= i; at += some) {
      some = std::min(decoder.runOf(prompt, at, width),
                      (at < first ? first : i + 1) - at);
      logits = read(at, some);
    }
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

void SamplingHook::show(int64_t step) const {
  run.makeLeftUpdate();
  const std::vector<Sample> samples =
      sampling->run(run.context.get(), run.world);
  if (!run.isFirst)
    return;
  const SampleOptions &options = run.options.sample;
  logs.writeLine(samplesLine(options, sampling->prompt(), samples, step), step);
  if (!run.quiet)
    sayText(samplesText(options, sampling->prompt(), samples,
                        step < 0 ? "before step 0"
                                 : fmt::format("after step {}", step),
                        positionsOf(run.plan)));
}

void SamplingHook::afterStep(StepMetrics &step) {
  if (!sampling || !run.isDue(run.options.sample.every))
    return;
  progress.finish();
  show(step.step);
}

void SamplingHook::atEnd() {
  if (sampling && run.hasNoSteps())
    show(run.counts.done() - 1);
}
