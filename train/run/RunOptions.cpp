//===- RunOptions.cpp - Options that a checkpoint remembers ---------------===//
#include "abi/CompileOptions.h"
#include "train/run/Resume.h"

#include "train/data/Feed.h"
#include "train/state/checkpoint/Base.h"
#include "train/state/io/Json.h"

#include <map>
#include <set>

using namespace zrt;

namespace {

constexpr const char *kFormat = "data format", *kSamples = "samples",
                     *kAdapters = "adapters", *kPlan = "plan";

/// Returns true for an option of zeroc that changes the values of updates.
/// Others change where bytes lie and when they move.
bool changesUpdates(std::string_view option) {
  enum Effect { Layout, Update };
  constexpr std::pair<std::string_view, Effect> options[] = {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  {"--" USAGE, EFFECT},
#include "abi/PlanOptions.def"
  };
  for (const auto &[usage, effect] : options)
    if (usage.substr(0, usage.find('=')) == option)
      return effect == Update;
  const CompileOption *other = findCompileOption(option);
  return other && other->is(CompileOption::Update);
}

std::string numberText(double value) { return fmt::format("{:.9g}", value); }

/// "tokens 64, targets 64": one sample of each input.
std::string sampleShapes(const zrt_plan &plan) {
  std::string text;
  for (const zrt_input *input : fedInputs(plan))
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", input->name,
        input->rank < 2
            ? "1"
            : fmt::format("{}", fmt::join(input->shape + 1,
                                          input->shape + input->rank, " x ")));
  return text;
}

std::string adaptersText(const zrt_plan &plan) {
  const nlohmann::json config = parsePlanJson(plan.adapters);
  if (config.is_null())
    return "";
  return fmt::format("r {}, lora_alpha {}{}{}", config["r"].dump(),
                     config["lora_alpha"].dump(),
                     config.value("use_rslora", false) ? ", use_rslora" : "",
                     config.value("use_dora", false) ? ", use_dora" : "");
}

/// The rate of dropout of the inputs of adapters.
double adapterDropout(const zrt_plan &plan) {
  const nlohmann::json config = parsePlanJson(plan.adapters);
  return config.is_null() ? 0 : config.value("lora_dropout", 0.0);
}

/// "--name=value" of a plan's options -> value.
std::map<std::string, std::string> updateOptions(const std::string &plan) {
  std::map<std::string, std::string> found;
  for (size_t at = 0; at < plan.size();) {
    const size_t end = std::min(plan.find(' ', at), plan.size());
    const std::string word = plan.substr(at, end - at),
                      name = word.substr(0, word.find('='));
    if (changesUpdates(name))
      found[name] = name == word ? "on" : word.substr(name.size() + 1);
    at = end + 1;
  }
  return found;
}

void addChanges(const std::string &now, const std::string &was,
                std::vector<std::string> &lines) {
  const auto here = updateOptions(now), before = updateOptions(was);
  std::set<std::string> names;
  for (const auto *options : {&here, &before})
    for (const auto &[name, value] : *options)
      names.insert(name);
  const auto textIn = [](const auto &options, const std::string &name) {
    const auto found = options.find(name);
    return found == options.end() ? "not given" : shown(found->second);
  };
  for (const std::string &name : names)
    if (textIn(here, name) != textIn(before, name))
      lines.push_back(fmt::format("{} of the plan is {}, and was {} until the "
                                  "checkpoint",
                                  name, textIn(here, name),
                                  textIn(before, name)));
}

[[noreturn]] void refuse(const std::string &name, const std::string &now,
                         const std::string &was) {
  if (name == kSamples)
    fail("a sample of the checkpoint's run is {}, and of this one {}: samples "
         "are counted, so others would be read than before; start a new run "
         "from its weights (zeroc export, then --init)",
         shown(was), shown(now));
  if (name == kFormat)
    fail("the data of the checkpoint's run were {}, and are now read as {}; "
         "give the --data-format that it had",
         shown(was), shown(now));
  fail("the adapters of the checkpoint have {}, and this plan's {}; compile it "
       "with the --lora=RANK:ALPHA that they were trained with",
       shown(was), shown(now));
}

} // namespace

RunOptionList zrt::runOptions(const zrt_plan &plan, const TrainOptions &options,
                              const std::string &format) {
  const Schedule &schedule = options.schedule;
  const SpikeGuard::Options &guard = options.guard;
  RunOptionList list = {
      {"model", plan.model ? plan.model : ""},
      {kInit, options.init.empty() ? "" : absolutePath(options.init)},
      {kAdapter, options.adapter.empty() ? "" : absolutePath(options.adapter)},
      {kPlan, plan.options ? plan.options : ""},
      {kSamples, sampleShapes(plan)},
      {kFormat, format},
      {kAdapters, adaptersText(plan)},
      {"--lora-dropout", numberText(adapterDropout(plan))},
      options.epochs > 0 ? std::pair("--epochs", std::to_string(options.epochs))
                         : std::pair("--steps", std::to_string(schedule.steps)),
      {"--document-separator",
       options.separator ? std::to_string(*options.separator) : "none"},
      {"--loss-scale", options.lossScale.text()},
      {"--spike-guard", guard.sigmas > 0 ? numberText(guard.sigmas) : "none"},
      {"--spike-window", std::to_string(guard.window)},
      {"--lr", numberText(schedule.peak)},
      {"--min-lr", numberText(schedule.minimum)},
      {"--schedule", nameOf(schedule.kind)},
      {"--warmup", std::to_string(schedule.warmup)},
      {"--warmup-shape", schedule.isLogarithmic ? "log" : "linear"},
      {"--cooldown", std::to_string(schedule.cooldown)}};
  // Requests have the data, the length and the rates.
  if (options.drives)
    std::erase_if(list, [&](const auto &option) {
      return option.first == kFormat || option.first == "--steps" ||
             (option.first == "--lr" && !options.hasRate);
    });
  if (plan.make_device)
    list.emplace_back("--matmul-algorithms",
                      options.matmulAlgorithms == 1 ? "1" : "several");
  return list;
}

std::vector<std::string> zrt::changedOptions(const RunOptionList &now,
                                             const RunOptionList &was) {
  const std::map<std::string, std::string> before(was.begin(), was.end());
  std::vector<std::string> lines;
  for (const auto &[name, value] : now) {
    const auto found = before.find(name);
    if (found == before.end() || found->second == value)
      continue;
    if (name == kPlan)
      addChanges(value, found->second, lines);
    else if (name == kSamples || name == kFormat || name == kAdapters)
      refuse(name, value, found->second);
    else if (name.rfind("--", 0) == 0)
      lines.push_back(fmt::format("{} is {}, and was {} until the checkpoint",
                                  name, value, shown(found->second)));
  }
  return lines;
}
