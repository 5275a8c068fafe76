//===- LtProduct.cpp - A product in the terms of cuBLASLt -----------------===//
#include "runtime/device/cuda/LtProduct.h"

#include "runtime/device/cuda/driver/SharedLibrary.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include <bit>
#include <vector>

using namespace zrt;
using namespace zrt::cuda;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

/// Returns the versions that run with this driver, the newest first; the
/// functions below are the same in all of them.
static std::vector<const char *> filesFor(const Driver &driver) {
  constexpr int kOf13 = 13000; // r580
  if (driver.version >= kOf13)
    return {"libcublasLt.so.13", "libcublasLt.so.12"};
  return {"libcublasLt.so.12"};
}

LtLibrary::LtLibrary(const Driver &driver) {
  const SharedLibrary file(filesFor(driver), "NVIDIA's cuBLASLt");
#define ZRT_LT(FUNCTION) file.find("cublasLt" #FUNCTION, raw.FUNCTION);
#include "runtime/device/cuda/LtFunctions.def"
  Create(&handle);
}

void LtLibrary::check(const char *call, cublasStatus_t status) const {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail("{}: {} ({}): {}", call, raw.GetStatusName(status), int(status),
         raw.GetStatusString(status));
}

//===----------------------------------------------------------------------===//
// One product
//===----------------------------------------------------------------------===//

static bool is16Bit(zrt_dtype dtype) {
  return dtype == ZRT_BF16 || dtype == ZRT_F16;
}

bool zrt::cuda::widensBias(const zrt_matmul_desc &d) {
  return d.has_bias && is16Bit(d.bias.dtype) && d.c.dtype == ZRT_F32;
}

namespace {

/// Parts of a sum are added in one order, and not rounded before.
constexpr int32_t kReductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

cudaDataType_t typeOf(zrt_dtype dtype) {
  switch (dtype) {
  case ZRT_F64:
    return CUDA_R_64F;
  case ZRT_F32:
    return CUDA_R_32F;
  case ZRT_BF16:
    return CUDA_R_16BF;
  default:
    return CUDA_R_16F;
  }
}

/// Returns the largest power of two, at most 256 (the alignment of arenas),
/// that divides the operand's offset and the distance of its matrices.
uint32_t alignmentOf(const zrt_operand &operand, const zrt_matmul_desc &d,
                     int64_t elements) {
  uint64_t places = operand.ref.offset | 256;
  if (d.batch > 1)
    places |= uint64_t(elements) * dtypeBytes(operand.dtype);
  return uint32_t{1} << std::countr_zero(places);
}

} // namespace

LtProduct::~LtProduct() {
  if (operation)
    (void)lt.raw.MatmulDescDestroy(operation);
  if (preference)
    (void)lt.raw.MatmulPreferenceDestroy(preference);
  for (const cublasLtMatrixLayout_t layout : {first, second, result})
    if (layout)
      (void)lt.raw.MatrixLayoutDestroy(layout);
}

cublasLtMatrixLayout_t LtProduct::layoutOf(zrt_dtype dtype,
                                           const StoredMatrix &matrix) const {
  cublasLtMatrixLayout_t layout = nullptr;
  lt.MatrixLayoutCreate(&layout, typeOf(dtype), uint64_t(matrix.columns),
                        uint64_t(matrix.rows), matrix.ld);
  const auto set = [&](cublasLtMatrixLayoutAttribute_t attribute,
                       const auto &value) {
    lt.MatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value));
  };
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t(d.batch));
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.rows * matrix.ld);
  return layout;
}

void LtProduct::describe() {
  const bool isDouble = d.a.dtype == ZRT_F64;
  lt.MatmulDescCreate(&operation,
                      isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                      isDouble ? CUDA_R_64F : CUDA_R_32F);
  const auto transposition = [](uint32_t is) {
    return int32_t(is ? CUBLAS_OP_T : CUBLAS_OP_N);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, transposition(d.trans_b));
  set(CUBLASLT_MATMUL_DESC_TRANSB, transposition(d.trans_a));
  if (d.has_bias) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
        int32_t(typeOf(widensBias(d) ? d.c.dtype : d.bias.dtype)));
  }
  first = layoutOf(d.b.dtype, storedB(d));
  second = layoutOf(d.a.dtype, storedA(d));
  result = layoutOf(d.c.dtype, storedC(d));
  lt.MatmulPreferenceCreate(&preference);
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes);
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t(kReductions));
  const uint32_t ofResult = alignmentOf(d.c, d, d.m * d.n);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
         alignmentOf(d.b, d, d.k * d.n));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
         alignmentOf(d.a, d, d.m * d.k));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, ofResult);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, ofResult);
}

