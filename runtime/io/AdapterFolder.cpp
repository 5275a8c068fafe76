//===- AdapterFolder.cpp - Adapters as PEFT keeps them --------------------===//
#include "runtime/io/AdapterFolder.h"

#include "runtime/Error.h"
#include "runtime/io/AtomicFile.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace zrt;

namespace {

constexpr const char *kConfigFile = "adapter_config.json";

std::string configPath(const std::string &folder) {
  return folder + "/" + kConfigFile;
}

nlohmann::json readConfig(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    fail("{}: cannot be read; --adapter needs a folder with this file and "
         "adapter_model.safetensors",
         path);
  nlohmann::json config =
      nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object())
    fail("{}: is no object of JSON", path);
  return config;
}

/// The text of a value, or "nothing".
std::string textOf(const nlohmann::json &config, const char *key) {
  return config.contains(key) ? config[key].dump() : "nothing";
}

/// Whether `key` asks for nothing: it is absent, null, false, empty or 0.
bool isOff(const nlohmann::json &config, const char *key) {
  if (!config.contains(key))
    return true;
  const nlohmann::json &value = config[key];
  return value.is_null() || value == false || value == 0 || value == "none" ||
         ((value.is_array() || value.is_object()) && value.empty());
}

} // namespace

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
  const nlohmann::json config = readConfig(path),
                       own = nlohmann::json::parse(ours);
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
  for (const char *key : {"use_rslora", "use_dora", "bias", "modules_to_save",
                          "rank_pattern", "alpha_pattern", "layer_replication"})
    if (!isOff(config, key))
      fail("{}: {} is {}, which zeroc does not compute", path, key,
           textOf(config, key));
}

void zrt::writeAdapterConfig(const std::string &folder,
                             const std::string &config) {
  AtomicFile file(configPath(folder));
  const std::string text = config + "\n";
  file.reserve(text.size());
  file.write(text.data(), text.size());
  file.commit();
}
