//===- Driving.cpp - A run whose steps are requested ----------------------===//
#include "train/run/Driving.h"

#include "abi/Counts.h"
#include "runtime/text/Error.h"
#include "train/drive/SampleOnRanks.h"
#include "train/generate/PlanDecoder.h"
#include "train/generate/Requests.h"
#include "train/report/StandardStreams.h"
#include "train/run/Evaluation.h"
#include "train/run/Resume.h"
#include "train/run/Scoring.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>

using namespace zrt;

/// Milliseconds between two votes of ranks that have nothing to do.
static constexpr int kLookAfter = 200;

/// What prompts must fit, if the plan gives samples.
static std::optional<RequestLimits> promptLimits(const Run &run) {
  if (!canGenerate(run.plan))
    return std::nullopt;
  const PlanDecoder decoder(run.context.get(), run.plan);
  return RequestLimits{decoder.positions(), decoder.tokenBound()};
}

Driving::Driving(Run &theRun, Checkpoints &theCheckpoints, StepMaker makeStep)
    : run(theRun), checkpoints(theCheckpoints), make(std::move(makeStep)),
      prompts(promptLimits(run)),
      reader(run.plan, run.given->reader(), prompts),
      input(STDIN_FILENO, reader.longestLine()) {}

std::optional<std::string> Driving::next() {
  // Its first letter says what it is.
  std::string text;
  if (run.isFirst) {
    if (lines.empty() && mayCome) {
      std::vector<std::string> come;
      mayCome = input.read(come, kLookAfter);
      lines.assign(come.begin(), come.end());
    }
    if (!lines.empty()) {
      text = "+" + lines.front();
      lines.pop_front();
    } else if (!mayCome) {
      text = ".";
    }
  }
  text = run.world.textOfRank0(std::move(text));
  if (text == ".")
    return std::nullopt;
  return text.substr(std::min(text.size(), size_t(1)));
}

bool Driving::obeyNext(StepMetrics &step) {
  nextStep = &step;
  const std::optional<std::string> line = next();
  if (line && line->find_first_not_of(" \t\r") != std::string::npos)
    obey(*line);
  return line.has_value();
}

void Driving::answer(const std::string &line) const {
  if (run.isFirst)
    printText(line + "\n");
}

void Driving::obey(const std::string &line) {
  try {
    const Command command = reader.parse(line);
    const uint64_t id = command.id;
    if (std::ranges::find(waiting, id) != waiting.end())
      throw RequestError(
          std::nullopt,
          fmt::format("\"id\" {} is that of a request that waits for its step; "
                      "give it another",
                      id));
    std::visit([&](const auto &what) { obey(id, what); }, command.what);
  } catch (const RequestError &error) {
    answer(errorLine(error.id, error.what()));
  }
}

void Driving::finish() {
  for (const uint64_t id : waiting)
    answer(errorLine(id, "the run has ended before a step; its rows are not "
                         "used"));
}

void Driving::obey(uint64_t id, const SampleCommand &sample) {
  run.makeLeftUpdate();
  PlanDecoder decoder(run.context.get(), run.plan);
  const std::vector<GivenAnswer> answers =
      sampleOnRanks(decoder, run.world, sample);
  std::vector<std::vector<float>> logprobs;
  if (sample.logprobs)
    logprobs = logprobsOf(sample, answers);
  answer(sampleLine(id, sample.count, answers, logprobs));
}

std::vector<std::vector<float>>
Driving::logprobsOf(const SampleCommand &sample,
                    const std::vector<GivenAnswer> &answers) {
  // Answers after their prompts, as rows that train on them.
  nlohmann::json inputs = {{"tokens", {}}, {"targets", {}}};
  for (size_t i = 0; i < answers.size(); ++i) {
    std::vector<int32_t> tokens = sample.prompts[i / sample.count];
    std::vector<int32_t> targets(tokens.size() - 1, -100);
    targets.insert(targets.end(), answers[i].ids.begin(), answers[i].ids.end());
    tokens.insert(tokens.end(), answers[i].ids.begin(), answers[i].ids.end());
    tokens.pop_back(); // it has no next one
    inputs["tokens"].push_back(tokens);
    inputs["targets"].push_back(targets);
  }
  GivenRows rows(run.plan, /*keySeed=*/std::nullopt);
  rows.set(rows.reader().read(inputs, ZRT_SCORE), /*position=*/0);
  const std::vector<float> values =
      scoreAll(run.plan, rows, answers.size(), run.world, run.context.get());
  std::vector<std::vector<float>> logprobs;
  for (size_t i = 0; i < answers.size() && run.isFirst; ++i) {
    const auto row =
        values.begin() + long(i * (values.size() / answers.size()) +
                              sample.prompts[i / sample.count].size() - 1);
    logprobs.emplace_back(row, row + long(answers[i].ids.size()));
  }
  return logprobs;
}

