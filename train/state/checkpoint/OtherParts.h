//===- OtherParts.h - Parts of a model that an export copies ----*- C++ -*-===//
#pragma once

#include "train/state/io/WeightFiles.h"

#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// The folder of a model of images and text, of which the text was trained:
/// names of parameters there, and the tensors of all other parts.
class OtherParts {
public:
  /// Whether a config.json, as JSON, is of such a model.
  static bool isOfImages(const std::string &config);

  /// Of the files in `folder`; "": none.  Throws zrt::Error.
  explicit OtherParts(const std::string &folder);

  /// The tensor that holds parameter `name` there; `name` without files.
  std::string nameOf(const std::string &name) const;
  /// Tensors of other parts, in the order of the files.
  std::vector<const WeightFiles::Tensor *> tensors() const;
  /// "35 tensors of model.vision_tower and 1 of ... are copied", or "".
  std::string describe() const;

private:
  std::unique_ptr<const WeightFiles> files;
};

} // namespace zrt
