//===- Commands.cpp - Requests to a driven run ----------------------------===//
#include "train/drive/Commands.h"

#include "abi/Counts.h"
#include "runtime/text/Error.h"
#include "train/data/BatchSource.h"
#include "train/generate/Requests.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>

using namespace zrt;
using nlohmann::json;

namespace {

/// Answers of a request, which are all in memory until it ends.
constexpr uint64_t kMostAnswers = uint64_t{1} << 20;

constexpr const char *kCommands[] = {"sample", "score", "forward_backward",
                                     "step",   "eval",  "save",
                                     "load",   "state"};
constexpr const char *kSampleFields[] = {"prompts",
                                         "count",
                                         "seed",
                                         "max",
                                         "end_ids",
                                         "logprobs",
                                         "top_k",
                                         "temperature",
                                         "top_p",
                                         "min_p",
                                         "repetition_penalty",
                                         "no_repeat_ngram_size"};

/// Whether a float32 holds it, also if it is small.
bool isRate(double x) {
  return x >= 0 && x <= double(std::numeric_limits<float>::max()) &&
         (x == 0 || float(x) > 0);
}

/// The command of a request, and its fields.
std::pair<std::string_view, const json *> commandOf(const json &object) {
  std::pair<std::string_view, const json *> found = {"", nullptr};
  for (const auto &[name, value] : object.items()) {
    if (name == "id")
      continue;
    const auto *const known = std::ranges::find(kCommands, name);
    if (known == std::end(kCommands))
      fail("a request has no field \"{}\"; it has id, and one of {}",
           shown(name), fmt::join(kCommands, ", "));
    if (found.second)
      fail("\"{}\" and \"{}\" are two requests; give each a line of its own",
           found.first, *known);
    found = {*known, &value};
  }
  if (!found.second)
    fail("a request lacks what it asks for; give it one of {}",
         fmt::join(kCommands, ", "));
  if (!found.second->is_object())
    fail("\"{}\" is {}; give it an object", found.first,
         shownValue(*found.second));
  return found;
}

template <size_t N>
RequestFields fieldsOf(const json &object, const char *what,
                       const char *const (&known)[N]) {
  return RequestFields(object, what, known);
}

std::string textOf(const RequestFields &fields, const char *name) {
  const json *value = fields.find(name);
  if (!value)
    fail("\"{}\" is missing; give it a text", name);
  if (!value->is_string() || value->get<std::string>().empty())
    fail("\"{}\" is {}; give it a text", name, shownValue(*value));
  return value->get<std::string>();
}

StepCommand readStep(const json &object) {
  const RequestFields fields = fieldsOf(object, "\"step\"", {"lr"});
  StepCommand step;
  if (fields.find("lr"))
    step.lr = fields.number("lr", isRate,
                            "a number, 0 or more, that a float32 holds", 0);
  return step;
}

/// Throws for fields of a command that has none.
void needNone(const json &object, const char *what) {
  if (!object.empty())
    fail("{} has no fields, got \"{}\"; give it {{}}", what,
         shown(object.begin().key()));
}

} // namespace

size_t CommandReader::longestLine() const {
  // A number has up to 26 characters with a comma and a space.
  constexpr size_t kNumber = 26, kLeast = size_t{64} << 20;
  size_t values = 0;
  for (const zrt_input *input : fedInputs(plan))
    values += sampleElements(*input);
  return kLeast + values * kNumber * samplesPerStep(plan);
}

std::vector<Row> CommandReader::readRows(const json &object, const char *what,
                                         uint32_t program) const {
  const RequestFields fields = fieldsOf(object, what, {"inputs"});
  const json *inputs = fields.find("inputs");
  if (!inputs)
    fail("\"inputs\" is missing; give {} rows of each input", what);
  return reader.read(*inputs, program);
}

