//===- Driving.h - A run whose steps are requested --------------*- C++ -*-===//
//
// Rank 0 reads requests (train/drive/Commands.h) and sends each to all ranks,
// which read it alike and obey it together, one after the other:
//
//   rank 0   read  send     | parse  obey  answer | read ...
//   rank 1         receive  | parse  obey         |
//
// A request that cannot be obeyed changes nothing, and is answered, too.  While
// no request comes, rank 0 returns every now and then, so that ranks can vote
// on a signal, and notice one that has failed.
//
// Programs other than steps may use the bytes of what slots of sequences keep.
// So each request for samples begins with empty slots.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/drive/Answers.h"
#include "train/drive/Commands.h"
#include "train/generate/Serve.h"
#include "train/report/Metrics.h"
#include "train/run/Checkpoints.h"
#include "train/run/Run.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

class Driving {
public:
  /// Makes a step with the rows that run.given has, and calls the hooks.
  using StepMaker = std::function<void(StepMetrics &step, float lr)>;
  Driving(Run &run, Checkpoints &checkpoints, StepMaker makeStep);

  /// Obeys the next request, if one comes soon.  `step` is that of the next
  /// step.  Returns false once none will come.  Throws zrt::Error for what a
  /// run ends with.
  bool obeyNext(StepMetrics &step);
  /// Answers requests whose step is never made.
  void finish();

private:
  /// A request of this rank's input, on all ranks; "" if none has come,
  /// nullopt if none will.
  std::optional<std::string> next();
  void obey(const std::string &line);
  void answer(const std::string &line) const;

  void obey(uint64_t id, const SampleCommand &sample);
  void obey(uint64_t id, const ScoreCommand &score);
  void obey(uint64_t id, const ForwardBackwardCommand &rows);
  void obey(uint64_t id, const StepCommand &command);
  void obey(uint64_t id, const EvalCommand &eval);
  void obey(uint64_t id, const SaveCommand &save);
  void obey(uint64_t id, const LoadCommand &load);
  void obey(uint64_t id, const StateCommand &state);
  /// The log probabilities of the tokens of each answer, on rank 0.
  std::vector<std::vector<float>>
  logprobsOf(const SampleCommand &sample,
             const std::vector<GivenAnswer> &answers);

  Run &run;
  Checkpoints &checkpoints;
  const StepMaker make;
  const std::optional<RequestLimits> prompts; ///< if the plan gives samples
  const CommandReader reader;
  DescriptorLines input;
  bool mayCome = true; ///< a line; of rank 0
  std::deque<std::string> lines;
  StepMetrics *nextStep = nullptr;
  std::vector<Row> queue;        ///< rows of the next step
  std::vector<uint64_t> waiting; ///< the requests that gave them
};

} // namespace zrt
