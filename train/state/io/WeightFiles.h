//===- WeightFiles.h - Finds weights in one file or several -----*- C++ -*-===//
//
//   FILE.safetensors
//   DIR/model.safetensors
//   DIR/model.safetensors.index.json  {"weight_map":
//       model-1.safetensors ...          {"w": "model-1.safetensors", ...}}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/io/Safetensors.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The files of `path`: itself, or for a folder the index (if any), then the
/// files of weights.  Throws zrt::Error.
std::vector<std::string> weightFiles(const std::string &path);

/// The tensors of all files, by name.
class WeightFiles {
public:
  /// Opens all files.  Throws zrt::Error, which names the file; also if the
  /// index names a wrong file for a tensor or lacks a tensor.
  explicit WeightFiles(const std::string &path);

  struct Tensor {
    const SafetensorsFile *file;
    const TensorEntry *entry;
  };
  const std::vector<Tensor> &tensors() const { return all; }
  /// Returns nullptr if there is no such tensor.  Names are also found without
  /// components that PyTorch's wrappers of modules add, such as "_orig_mod.".
  const Tensor *find(std::string_view name) const;
  /// The components that all names begin with, as "base_model.model.", without
  /// those of wrappers.
  const std::string &beginning() const { return common; }
  const std::string &path() const { return name; }

private:
  void findWrappers();
  void checkIndex(const std::string &index) const;

  const std::string name;
  std::vector<std::unique_ptr<const SafetensorsFile>> files;
  std::vector<Tensor> all;
  std::map<std::string, size_t, std::less<>> byName; ///< of `all`
  std::string common;
};

} // namespace zrt
