//===- SampleOptions.cpp - --sample and what belongs to it ----------------===//
#include "train/options/SampleOptions.h"

#include "train/options/OptionValues.h"

#include <cmath>

using namespace zrt;

namespace {

constexpr int64_t kMost = int64_t{1} << 24;

/// "1,2,3"
std::vector<int64_t> readIds(const std::string &text) {
  std::vector<int64_t> ids;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    ids.push_back(number<int64_t>("--prompt-ids", text.substr(at, end - at),
                                  "whole numbers, as in 1,2,3"));
    at = end + 1;
  }
  return ids;
}

/// At least 1, if given.
void readPositive(const CLI::App &app, const char *option,
                  const std::string &text, int64_t &value) {
  if (app.count(option) == 0)
    return;
  value = readCount(option, text, kMost);
  if (value == 0)
    usage("{} must be 1 or more, got 0", option);
}

} // namespace

void zrt::addPromptOptions(CLI::App &app, TypedSample &typed) {
  app.add_option("--prompt", typed.text);
  app.add_option("--prompt-ids", typed.ids);
  app.add_option("--sample-tokens", typed.tokens);
  app.add_option("--temperature", typed.temperature);
  app.add_option("--top-k", typed.topK);
}

void zrt::addSampleOptions(CLI::App &app, TypedSample &typed) {
  app.add_option("--sample", typed.count);
  app.add_option("--sample-every", typed.every);
  addPromptOptions(app, typed);
}

void zrt::judgePromptOptions(const CLI::App &app, const TypedSample &typed,
                             SampleOptions &sample) {
  const auto given = [&](const char *option) { return app.count(option) > 0; };
  if (given("--prompt") && given("--prompt-ids"))
    usage("--prompt and --prompt-ids say the same; give one of them");
  if (!given("--prompt") && !given("--prompt-ids"))
    usage("--prompt=TEXT is missing, or --prompt-ids=ID,...: give the start of "
          "the text to generate");
  if (given("--prompt"))
    sample.text = typed.text;
  else
    sample.ids = readIds(typed.ids);
  if (given("--prompt") && typed.text.empty())
    usage("--prompt is empty; give it one token at least");
  readPositive(app, "--sample-tokens", typed.tokens, sample.tokens);
  readPositive(app, "--top-k", typed.topK, sample.topK);
  constexpr const char *kKind = "a finite number >= 0";
  sample.temperature =
      number<double>("--temperature", typed.temperature, kKind);
  if (!(sample.temperature >= 0) || !std::isfinite(sample.temperature))
    usage("--temperature must be {}, got {}", kKind, typed.temperature);
  if (sample.topK > 0 && sample.temperature == 0)
    usage("--top-k={} changes nothing with --temperature=0, which takes the "
          "most likely token; drop one of them",
          sample.topK);
}

void zrt::judgeSampleOptions(const CLI::App &app, const TypedSample &typed,
                             SampleOptions &sample) {
  if (app.count("--sample") == 0) {
    for (const char *option : {"--sample-every", "--prompt", "--prompt-ids",
                               "--sample-tokens", "--temperature", "--top-k"})
      if (app.count(option) > 0)
        usage("{} needs --sample=N", option);
    return;
  }
  readPositive(app, "--sample", typed.count, sample.count);
  readPositive(app, "--sample-every", typed.every, sample.every);
  judgePromptOptions(app, typed, sample);
}
