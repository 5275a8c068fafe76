//===- WeightFiles.h - Weights in one file, or in several -------*- C++ -*-===//
//
//   FILE.safetensors
//   DIR/model.safetensors
//   DIR/model.safetensors.index.json    {"weight_map": {"w": "model-1.safetensors",
//       model-1.safetensors ...                         ...}}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/io/Safetensors.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zrt {

/// The files that `path` means: itself, or those of a folder, its index first.
/// Throws zrt::Error.
std::vector<std::string> weightFiles(const std::string &path);

/// Tensors by name, wherever they are.
class WeightFiles {
public:
  /// Opens all files.  Throws zrt::Error, which names the file: also for an index
  /// that says of a tensor that it is where it is not, or does not say where one
  /// is.
  explicit WeightFiles(const std::string &path);

  struct Tensor {
    const SafetensorsFile *file;
    const TensorEntry *entry;
  };
  const std::vector<Tensor> &tensors() const { return all; }
  /// nullptr when there is none.
  const Tensor *find(std::string_view name) const;
  const std::string &path() const { return name; }

private:
  void checkIndex(const std::string &index) const;

  const std::string name;
  std::vector<std::unique_ptr<const SafetensorsFile>> files;
  std::vector<Tensor> all;
  std::unordered_map<std::string_view, size_t> byName; ///< of `all`
};

} // namespace zrt
