//===- Merge.h - Adds adapters to the weights they belong to ----*- C++ -*-===//
//
// W + (alpha / r) B A (Hu et al., 2021), or with use_rslora alpha / sqrt(r), in
// f32: the sum over r first, in its order.  With use_dora each row is divided
// by its norm, which is summed in f64, and multiplied by its magnitude.  A
// weight that is stored as [inputs, outputs] gets the transpose.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/Reader.h"

#include <map>
#include <string>
#include <vector>

namespace zrt {

class AdapterMerger {
public:
  /// Reads the adapters of a checkpoint.  Throws zrt::Error if it has none, or
  /// if an adapter does not fit its weight.
  explicit AdapterMerger(const CheckpointReader &reader);

  /// The number of weights with an adapter.
  size_t count() const { return adapters.size(); }
  /// Merges the adapter of a weight, if it has one, into `values`, its elements
  /// [first, first + values.size()).
  void merge(const std::string &weight, uint64_t first,
             std::vector<float> &values) const;

private:
  struct Adapter {
    std::vector<float> a;      ///< [r, inputs]
    std::vector<float> b;      ///< [outputs, r]
    uint64_t width;            ///< elements in a row of the weight
    bool isTransposed;         ///< the weight is [inputs, outputs]
    std::vector<float> scales; ///< of outputs, with use_dora
  };
  static uint64_t outputOf(const Adapter &adapter, uint64_t element);
  /// Adds what the adapter adds.
  void add(const Adapter &adapter, uint64_t first,
           std::vector<float> &values) const;
  std::vector<float> readScales(const CheckpointReader &reader,
                                const ParameterRecord &weight,
                                const std::string &magnitude,
                                const Adapter &adapter) const;
  Adapter readAdapter(const CheckpointReader &reader,
                      const ParameterRecord &weight,
                      const std::string &module) const;

  std::map<std::string, Adapter> adapters; ///< by the name of the weight
  uint64_t rank = 0;
  float factor = 1;
  bool isSquareTransposed = false; ///< of weights whose shape does not say it
};

} // namespace zrt
