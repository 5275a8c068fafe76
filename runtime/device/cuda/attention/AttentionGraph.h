//===- AttentionGraph.h - Attention as a graph of cuDNN ---------*- C++ -*-===//
//
// cuDNN takes attention as a graph of its operations, which it recognizes and
// computes by one kernel.  Tensors are [batch, head, position, column], with
// the strides that the plan's operands have; all other tensors are virtual.
//
//   forward    S = scale q k'         masked where query i does not see key j
//              P = exp(S - max) / sum,  out = P v,  lse = max + log sum
//
//   backward   P = exp(scale q k' - lse),  D = sum of grad out
//              dS = scale P (grad v' - D)
//              dv = P' grad,  dk = dS' q,  dq = dS k
//
// D is the only one that lies in memory.  That dq is the result of a product,
// and not the sum of those of blocks, makes cuDNN keep dS in its workspace, and
// add in one order.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/attention/Cudnn.h"

#include <array>
#include <deque>
#include <memory>

namespace zrt::cuda {

/// The bytes of D of all batches, at the beginning of the room of a backward;
/// the workspace follows.
uint64_t sumBytes(const zrt_device_attention &of);

class AttentionGraph {
public:
  /// The numbers of tensors that have memory.
  enum Tensors : int64_t { Q = 1, K, V, Out, Lse, Grad, Sums, DQ, DK, DV };

  /// Describes `of` for `at_once` batches.  Throws zrt::Error if cuDNN refuses
  /// an operation.
  AttentionGraph(const Cudnn &library, const zrt_device_attention &of);

  const CudnnDescriptor &graph() const { return *whole; }
  /// Factors and other constants: their numbers, and where they lie.
  struct Constant {
    int64_t number;
    union {
      float real;
      int32_t integer;
    };
  };
  const std::deque<Constant> &constants() const { return scalars; }

private:
  using Shape = std::array<int64_t, 4>;
  struct Tensor {
    const CudnnDescriptor *descriptor;
    Shape shape, strides;
  };

  Tensor make(int64_t number, cudnnDataType_t type, Shape shape, Shape strides,
              bool isVirtual = false, bool isByValue = false);
  Tensor rows(int64_t number, const zrt_head_rows &at, int64_t heads,
              int64_t positions);
  Tensor statistic(int64_t number, Shape strides);
  Tensor inside(Shape shape, cudnnDataType_t type = CUDNN_DATA_FLOAT);
  Tensor constant(float value);
  Tensor constant(int32_t value);
  /// The same memory with its last two dimensions exchanged.
  Tensor transposed(int64_t number, const zrt_head_rows &at, int64_t positions);

  CudnnDescriptor &add(cudnnBackendDescriptorType_t type) {
    return operations.emplace_back(*library, type);
  }
  void pointwise(cudnnPointwiseMode_t mode, const Tensor &x, const Tensor *b,
                 const Tensor &y, cudnnDataType_t compute = CUDNN_DATA_FLOAT,
                 const Tensor *chooses = nullptr, int64_t axis = -1);
  /// The same to a virtual tensor of the shape of x.
  Tensor pointwise(cudnnPointwiseMode_t mode, const Tensor &x,
                   const Tensor *b = nullptr);
  void matmul(const Tensor &a, const Tensor &b, const Tensor &c);
  void reduce(cudnnReduceTensorOp_t by, const Tensor &x, const Tensor &y);
  Tensor reshape(const Tensor &x, cudnnDataType_t type);

  /// S without what is hidden.
  Tensor masked(const Tensor &scores);
  /// scale q k'.
  Tensor scores(const Tensor &q, const Tensor &keys);
  void forward();
  void backward();
  /// a' b, summed over the query heads of a head of keys if there are several.
  void gradientOfKeys(const Tensor &a, const Tensor &b, const Tensor &result);

  const Cudnn *library;
  const zrt_device_attention d;
  const cudnnDataType_t type;
  /// Parts of operations, and operations; of tensors that stay in place.
  std::deque<CudnnDescriptor> parts, tensors;
  std::vector<CudnnDescriptor> operations;
  std::deque<Constant> scalars;
  int64_t next = 100; ///< number of a tensor without memory
  std::unique_ptr<CudnnDescriptor> whole;
};

} // namespace zrt::cuda
