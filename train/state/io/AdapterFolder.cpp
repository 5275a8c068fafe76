//===- AdapterFolder.cpp - Adapters in PEFT's format ----------------------===//
#include "train/state/io/AdapterFolder.h"

#include "runtime/files/AtomicFile.h"
#include "runtime/text/Error.h"
#include "train/state/io/Json.h"
#include "train/state/io/WeightFiles.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using namespace zrt;

namespace {

/// Keys that do not change the computation, that are compared separately, or
/// that say which tensors there are.
constexpr std::string_view kHarmless[] = {
    "auto_mapping",      "base_model_name_or_path",
    "exclude_modules",   "fan_in_fan_out",
    "inference_mode",    "init_lora_weights",
    "layers_pattern",    "layers_to_transform",
    "lora_alpha",        "lora_dropout",
    "megatron_config",   "megatron_core",
    "peft_type",         "peft_version",
    "qalora_group_size", "r",
    "revision",          "target_modules",
    "task_type",         "use_rslora",
    "modules_to_save",   "use_dora"};

std::string configPath(const std::string &folder) {
  return folder + "/" + kAdapterConfig;
}

nlohmann::json readConfig(const std::string &path) {
  if (!std::ifstream(path))
    fail("{}: cannot be read; --adapter needs a folder with this file and "
         "adapter_model.safetensors",
         path);
  nlohmann::json config = readJson(path, kMaxConfigBytes, "a config");
  if (!config.is_object())
    fail("{}: is no object of JSON", path);
  return config;
}

/// The JSON text of the value of `key`, or "nothing".
std::string textOf(const nlohmann::json &config, const char *key) {
  return config.contains(key) ? config[key].dump() : "nothing";
}

/// Returns true if `key` is absent, null, false, "none", empty or 0.
bool isOff(const nlohmann::json &config, const char *key) {
  if (!config.contains(key))
    return true;
  const nlohmann::json &value = config[key];
  return value.is_null() || value == false || value == 0 || value == "none" ||
         ((value.is_array() || value.is_object()) && value.empty());
}

} // namespace

bool zrt::isOfAdapter(std::string_view parameter) {
  return parameter.find(".lora_A.") != std::string_view::npos ||
         parameter.find(".lora_B.") != std::string_view::npos ||
         parameter.ends_with(kMagnitude);
}

void zrt::makeFolder(const char *option, const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    fail(
        "{}={}: a plan with adapters saves a folder, and this is none that can "
        "be made{}",
        option, folder, error ? ": " + error.message() : "");
}

void zrt::checkAdapterConfig(const std::string &folder,
                             const std::string &ours) {
  const std::string path = configPath(folder);
  const nlohmann::json config = readConfig(path), own = parseJson(ours);
  if (textOf(config, "peft_type") != "\"LORA\"")
    fail("{}: peft_type is {}, and only LORA is known", path,
         textOf(config, "peft_type"));
  const auto numberOf = [&](const char *key) {
    if (!config.contains(key) || !config[key].is_number())
      fail("{}: {} must be a number, got {}", path, key, textOf(config, key));
    return config[key].get<double>();
  };
  const double rank = numberOf("r"), alpha = numberOf("lora_alpha");
  if (rank != own["r"].get<double>() ||
      alpha != own["lora_alpha"].get<double>())
    fail("{}: r is {} and lora_alpha {}, and this plan has {} and {}; compile "
         "it with --lora={}:{}",
         path, rank, alpha, own["r"].get<double>(),
         own["lora_alpha"].get<double>(), rank, alpha);
  for (const auto &[key, option] :
       {std::pair{"use_rslora", "--rslora"}, {"use_dora", "--dora"}}) {
    const nlohmann::json given = config.value(key, nlohmann::json());
    if (!given.is_null() && !given.is_boolean())
      fail("{}: {} must be true or false, got {}", path, key,
           textOf(config, key));
    const bool isOn = given == true, isOwn = own.value(key, false);
    if (isOn != isOwn)
      fail("{}: {} is {}, and of this plan {}; compile it {} {}", path, key,
           isOn, isOwn, isOn ? "with" : "without", option);
  }
  // Unknown keys may change the computation.
  for (const auto &[key, value] : config.items())
    if (std::ranges::count(kHarmless, key) == 0 && !isOff(config, key.c_str()))
      fail("{}: {} is {}, which zeroc does not compute", path, shown(key),
           shown(value.dump()));
  // Some initializations subtract a part from the base weights.
  if (const auto first = config.find("init_lora_weights");
      first != config.end() && first->is_string() && *first != "gaussian" &&
      *first != "orthogonal" && *first != "eva")
    fail(
        "{}: init_lora_weights is {}, which may have changed the base; convert "
        "the adapters to those of the base as it is",
        path, shown(first->dump()));
}

void zrt::checkAdapterTensors(const std::string &folder,
                              const std::set<std::string> &ours) {
  const std::string path = folder + "/" + kAdapterFile;
  const WeightFiles files(path);
  std::set<std::string> others;
  for (const WeightFiles::Tensor &tensor : files.tensors()) {
    const std::string &name = tensor.entry->name;
    const size_t wrapped = name.find(kAdaptedModel);
    others.insert(name.substr(wrapped == name.npos ? 0 : wrapped));
  }
  const auto check = [&](const auto &some, const auto &known, auto what) {
    std::vector<std::string> extra;
    std::ranges::set_difference(some, known, std::back_inserter(extra));
    if (!extra.empty())
      fail("{}: {} of {}, as {}; compile the plan with --lora-targets and "
           "--modules-to-save that match what the file has",
           path, extra.size(), what, shown(extra.front()));
  };
  check(ours, others, "the plan's tensors are missing");
  check(others, ours, "its tensors are none of the plan's");
}

void zrt::writeAdapterConfig(const std::string &folder,
                             const std::string &config) {
  replaceFile(configPath(folder), config + "\n");
}
