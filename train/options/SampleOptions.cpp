//===- SampleOptions.cpp - --sample and what belongs to it ----------------===//
#include "train/options/CommandLine.h"

#include <cmath>

using namespace zrt;

namespace {

constexpr int64_t kMost = int64_t{1} << 24;

} // namespace

std::vector<int64_t> zrt::readIds(const CommandLine &line, const char *option) {
  std::vector<int64_t> ids;
  const std::string text = line.text(option);
  for (size_t at = 0; at <= text.size() && line.given(option);) {
    const size_t end = std::min(text.find(',', at), text.size());
    ids.push_back(number<int64_t>(option, text.substr(at, end - at),
                                  "whole numbers, as in 1,2,3"));
    at = end + 1;
  }
  return ids;
}

void zrt::readPrompt(const CommandLine &line, SampleOptions &sample) {
  const bool hasText = line.given("--prompt");
  if (hasText && line.given("--prompt-ids"))
    usage("--prompt and --prompt-ids say the same; give one of them");
  if (!hasText && !line.given("--prompt-ids"))
    usage("--prompt=TEXT is missing, or --prompt-ids=ID,...: give the start of "
          "the text to generate");
  if (hasText)
    sample.text = line.text("--prompt");
  else
    sample.ids = readIds(line, "--prompt-ids");
  if (hasText && sample.text->empty())
    usage("--prompt is empty; give it one token at least");
  if (line.given("--pieces")) {
    if (hasText)
      usage("--pieces are texts of the tokens of --prompt-ids; with --prompt "
            "tokens are bytes");
    sample.pieces = std::make_shared<const Pieces>(line.text("--pieces"));
  }
  sample.tokens = line.countFrom1("--sample-tokens", kMost, sample.tokens);
  sample.topK = line.countFrom1("--top-k", kMost, sample.topK);
  constexpr const char *kKind = "a finite number >= 0";
  const std::string temperature = line.text("--temperature", "0.8");
  sample.temperature = number<double>("--temperature", temperature, kKind);
  if (!(sample.temperature >= 0) || !std::isfinite(sample.temperature))
    usage("--temperature must be {}, got {}", kKind, temperature);
  if (sample.topK > 0 && sample.temperature == 0)
    usage("--top-k={} changes nothing with --temperature=0, which takes the "
          "most likely token; drop one of them",
          sample.topK);
}

void zrt::readSamples(const CommandLine &line, SampleOptions &sample) {
  if (!line.given("--sample")) {
    for (const char *option :
         {"--sample-every", "--prompt", "--prompt-ids", "--pieces",
          "--sample-tokens", "--temperature", "--top-k"})
      if (line.given(option))
        usage("{} needs --sample=N", option);
    return;
  }
  sample.count = line.countFrom1("--sample", kMost, 0);
  sample.every = line.countFrom1("--sample-every", kMost, 0);
  readPrompt(line, sample);
}
