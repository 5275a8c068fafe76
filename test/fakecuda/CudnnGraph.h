//===- CudnnGraph.h - Graphs of cuDNN's operations, in f64 ------*- C++ -*-===//
//
// Computes the operations of which attention consists one after another, each
// as cuDNN documents it, on arrays of [batch, head, row, column].  What has a
// type of 16 or 32 bits is rounded to it.  Dimensions of one element are
// repeated; heads of fewer elements are those of several neighbours.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <cudnn_graph.h>
#include <map>
#include <vector>

namespace fakecuda {

using Shape = std::array<int64_t, 4>;

struct CudnnTensor {
  int64_t number = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  Shape shape = {}, strides = {};
  bool isVirtual = false, isByValue = false;

  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  /// The bytes from the first element to the end of the last.
  uint64_t span() const;
};

struct CudnnOperation {
  cudnnBackendDescriptorType_t kind;
  int mode = 0; ///< of a pointwise operation, or of a reduction
  int64_t axis = -1;
  std::vector<CudnnTensor> inputs;
  CudnnTensor result;
};

class CudnnGraph {
public:
  /// Adds an operation; ends the process if it reads what none before it makes.
  void add(const CudnnOperation &operation);
  /// The tensors with memory, or constants.
  const std::map<int64_t, CudnnTensor> &tensors() const { return outside; }
  /// The bytes that cuDNN 9.19 takes for it on Hopper.
  uint64_t workspaceBytes() const;
  /// The number of the last operation's result.
  int64_t lastResult() const { return operations.back().result.number; }
  /// Computes it on memory at these addresses, by number.
  void run(const std::map<int64_t, void *> &addresses) const;

private:
  std::vector<CudnnOperation> operations;
  std::map<int64_t, CudnnTensor> outside;
  std::map<int64_t, bool> isMade;
};

} // namespace fakecuda