static int32_t numberOf(const LtLibrary &lt,
                        const cublasLtMatmulAlgo_t &algorithm,
                        cublasLtMatmulAlgoConfigAttributes_t attribute) {
  int32_t value = 0;
  size_t written = 0;
  lt.MatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof(value),
                                  &written);
  return value;
}

bool LtProduct::isUsable(const cublasLtMatmulHeuristicResult_t &found) const {
  return found.state == CUBLAS_STATUS_SUCCESS &&
         found.workspaceSize <= workspaceBytes &&
         (numberOf(lt, found.algo, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME) &
          ~kReductions) == 0;
}

std::vector<cublasLtMatmulAlgo_t> LtProduct::candidates(int most) const {
  std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<size_t>(most));
  int count = 0;
  const cublasStatus_t status = lt.raw.MatmulAlgoGetHeuristic(
      lt.handle, operation, first, second, result, result, preference, most,
      found.data(), &count);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED)
    lt.check("cublasLtMatmulAlgoGetHeuristic", status);
  std::vector<cublasLtMatmulAlgo_t> usable;
  for (int i = 0; i < count; ++i)
    if (isUsable(found[size_t(i)]))
      usable.push_back(found[size_t(i)].algo);
  if (usable.empty())
    fail("cuBLASLt has no product of {} and {} to {}{}, {} x {} x {}",
         dtypeName(d.a.dtype), dtypeName(d.b.dtype), dtypeName(d.c.dtype),
         d.has_bias ? fmt::format(" with a bias of {}", dtypeName(d.bias.dtype))
                    : "",
         d.m, d.n, d.k);
  return usable;
}

void LtProduct::take(const cublasLtMatmulAlgo_t &one) {
  cublasLtMatmulHeuristicResult_t found = {};
  const cublasStatus_t status = lt.raw.MatmulAlgoCheck(
      lt.handle, operation, first, second, result, result, &one, &found);
  found.algo = one;
  if (status != CUBLAS_STATUS_SUCCESS || !isUsable(found))
    fail("cuBLASLt refuses the algorithm that was chosen for {}: {} ({})",
         name(), lt.raw.GetStatusName(status), int(status));
  algorithm = one;
}

cublasStatus_t LtProduct::issue(CUstream stream, const MatmulOperands &operands,
                                CUdeviceptr workspace) const {
  const auto pointer = [](CUdeviceptr address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void *>(address);
  };
  if (d.has_bias)
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointer(operands.bias));
  const bool isDouble = d.a.dtype == ZRT_F64;
  const double one = 1, zero = 0;
  const float floatOne = 1, floatZero = 0, floatScale = float(d.scale);
  const auto number = [&](const double &wide, const float &narrow) {
    return isDouble ? static_cast<const void *>(&wide) : &narrow;
  };
  return lt.raw.Matmul(lt.handle, operation, number(d.scale, floatScale),
                       pointer(operands.b), first, pointer(operands.a), second,
                       d.accumulate ? number(one, floatOne)
                                    : number(zero, floatZero),
                       pointer(operands.c), result, pointer(operands.c), result,
                       &algorithm, pointer(workspace), workspaceBytes,
                       reinterpret_cast<cudaStream_t>(stream));
}

std::string LtProduct::name() const {
  return fmt::format(
      "{}{} x {} x {}, {} A{} B{} to {}{}{}, rows of {} {} {}, aligned to {} "
      "{} {}, workspace of {}",
      d.batch == 1 ? "" : fmt::format("{} times ", d.batch), d.m, d.n, d.k,
      dtypeName(d.a.dtype), d.trans_a ? "'" : "", d.trans_b ? "'" : "",
      dtypeName(d.c.dtype),
      d.has_bias ? fmt::format(" + bias of {}", dtypeName(d.bias.dtype)) : "",
      d.accumulate ? " + C" : "", storedA(d).ld, storedB(d).ld, storedC(d).ld,
      alignmentOf(d.a, d, d.m * d.k), alignmentOf(d.b, d, d.k * d.n),
      alignmentOf(d.c, d, d.m * d.n), workspaceBytes);
}

std::string LtProduct::text() const {
  const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
    return numberOf(lt, algorithm, attribute);
  };
  const int32_t splits = number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  return fmt::format("algorithm {}, tile {}, stages {}{}",
                     number(CUBLASLT_ALGO_CONFIG_ID),
                     number(CUBLASLT_ALGO_CONFIG_TILE_ID),
                     number(CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     splits > 1 ? fmt::format(", k in {} parts", splits) : "");
}
