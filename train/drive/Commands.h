//===- Commands.h - Requests to a driven run --------------------*- C++ -*-===//
//
// A request is a line of JSON with an id and one command.  docs/drive.md has
// all fields and answers.
//
//   {"id": 1, "sample": {"prompts": [[1, 2]], "count": 2, ...}}
//   {"id": 2, "score": {"inputs": {"tokens": [[1, 2, 3]], ...}}}
//   {"id": 3, "forward_backward": {"inputs": {...}}}
//   {"id": 4, "step": {"lr": 1e-4}}
//   {"id": 5, "eval": {"inputs": {...}}}
//   {"id": 6, "save": {}}
//   {"id": 7, "load": {"path": "run/step-12"}}
//   {"id": 8, "state": {}}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/drive/Rows.h"
#include "train/generate/Draw.h"
#include "train/generate/RequestFields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zrt {

struct SampleCommand {
  std::vector<std::vector<int32_t>> prompts;
  uint64_t count = 1; ///< answers to each prompt
  uint64_t seed = 0;
  DrawOptions draw;
  uint64_t most = UINT64_MAX; ///< tokens of an answer
  std::vector<int32_t> endIds;
  bool logprobs = false; ///< those of the tokens of answers, by ZRT_SCORE
};

struct ScoreCommand {
  std::vector<Row> rows;
};

struct ForwardBackwardCommand {
  std::vector<Row> rows;
};

struct StepCommand {
  std::optional<double> lr; ///< a float32 holds it
};

struct EvalCommand {
  std::vector<Row> rows;
};

struct SaveCommand {};

struct LoadCommand {
  std::string path;
};

struct StateCommand {};

struct Command {
  uint64_t id = 0;
  std::variant<SampleCommand, ScoreCommand, ForwardBackwardCommand, StepCommand,
               EvalCommand, SaveCommand, LoadCommand, StateCommand>
      what;
};

/// What a plan can be asked for.
class CommandReader {
public:
  /// `prompts` is what they must fit, if the plan gives samples.  `plan` and
  /// `reader` must outlive this.
  CommandReader(const zrt_plan &plan, const RowReader &reader,
                std::optional<RequestLimits> prompts)
      : plan(plan), reader(reader), prompts(prompts) {}

  /// Throws RequestError, also for a command that the plan has no program for.
  Command parse(std::string_view line) const;
  /// The longest line of a command.
  size_t longestLine() const;

private:
  SampleCommand readSample(const nlohmann::json &fields) const;
  std::vector<Row> readRows(const nlohmann::json &fields, const char *what,
                            uint32_t program) const;

  const zrt_plan &plan;
  const RowReader &reader;
  const std::optional<RequestLimits> prompts;
};

} // namespace zrt
