//===- LtDescriptors.h - The objects behind cuBLASLt's handles --*- C++ -*-===//
#pragma once

#include "Machine.h"

#include <array>
#include <cublasLt.h>

namespace fakecuda {

struct Layout {
  cudaDataType type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batch = 1;
  int64_t stride = 0;
};
struct Matmul {
  cublasComputeType_t compute;
  cudaDataType scale;
  int32_t transA = CUBLAS_OP_N, transB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr;
  int32_t biasType = -1;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::array<uint32_t, 4> alignment = {256, 256, 256, 256}; ///< A, B, C, D
};
/// The data of an algorithm.
struct Choice {
  uint64_t product, workspace;
  uint32_t number; ///< of the list that LtAlgorithms.h describes
  std::array<uint32_t, 4> alignment;
};
static_assert(sizeof(Choice) <= sizeof(cublasLtMatmulAlgo_t));

template <typename T, typename Handle>
T &of(Handle handle) {
  if (!handle)
    misuse("a descriptor that does not exist");
  return *reinterpret_cast<T *>(handle);
}

} // namespace fakecuda
