//===- AttentionEngine.h - An engine of cuDNN for attention -----*- C++ -*-===//
#pragma once

#include "runtime/device/cuda/attention/AttentionGraph.h"

#include <string>
#include <utility>
#include <vector>

namespace zrt::cuda {

/// Describes attention, as far as the choice of an engine depends on it: "the
/// backward of attention of 4 of 8 x 1024 queries and 1024 keys, 12 heads of 64
/// columns, 4 of keys, bf16, causal, rows 768 256 256 768 apart".
std::string nameOf(const zrt_device_attention &of);

/// Returns the configurations of engines for `graph` on `device` that give
/// equal bits in equal runs, those first that cuDNN takes for the fastest.
std::vector<CudnnDescriptor> engineConfigs(const Cudnn &library,
                                           const AttentionGraph &graph,
                                           const CudnnDescriptor &device);

class AttentionEngine {
public:
  /// Returns the first engine of engineConfigs; if `text` is not "", the one
  /// that it describes.  Throws zrt::Error if there is none.
  static AttentionEngine choose(const Cudnn &library,
                                const AttentionGraph &graph,
                                const CudnnDescriptor &device,
                                const zrt_device_attention &of,
                                const std::string &text = "");

  /// Describes it: "engine 6 (knob 24: 26)".
  const std::string &text() const { return shown; }
  uint64_t workspaceBytes() const { return workspace; }

  /// The addresses of tensors, by AttentionGraph::Tensors.
  using Addresses = std::vector<std::pair<int64_t, uint64_t>>;
  /// Issues it to the stream of `handle`.
  void run(cudnnHandle_t handle, const Addresses &addresses,
           uint64_t workspaceAddress) const;

private:
  AttentionEngine(const Cudnn &library, const AttentionGraph &graph,
                  const CudnnDescriptor &config, const CudnnDescriptor &device);

  const Cudnn *library;
  const AttentionGraph *graph;
  CudnnDescriptor plan;
  std::string shown;
  uint64_t workspace = 0;
};

} // namespace zrt::cuda
