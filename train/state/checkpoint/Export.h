//===- Export.h - Exports weights in standard formats -----------*- C++ -*-===//
//
//   FILE.safetensors     all weights
//   DIR/                 the layout of a Hugging Face model:
//     config.json, generation_config.json       if a config is given
//     model.safetensors                         or, if that is too large,
//     model-00001-of-00002.safetensors ...
//     model.safetensors.index.json              maps tensors to files
//
// The export needs neither the plan nor ranks.  It reads state piece by piece,
// so memory does not grow with the model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

struct ExportRequest {
  std::string checkpoint; ///< a checkpoint, or a folder: its newest one
  std::string base;       ///< where the base is now, or "": where it was
  std::string output;     ///< a file *.safetensors, or a folder to create
  zrt_dtype dtype = 0;    ///< f32, bf16, f16; 0: the types of the checkpoint
  uint64_t maxShardBytes = 0; ///< for one file of a folder; 0: no limit
  std::string config;         ///< config.json to copy, or ""
  std::string others; ///< folder of the model before training (OtherParts.h);
                      ///< "": that of the config
  bool force = false; ///< replaces files of others
  bool best = false;  ///< of a folder the best, not the newest
  bool merge = false; ///< adapters into their weights (Merge.h)
};

struct ExportResult {
  std::string error;              ///< if not "", the other members are invalid
  std::vector<std::string> notes; ///< lines to print
  std::vector<std::string> files; ///< the files written
};

/// Verifies every byte of the checkpoint, then exports it.  Throws nothing, so
/// that code without exceptions can call it.
ExportResult exportCheckpoint(const ExportRequest &request) noexcept;

} // namespace zrt
