//===- OtherParts.h - Parts of a model that an export copies ----*- C++ -*-===//
#pragma once

#include "train/state/io/WeightFiles.h"

#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// The folder of the model that was trained.  Of one of images and text only
/// the text was: parameters have other names there, and other parts are there,
/// too.
class OtherParts {
public:
  /// Whether a config.json, as JSON, is of images and text.
  static bool isOfImages(const std::string &config);

  /// Of the files in `folder`; "": none.  Throws zrt::Error.
  OtherParts(const std::string &folder, bool ofImages);

  /// The tensor that holds parameter `name` there; `name` without files.
  std::string nameOf(const std::string &name) const;
  /// Whether the tensor of a parameter is f32 there, beside others of 16 bits.
  bool isWide(const std::string &name) const;
  /// Tensors of other parts, in the order of the files.
  std::vector<const WeightFiles::Tensor *> tensors() const;
  /// "tensors as they were: 35 of model.vision_tower, 2 of ...", or "".
  std::string describe() const;

private:
  std::unique_ptr<const WeightFiles> files;
  bool ofImages, isMixed = false;
};

} // namespace zrt
