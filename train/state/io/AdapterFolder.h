//===- AdapterFolder.h - Adapters in PEFT's format --------------*- C++ -*-===//
//
// A folder of two files: adapter_model.safetensors has the weights, and
// adapter_config.json the configuration of the adapters.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace zrt {

constexpr const char *kAdapterFile = "adapter_model.safetensors",
                     *kAdapterConfig = "adapter_config.json";
/// Begins the names of adapters, and in the file those of whole modules.
constexpr std::string_view kAdaptedModel = "base_model.model.";

/// Ends the names of the magnitudes of DoRA.
constexpr std::string_view kMagnitude = ".lora_magnitude_vector";

/// Returns true for the name of an adapter's lora_A, lora_B or magnitude.
bool isOfAdapter(std::string_view parameter);

/// Creates `folder` if it does not exist.  Throws zrt::Error, which begins with
/// `option`.
void makeFolder(const char *option, const std::string &folder);

/// Throws zrt::Error unless the adapters in `folder` match `ours`, the config
/// of a plan: equal rank and alpha, and no variant with another computation.
void checkAdapterConfig(const std::string &folder, const std::string &ours);

/// Throws zrt::Error unless the adapters in `folder` are the tensors `ours`.
void checkAdapterTensors(const std::string &folder,
                         const std::set<std::string> &ours);

/// Writes adapter_config.json.  Throws zrt::Error.
void writeAdapterConfig(const std::string &folder, const std::string &config);

} // namespace zrt
