//===- Lt.cpp - libcublasLt.so, for tests ---------------------------------===//
//
// The functions of cuBLASLt that the runtime calls.  The CPU's code executes
// products, so the bits are the same (as in a plan for --cpu=x86-64-v3).
// Arguments are checked: layouts and sizes fit, the algorithm was chosen for
// this very product and may be used, operands have the alignment promised then,
// and all memory is the device's.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include "Faults.h"
#include "LtAlgorithms.h"
#include "LtDescriptors.h"

#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/plan/Vocabulary.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

using namespace fakecuda;

namespace {

/// The GPU memory that the library takes for itself.
constexpr uint64_t kLibrary = 8 << 20;
/// The alignment of a bias that the epilogue loads as vectors.
constexpr uintptr_t kBias = 16;

zrt_dtype dtypeOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_64F:
    return ZRT_F64;
  case CUDA_R_32F:
    return ZRT_F32;
  case CUDA_R_16BF:
    return ZRT_BF16;
  case CUDA_R_16F:
    return ZRT_F16;
  default:
    misuse(fmt::format("a matrix of type {}", int(type)));
  }
}
uint64_t bytesOf(cudaDataType type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

/// Returns true if cuBLASLt's table of types contains the product.
bool isSupported(const Matmul &op, const Layout &a, const Layout &b,
                 const Layout &c) {
  const bool isDouble = a.type == CUDA_R_64F;
  if (a.type != b.type ||
      op.compute != (isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) ||
      op.scale != (isDouble ? CUDA_R_64F : CUDA_R_32F))
    return false;
  const bool isHalf = a.type == CUDA_R_16BF || a.type == CUDA_R_16F;
  if (c.type != a.type && !(isHalf && c.type == CUDA_R_32F))
    return false;
  return op.epilogue == CUBLASLT_EPILOGUE_DEFAULT || op.biasType == int(c.type);
}

/// Returns a number that identifies a product except for its addresses.
uint64_t numberOf(const Matmul &op, const Layout &a, const Layout &b,
                  const Layout &c) {
  std::string text = fmt::format("{} {} {} {}", int(op.transA), int(op.transB),
                                 op.epilogue, op.biasType);
  for (const Layout *one : {&a, &b, &c})
    text += fmt::format(" {} {} {} {} {} {}", int(one->type), one->rows,
                        one->columns, one->leading, one->batch, one->stride);
  return std::hash<std::string>()(text);
}

/// Returns the rows and columns of an operand after transposition.
std::array<uint64_t, 2> shapeOf(const Layout &layout, int32_t transposed) {
  return transposed == CUBLAS_OP_N ? std::array{layout.rows, layout.columns}
                                   : std::array{layout.columns, layout.rows};
}

void needMatrix(const char *what, const Layout &layout, const void *begin,
                uint32_t alignment) {
  if (layout.leading < int64_t(layout.rows) ||
      (layout.batch > 1 &&
       (layout.leading != int64_t(layout.rows) ||
        layout.stride != int64_t(layout.rows * layout.columns))))
    misuse(fmt::format("{} has overlapping columns, or its batch is not dense",
                       what));
  if (reinterpret_cast<uintptr_t>(begin) % alignment != 0)
    misuse(fmt::format("{} at {} is not aligned to {}, as its algorithm needs",
                       what, begin, alignment));
  needDevice(what, begin,
             uint64_t(layout.leading) * layout.columns *
                 uint64_t(layout.batch) * bytesOf(layout.type));
}

Choice choiceOf(const cublasLtMatmulAlgo_t &algorithm) {
  Choice choice;
  std::memcpy(&choice, &algorithm, sizeof(choice));
  return choice;
}

double factorAt(const void *number, cudaDataType scale) {
  return scale == CUDA_R_64F ? *static_cast<const double *>(number)
                             : double(*static_cast<const float *>(number));
}

/// Returns whether beta, which must be 0 or 1, is 1.
bool addsToOld(const void *beta, cudaDataType scale) {
  const double value = factorAt(beta, scale);
  if (value != 0 && value != 1)
    misuse(fmt::format("a beta of {}", value));
  return value == 1;
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  static const bool isLoaded = takeMemory(kLibrary); // not freed
  if (!isLoaded)
    return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = reinterpret_cast<cublasLtHandle_t>(uintptr_t{0xb1a5});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return 130000; }
const char *cublasLtGetStatusName(cublasStatus_t) { return "CUBLAS_STATUS"; }
const char *cublasLtGetStatusString(cublasStatus_t) { return "an error"; }

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t aDesc,
    cublasLtMatrixLayout_t bDesc, cublasLtMatrixLayout_t cDesc,
    cublasLtMatrixLayout_t dDesc, cublasLtMatmulPreference_t preferenceDesc,
    int wanted, cublasLtMatmulHeuristicResult_t results[], int *count) {
  const auto &op = of<Matmul>(desc);
  const auto &a = of<Layout>(aDesc), &b = of<Layout>(bDesc),
             &c = of<Layout>(cDesc);
  const auto &preference = of<Preference>(preferenceDesc);
  if (cDesc != dDesc || wanted < 1)
    misuse("other layouts for C and D, or no algorithm asked for");
  if (preference.reductions & CUBLASLT_REDUCTION_SCHEME_INPLACE)
    misuse("an algorithm may add in any order; leave out "
           "CUBLASLT_REDUCTION_SCHEME_INPLACE");
  const auto left = shapeOf(a, op.transA), right = shapeOf(b, op.transB);
  if (left[0] != c.rows || right[1] != c.columns || left[1] != right[0] ||
      a.batch != c.batch || b.batch != c.batch)
    misuse(fmt::format("{} x {} times {} x {} to {} x {}", left[0], left[1],
                       right[0], right[1], c.rows, c.columns));
  *count = 0;
  if (!isSupported(op, a, b, c))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto &algorithms = ltAlgorithms();
  for (; *count < wanted && size_t(*count) < algorithms.size(); ++*count) {
    const Choice choice = {
        numberOf(op, a, b, c),
        preference.workspace +
            (algorithms[size_t(*count)].kind == "large" ? 1 : 0),
        uint32_t(*count), preference.alignment};
    cublasLtMatmulHeuristicResult_t &result = results[*count];
    result = {};
    std::memcpy(&result.algo, &choice, sizeof(choice));
    result.workspaceSize = choice.workspace;
    result.state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                        cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                        cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t,
                        const cublasLtMatmulAlgo_t *algorithm,
                        cublasLtMatmulHeuristicResult_t *result) {
  const Choice choice = choiceOf(*algorithm);
  if (choice.product != numberOf(of<Matmul>(desc), of<Layout>(a), of<Layout>(b),
                                 of<Layout>(c)) ||
      choice.number >= ltAlgorithms().size())
    return CUBLAS_STATUS_INVALID_VALUE;
  result->workspaceSize = ltAlgorithms()[choice.number].kind == "large"
                              ? SIZE_MAX
                              : choice.workspace;
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

/// Algorithms are without parts.
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algorithm,
    cublasLtMatmulAlgoConfigAttributes_t attribute, void *value, size_t size,
    size_t *written) {
  if (!algorithm || size != sizeof(int32_t))
    misuse("an attribute of an algorithm is asked for as another type");
  const Choice choice = choiceOf(*algorithm);
  const LtAlgorithm &one = ltAlgorithms().at(choice.number);
  const int32_t number = attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM ? 1
                         : attribute == CUBLASLT_ALGO_CONFIG_ID
                             ? int32_t(choice.number)
                         : attribute == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME &&
                                 one.kind == "inplace"
                             ? int32_t(CUBLASLT_REDUCTION_SCHEME_INPLACE)
                             : 0;
  std::memcpy(value, &number, sizeof(number));
  *written = sizeof(number);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
                              const void *alpha, const void *aBegin,
                              cublasLtMatrixLayout_t aDesc, const void *bBegin,
                              cublasLtMatrixLayout_t bDesc, const void *beta,
                              const void *cBegin, cublasLtMatrixLayout_t cDesc,
                              void *dBegin, cublasLtMatrixLayout_t dDesc,
                              const cublasLtMatmulAlgo_t *algorithm,
                              void *workspace, size_t workspaceBytes,
                              cudaStream_t stream) {
  const auto &op = of<Matmul>(desc);
  const auto &a = of<Layout>(aDesc), &b = of<Layout>(bDesc),
             &c = of<Layout>(cDesc);
  const Choice choice = choiceOf(*algorithm);
  if (choice.product != numberOf(op, a, b, c) || cDesc != dDesc ||
      cBegin != dBegin)
    misuse("a product with the algorithm of another");
  needMatrix("A", a, aBegin, choice.alignment[0]);
  needMatrix("B", b, bBegin, choice.alignment[1]);
  needMatrix("D", c, dBegin, choice.alignment[3]);
  const std::string &kind = ltAlgorithms().at(choice.number).kind;
  if (kind == "refused")
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (kind == "inplace")
    misuse("a product that adds in any order");
  if (workspaceBytes < choice.workspace)
    misuse("a workspace that is smaller than its algorithm needs");
  if (workspaceBytes != 0)
    needDevice("the workspace", workspace, workspaceBytes);
  const bool hasBias = op.epilogue == CUBLASLT_EPILOGUE_BIAS;
  if (hasBias) {
    needDevice("the bias", op.bias, c.rows * bytesOf(c.type));
    if (reinterpret_cast<uintptr_t>(op.bias) % kBias != 0)
      misuse(fmt::format("a bias at {}, which is not aligned to {}", op.bias,
                         kBias));
  }
  // Row-major interpretation of column-major matrices: A and B are exchanged.
  zrt_matmul_desc d = {};
  d.name = "cublasLtMatmul";
  d.trans_a = op.transB != CUBLAS_OP_N;
  d.trans_b = op.transA != CUBLAS_OP_N;
  d.has_bias = hasBias;
  d.scale = factorAt(alpha, op.scale);
  d.accumulate = addsToOld(beta, op.scale);
  d.batch = c.batch;
  d.m = int64_t(c.columns);
  d.n = int64_t(c.rows);
  d.k = int64_t(shapeOf(a, op.transA)[1]);
  d.lda = b.leading;
  d.ldb = a.leading;
  d.ldc = c.leading;
  d.a.dtype = dtypeOf(b.type);
  d.b.dtype = dtypeOf(a.type);
  d.c.dtype = d.bias.dtype = dtypeOf(c.type);
  fakecuda::issue(reinterpret_cast<CUstream>(stream), "cublasLtMatmul",
                  [d, aBegin, bBegin, dBegin, workspace, workspaceBytes,
                   bias = op.bias, number = choice.number] {
                    static zrt::Team team(1);
                    // The workspace's contents are undefined afterwards.
                    if (workspaceBytes != 0)
                      std::memset(workspace, 0xff, workspaceBytes);
                    noteMatmul(number, d.m, d.n, d.k);
                    zrt::runMatmul(d, bBegin, aBegin, bias, dBegin, team);
                    spoil("cublasLtMatmul", dBegin, zrt::dtypeBytes(d.c.dtype));
                  });
  return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
