//===- Export.h - Weights of a checkpoint, as others read them --*- C++ -*-===//
//
//   FILE.safetensors     all of them
//   DIR/                 as Hugging Face keeps a model:
//     config.json, generation_config.json       if a config is given
//     model.safetensors                         or, where that were too large,
//     model-00001-of-00002.safetensors ...
//     model.safetensors.index.json              which tensor is where
//
// Nothing of the plan is needed, nor a rank: state is read piece by piece, so
// memory does not grow with the model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct ExportRequest {
  std::string checkpoint; ///< one, or a folder of them: the newest
  std::string output;     ///< a file *.safetensors, or a folder, which is made
  zrt_dtype dtype = 0;    ///< of elements: f32, bf16, f16; 0: as they are kept
  uint64_t maxShardBytes = 0; ///< of tensors in one file of a folder
  std::string config;         ///< config.json to put beside them, or ""
};

struct ExportResult {
  std::string error;              ///< "" if all went well; nothing else counts
  std::vector<std::string> notes; ///< for those who watch
  std::vector<std::string> files; ///< that were written
};

/// Once every byte of the checkpoint is as it was written.  Throws nothing, so
/// that code without exceptions can call it.
ExportResult exportCheckpoint(const ExportRequest &request) noexcept;

} // namespace zrt