SampleCommand CommandReader::readSample(const json &object) const {
  if (!prompts)
    fail("\"sample\": this program gives no samples; compile the model with "
         "--sample");
  const RequestFields fields = fieldsOf(object, "\"sample\"", kSampleFields);
  const json *given = fields.find("prompts");
  if (!given)
    fail("\"prompts\" is missing; give it lists of tokens");
  if (!given->is_array() || given->empty())
    fail("\"prompts\" is {}; give it one list of tokens or more",
         shownValue(*given));
  SampleCommand sample;
  for (const json &prompt : *given)
    sample.prompts.push_back(readTokens(
        prompt, fmt::format("prompt {} of \"prompts\"", sample.prompts.size()),
        *prompts));
  sample.count = fields.whole("count", 1, kMostAnswers, 1);
  if (sample.count * sample.prompts.size() > kMostAnswers)
    fail("\"count\" is {} for each of {}, and a request has up to {} answers; "
         "give it fewer",
         sample.count, plural(sample.prompts.size(), "prompt"),
         withCommas(kMostAnswers));
  sample.seed = fields.whole("seed", 0, UINT64_MAX, 0);
  sample.most = fields.whole("max", 1, UINT64_MAX, UINT64_MAX);
  sample.draw.temperature = 1; // of policies that learn from what they say
  fields.readDraw(sample.draw);
  if (const json *ends = fields.find("end_ids"); ends && !ends->empty())
    sample.endIds =
        readTokens(*ends, "\"end_ids\"", {SIZE_MAX, prompts->tokenBound});
  else if (ends && !ends->is_array())
    fail("\"end_ids\" is {}; give it a list of tokens", shownValue(*ends));
  if (const json *logprobs = fields.find("logprobs")) {
    if (!logprobs->is_boolean())
      fail("\"logprobs\" is {}; give it true or false", shownValue(*logprobs));
    sample.logprobs = logprobs->get<bool>();
  }
  if (sample.logprobs &&
      !(plan.programs[ZRT_SCORE].ops && reader.isOfPolicies()))
    fail("\"logprobs\": this program gives no log probabilities of tokens; "
         "compile a model of zeroc import --objective=grpo with --eval");
  return sample;
}

Command CommandReader::parse(std::string_view line) const {
  std::optional<uint64_t> id;
  try {
    if (line.size() > longestLine())
      fail("a line has more than {} bytes, the most of a request; give it "
           "less",
           withCommas(longestLine()));
    const json object = parseRequestLine(line);
    id = needId(object);
    const auto [name, fields] = commandOf(object);
    if (name == "sample")
      return {*id, readSample(*fields)};
    if (name == "score") {
      if (!plan.programs[ZRT_SCORE].ops)
        fail("\"score\": this program gives no values of samples; compile a "
             "model of zeroc import --objective=dpo, kto, reward or classify "
             "with --eval");
      if (plan.context > 1)
        fail("\"score\": {} ranks of this plan share each sequence; compile "
             "the model without --context",
             plan.context);
      return {*id, ScoreCommand{readRows(*fields, "\"score\"", ZRT_SCORE)}};
    }
    if (name == "forward_backward")
      return {*id, ForwardBackwardCommand{
                       readRows(*fields, "\"forward_backward\"", ZRT_STEP)}};
    if (name == "step")
      return {*id, readStep(*fields)};
    if (name == "eval") {
      if (!plan.programs[ZRT_EVAL].ops)
        fail("\"eval\": this program has no evaluation; compile the model "
             "with --eval");
      return {*id, EvalCommand{readRows(*fields, "\"eval\"", ZRT_EVAL)}};
    }
    if (name == "load")
      return {*id, LoadCommand{textOf(fieldsOf(*fields, "\"load\"", {"path"}),
                                      "path")}};
    if (name == "save") {
      needNone(*fields, "\"save\"");
      return {*id, SaveCommand{}};
    }
    needNone(*fields, "\"state\"");
    return {*id, StateCommand{}};
  } catch (const Error &error) {
    throw RequestError(id, error.what());
  }
}
