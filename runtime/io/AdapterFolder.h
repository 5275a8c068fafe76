//===- AdapterFolder.h - Adapters as PEFT keeps them ------------*- C++ -*-===//
//
// A folder of two files: adapter_model.safetensors has the weights, and
// adapter_config.json says what adapters they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace zrt {

constexpr const char *kAdapterFile = "adapter_model.safetensors";

/// Makes `folder`, unless it is there.  Throws zrt::Error, which begins with
/// `option`.
void makeFolder(const char *option, const std::string &folder);

/// Throws zrt::Error unless the adapters in `folder` are those that `ours`, the
/// config of a plan, says: their rank, their alpha, no variant that computes
/// something else.
void checkAdapterConfig(const std::string &folder, const std::string &ours);

/// Writes adapter_config.json.  Throws zrt::Error.
void writeAdapterConfig(const std::string &folder, const std::string &config);

} // namespace zrt
