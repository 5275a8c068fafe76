//===- OtherParts.cpp - Parts of a model that an export copies ------------===//
#include "train/state/checkpoint/OtherParts.h"

#include "train/state/io/Parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace zrt;

bool OtherParts::isOfImages(const std::string &config) {
  const auto parsed = nlohmann::json::parse(config, nullptr, false);
  return parsed.is_object() && parsed.contains("text_config") &&
         parsed["text_config"].is_object();
}

OtherParts::OtherParts(const std::string &folder, bool ofImages)
    : ofImages(ofImages) {
  if (folder.empty())
    return;
  files = std::make_unique<const WeightFiles>(folder);
  isMixed = std::ranges::any_of(
      files->tensors(), [](const WeightFiles::Tensor &tensor) {
        return tensor.entry->dtype == "BF16" || tensor.entry->dtype == "F16";
      });
}

std::string OtherParts::nameOf(const std::string &name) const {
  const std::string found = files && ofImages ? tensorFor(*files, name) : "";
  return found.empty() ? name : found;
}

bool OtherParts::isWide(const std::string &name) const {
  if (!isMixed)
    return false;
  const WeightFiles::Tensor *found = files->find(tensorFor(*files, name));
  return found && found->entry->dtype == "F32";
}

std::vector<const WeightFiles::Tensor *> OtherParts::tensors() const {
  std::vector<const WeightFiles::Tensor *> others;
  if (files && ofImages)
    for (const WeightFiles::Tensor &tensor : files->tensors())
      if (!isOfText(tensor.entry->name))
        others.push_back(&tensor);
  return others;
}

std::string OtherParts::describe() const {
  std::map<std::string, size_t> counts; // by part
  for (const WeightFiles::Tensor *tensor : tensors()) {
    const std::string &name = tensor->entry->name;
    const size_t begin = name.starts_with("model.") ? 6 : 0;
    ++counts[name.substr(0, name.find('.', begin))];
  }
  std::string text;
  for (const auto &[part, count] : counts)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, part);
  return text.empty() ? "" : fmt::format("tensors as they were: {}", text);
}
