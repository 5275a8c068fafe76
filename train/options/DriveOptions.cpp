//===- DriveOptions.cpp - --drive, and what it excludes -------------------===//
#include "train/options/CommandLine.h"
#include "train/options/RunLength.h"

using namespace zrt;

namespace {

/// What requests say, or what has no meaning without data and a length.
constexpr std::pair<const char *, const char *> kExcluded[] = {
    {"--steps", "each request \"step\" makes one"},
    {"--epochs", "each request \"step\" makes one"},
    {"--schedule", "a step has the \"lr\" of its request"},
    {"--warmup", "a step has the \"lr\" of its request"},
    {"--warmup-shape", "a step has the \"lr\" of its request"},
    {"--min-lr", "a step has the \"lr\" of its request"},
    {"--cooldown", "a step has the \"lr\" of its request"},
    {"--data", "requests have the samples"},
    {"--input", "requests have the samples"},
    {"--data-format", "requests have the samples"},
    {"--data-weights", "requests have the samples"},
    {"--document-separator", "requests have the samples"},
    {"--shuffle", "requests have the samples"},
    {"--eval-data", "a request \"eval\" has the samples"},
    {"--eval-input", "a request \"eval\" has the samples"},
    {"--eval-every", "a request \"eval\" has the samples"},
    {"--eval-batches", "a request \"eval\" has the samples"},
    {"--keep-best", "requests say what is saved"},
    {"--patience", "requests say when the run ends"},
    {"--sample", "a request \"sample\" has the prompts"},
    {"--sample-every", "a request \"sample\" has the prompts"},
    {"--prompt", "a request \"sample\" has the prompts"},
    {"--prompt-ids", "a request \"sample\" has the prompts"},
    {"--pieces", "a request \"sample\" has the prompts"},
    {"--sample-tokens", "a request \"sample\" has \"max\""},
    {"--temperature", "a request \"sample\" has it"},
    {"--top-k", "a request \"sample\" has it"},
    {"--elastic", "requests cannot be read again when ranks fail"},
    {"--until", "requests say when the run ends"},
    {"--progress", "answers tell of each step"},
    {"--device-check", "it trains on data of its own"}};

} // namespace

void zrt::readDrive(const CommandLine &line, TrainOptions &options) {
  options.drives = line.isOn("--drive");
  if (!options.drives)
    return;
  for (const auto &[option, why] : kExcluded)
    if (line.given(option))
      usage("{} and --drive exclude each other: {}; drop one", option, why);
  if (line.text("--metrics") == "-")
    usage("--metrics=- and --drive both print on standard output; give "
          "--metrics a file");
  if (line.given("--digest") && line.text("--digest-for") != "ranks")
    usage("--digest: zeroc replay cannot repeat steps of requests; say "
          "--digest-for=ranks if another run of them is compared with it, by "
          "--against");
  options.hasRate = line.given("--lr");
  options.schedule.steps = kMaxSteps;
}