void Driving::obey(uint64_t id, const ScoreCommand &score) {
  run.makeLeftUpdate();
  GivenRows rows(run.plan, /*keySeed=*/std::nullopt);
  rows.set(score.rows, /*position=*/0);
  const size_t count = score.rows.size();
  const std::vector<float> values =
      scoreAll(run.plan, rows, count, run.world, run.context.get());
  if (!run.isFirst)
    return;
  try {
    answer(valuesLine(id, values, values.size() / count));
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
}

void Driving::obey(uint64_t id, const ForwardBackwardCommand &command) {
  const uint64_t room = samplesPerStep(run.plan);
  const size_t count = command.rows.size();
  if (queue.size() + count > room)
    throw RequestError(
        id, fmt::format("\"inputs\" has {}, {} wait already, and a step takes "
                        "{}; ask for a step before, or give it fewer",
                        plural(count, "row"), queue.size(), withCommas(room)));
  try {
    run.given->reader().checkCounts(command.rows);
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
  queue.insert(queue.end(), command.rows.begin(), command.rows.end());
  waiting.push_back(id);
}

void Driving::obey(uint64_t id, const StepCommand &command) {
  StepMetrics &step = *nextStep;
  if (queue.empty())
    throw RequestError(id, "\"step\": no rows wait for it; give it some by "
                           "\"forward_backward\"");
  if (!command.lr && !run.options.hasRate)
    throw RequestError(id, "\"lr\" is missing; give the step its learning "
                           "rate, or start with --lr for all");
  try {
    run.given->reader().checkFull(queue.size(), samplesPerStep(run.plan));
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
  run.given->set(std::exchange(queue, {}), run.position().sequences);
  make(step, float(command.lr.value_or(run.options.schedule.peak)));
  const std::vector<uint64_t> givers = std::exchange(waiting, {});
  if (run.divergence) {
    const std::string why =
        fmt::format("{}; the run ends", run.divergence->what());
    for (const uint64_t giver : givers)
      answer(errorLine(giver, why));
    throw RequestError(id, why);
  }
  const MadeStep made = {run.counts.done(), step.loss, step.gradNorm,
                         step.wasSkipped};
  for (const uint64_t giver : givers)
    answer(forwardBackwardLine(giver, made));
  answer(stepLine(id, made));
}

void Driving::obey(uint64_t id, const EvalCommand &eval) {
  GivenRows rows(run.plan, /*keySeed=*/std::nullopt);
  const uint64_t atOnce = samplesAtOnce(run.plan, rows),
                 count = eval.rows.size();
  try {
    rows.reader().checkCounts(eval.rows);
    rows.reader().checkFull(count, atOnce);
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
  run.makeLeftUpdate();
  rows.set(eval.rows, /*position=*/0);
  const double loss = meanLoss(run, rows, (count + atOnce - 1) / atOnce);
  if (!std::isfinite(loss))
    throw RequestError(
        id, fmt::format("the loss is {}; the weights may be damaged", loss));
  answer(lossLine(id, loss));
}

void Driving::obey(uint64_t id, const SaveCommand &) {
  std::string path;
  try {
    path = checkpoints.saveNow();
  } catch (const Error &error) {
    throw RequestError(id, fmt::format("\"save\": {}", error.what()));
  }
  answer(saveLine(id, path));
}

void Driving::obey(uint64_t id, const LoadCommand &command) {
  const TrainOptions &options = run.options;
  if (!options.digest.empty() || !options.against.empty())
    throw RequestError(id, "\"load\": --digest and --against are of steps in "
                           "a row; start again with --resume");
  if (command.path == "latest" && options.checkpoint.folder.empty())
    throw RequestError(id, "\"path\" is latest, which is in the folder of "
                           "--checkpoint, and there is none; name another");
  checkpoints.finish(); // one that is in progress
  bool hasChanged = false;
  try {
    loadOther(run, command.path, hasChanged);
  } catch (const Error &error) {
    if (hasChanged)
      throw;
    throw RequestError(id, fmt::format("\"load\": {}", error.what()));
  }
  checkpoints.restart();
  answer(loadLine(id, run.counts.done()));
}

void Driving::obey(uint64_t id, const StateCommand &) {
  answer(stateLine(id, run.plan, {run.counts.done(), queue.size(), prompts}));
}
