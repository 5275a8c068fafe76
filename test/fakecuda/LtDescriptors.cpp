//===- LtDescriptors.cpp - The objects behind cuBLASLt's handles ----------===//
#include "LtDescriptors.h"

#include <cstring>
#include <fmt/format.h>

using namespace fakecuda;

namespace {

/// Sets an attribute to the caller's value.
template <typename T>
cublasStatus_t take(T &value, const void *from, size_t bytes) {
  if (bytes != sizeof(T))
    misuse(fmt::format("an attribute of {} bytes, and it has {}", bytes,
                       sizeof(T)));
  std::memcpy(&value, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *desc = reinterpret_cast<cublasLtMatmulDesc_t>(
      new Matmul{.compute = compute, .scale = scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete &of<Matmul>(desc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                               cublasLtMatmulDescAttributes_t which,
                               const void *value, size_t bytes) {
  auto &op = of<Matmul>(desc);
  switch (which) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return take(op.transA, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return take(op.transB, value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    take(op.epilogue, value, bytes);
    if (op.epilogue != CUBLASLT_EPILOGUE_BIAS)
      misuse(fmt::format("epilogue {}", op.epilogue));
    return CUBLAS_STATUS_SUCCESS;
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return take(op.bias, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    return take(op.biasType, value, bytes);
  default:
    misuse(fmt::format("attribute {} of a product", int(which)));
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, rows, columns, leading});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete &of<Layout>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                 cublasLtMatrixLayoutAttribute_t which,
                                 const void *value, size_t bytes) {
  auto &layout = of<Layout>(handle);
  switch (which) {
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    return take(layout.batch, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return take(layout.stride, value, bytes);
  default:
    misuse(fmt::format("attribute {} of a matrix", int(which)));
  }
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete &of<Preference>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t handle,
                                     cublasLtMatmulPreferenceAttributes_t which,
                                     const void *value, size_t bytes) {
  auto &preference = of<Preference>(handle);
  switch (which) {
  case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
    return take(preference.workspace, value, bytes);
  case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
    return take(preference.reductions, value, bytes);
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
  case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
    return take(preference.alignment[size_t(
                    which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)],
                value, bytes);
  default:
    misuse(fmt::format("preference {}", int(which)));
  }
}

} // extern "C"
