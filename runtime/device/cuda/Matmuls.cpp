//===- Matmuls.cpp - Matmuls on a GPU -------------------------------------===//
#include "runtime/device/cuda/Matmuls.h"

#include "abi/DeviceEntries.h"
#include "runtime/device/cuda/MatmulPieces.h"
#include "runtime/device/cuda/driver/SharedLibrary.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <array>
#include <bit>
#include <cublasLt.h>
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

struct Matmuls::Library {
  explicit Library(const Driver &driver) {
    const SharedLibrary file(filesFor(driver), "NVIDIA's cuBLASLt");
#define ZRT_LT(FUNCTION) file.find("cublasLt" #FUNCTION, raw.FUNCTION);
#include "runtime/device/cuda/LtFunctions.def"
    Create(&handle);
  }
  ~Library() { (void)raw.Destroy(handle); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  void check(const char *call, cublasStatus_t status) const {
    if (status != CUBLAS_STATUS_SUCCESS)
      fail("{}: {} ({}): {}", call, raw.GetStatusName(status), int(status),
           raw.GetStatusString(status));
  }

  /// The functions as in cublasLt.h.
  struct {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZRT_LT(FUNCTION) decltype(&::cublasLt##FUNCTION) FUNCTION = nullptr;
#include "runtime/device/cuda/LtFunctions.def"
  } raw;
  /// Calls a function; throws zrt::Error unless it succeeds.
#define ZRT_LT(FUNCTION)                                                       \
  template <typename... Args>                                                  \
  void FUNCTION(Args... args) const {                                          \
    check("cublasLt" #FUNCTION, raw.FUNCTION(args...));                        \
  }
#include "runtime/device/cuda/LtFunctions.def"
  cublasLtHandle_t handle = nullptr;
};

namespace {

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

bool is16Bit(zrt_dtype dtype) { return dtype == ZRT_BF16 || dtype == ZRT_F16; }

/// Returns true if the bias is widened.
bool widensBias(const zrt_matmul_desc &d) {
  return d.has_bias && is16Bit(d.bias.dtype) && d.c.dtype == ZRT_F32;
}

/// Returns true if the bias is copied to an address where cuBLASLt can load it
/// as vectors.
bool movesBias(const zrt_matmul_desc &d) {
  constexpr uint64_t kVector = 16;
  return d.has_bias && !widensBias(d) && d.bias.ref.offset % kVector != 0;
}

/// Returns the bytes of a bias that is copied into the workspace; otherwise 0.
uint64_t biasBytes(const zrt_matmul_desc &d) {
  constexpr uint64_t kAlignment = 256;
  if (widensBias(d))
    return roundUp(uint64_t(d.n) * sizeof(float), kAlignment);
  return movesBias(d)
             ? roundUp(uint64_t(d.n) * dtypeBytes(d.bias.dtype), kAlignment)
             : 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// One product
//===----------------------------------------------------------------------===//

struct Matmuls::Matmul {
  Matmul(const Library &library, const zrt_matmul_desc &desc)
      : d(desc), lt(library) {}
  ~Matmul() {
    if (operation)
      (void)lt.raw.MatmulDescDestroy(operation);
    if (preference)
      (void)lt.raw.MatmulPreferenceDestroy(preference);
    for (const cublasLtMatrixLayout_t layout : {first, second, result})
      if (layout)
        (void)lt.raw.MatrixLayoutDestroy(layout);
  }
  Matmul(const Matmul &) = delete;
  Matmul &operator=(const Matmul &) = delete;

  void describe();
  void choose(uint64_t workspaceBytes);
  /// Describes the algorithm: "algorithm 66, tile 20, stages 7".
  std::string text() const;

  /// Describes a row-major matrix of rows x columns as a column-major one.
  cublasLtMatrixLayout_t layoutOf(zrt_dtype dtype,
                                  const StoredMatrix &matrix) const;
  template <typename T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T &value) const {
    lt.MatmulDescSetAttribute(operation, attribute,
                              static_cast<const void *>(&value), sizeof(value));
  }
  template <typename T>
  void prefer(cublasLtMatmulPreferenceAttributes_t attribute,
              const T &value) const {
    lt.MatmulPreferenceSetAttribute(preference, attribute, &value,
                                    sizeof(value));
  }

  const zrt_matmul_desc d;
  const Library &lt;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  /// B, A and C of the plan.
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

cublasLtMatrixLayout_t
Matmuls::Matmul::layoutOf(zrt_dtype dtype, const StoredMatrix &matrix) const {
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

void Matmuls::Matmul::describe() {
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
}

void Matmuls::Matmul::choose(uint64_t workspaceBytes) {
  lt.MatmulPreferenceCreate(&preference);
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspaceBytes);
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
         uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  const uint32_t result = alignmentOf(d.c, d, d.m * d.n);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
         alignmentOf(d.b, d, d.k * d.n));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
         alignmentOf(d.a, d, d.m * d.k));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, result);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, result);
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  const cublasStatus_t status = lt.raw.MatmulAlgoGetHeuristic(
      lt.handle, operation, first, second, this->result, this->result,
      preference, 1, &found, &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED ||
      (status == CUBLAS_STATUS_SUCCESS && count == 0))
    fail("cuBLASLt has no product of {} and {} to {}{}, {} x {} x {}",
         dtypeName(d.a.dtype), dtypeName(d.b.dtype), dtypeName(d.c.dtype),
         d.has_bias ? fmt::format(" with a bias of {}", dtypeName(d.bias.dtype))
                    : "",
         d.m, d.n, d.k);
  lt.check("cublasLtMatmulAlgoGetHeuristic", status);
  lt.check("cublasLtMatmulAlgoGetHeuristic", found.state);
  algorithm = found.algo;
}

std::string Matmuls::Matmul::text() const {
  const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
    int32_t value = 0;
    size_t written = 0;
    lt.MatmulAlgoConfigGetAttribute(&algorithm, attribute, &value,
                                    sizeof(value), &written);
    return value;
  };
  const int32_t splits = number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  return fmt::format("algorithm {}, tile {}, stages {}{}",
                     number(CUBLASLT_ALGO_CONFIG_ID),
                     number(CUBLASLT_ALGO_CONFIG_TILE_ID),
                     number(CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     splits > 1 ? fmt::format(", k in {} parts", splits) : "");
}

//===----------------------------------------------------------------------===//
// All products
//===----------------------------------------------------------------------===//

Matmuls::Matmuls(const Gpu &theGpu, const Kernels &theKernels,
                 CUdeviceptr theWorkspace, uint64_t bytes)
    : gpu(theGpu), kernels(theKernels), workspace(theWorkspace),
      workspaceBytes(bytes) {}

Matmuls::~Matmuls() = default;

static bool isEmpty(const zrt_matmul_desc &d) {
  return d.batch == 0 || d.m == 0 || d.n == 0;
}

uint64_t Matmuls::workspaceOf(const zrt_matmul_desc &desc) const {
  return workspaceBytes - biasBytes(desc);
}

CUdeviceptr Matmuls::copyBias(CUstream stream, const zrt_matmul_desc &desc,
                              CUdeviceptr bias) const {
  const CUdeviceptr copy = workspace + workspaceOf(desc);
  if (!widensBias(desc)) {
    gpu.MemcpyAsync(copy, bias, uint64_t(desc.n) * dtypeBytes(desc.bias.dtype),
                    stream);
    return copy;
  }
  const uint64_t parameters[] = {bias, copy, uint64_t(desc.n)};
  kernels.launch(stream, kernels.find(widenEntry(dtypeName(desc.bias.dtype))),
                 desc.n, parameters);
  return copy;
}

void Matmuls::prepare(const zrt_matmul_desc &desc) {
  if (isEmpty(desc))
    return;
  if (desc.k == 0)
    fail(
        "k is 0, and this device multiplies matrices with at least one column");
  if (desc.batch > INT32_MAX)
    fail("{} products at once, and this device does at most {}", desc.batch,
         INT32_MAX);
  if (biasBytes(desc) > workspaceBytes)
    fail("its bias of {} is copied to {} bytes of the workspace, which has {}; "
         "compile the model again",
         dtypeName(desc.bias.dtype), biasBytes(desc), workspaceBytes);
  if (widensBias(desc))
    (void)kernels.find(widenEntry(dtypeName(desc.bias.dtype)));
  const std::lock_guard<std::mutex> lock(mutex);
  gpu.enter();
  if (!library)
    library = std::make_unique<Library>(gpu.driver());
  std::vector<std::unique_ptr<Matmul>> &parts = products[&desc];
  for (const zrt_matmul_desc &part : piecesOf(desc)) {
    parts.push_back(std::make_unique<Matmul>(*library, part));
    parts.back()->describe();
    parts.back()->choose(workspaceOf(part));
  }
}

std::string Matmuls::text(const zrt_matmul_desc &desc) const {
  std::string result;
  const auto found = products.find(&desc);
  if (found != products.end())
    for (const auto &part : found->second) {
      if (!result.empty())
        result += ", and ";
      if (found->second.size() > 1)
        result +=
            fmt::format("{} x {} x {} by ", part->d.m, part->d.n, part->d.k);
      result += part->text();
    }
  return result;
}

void Matmuls::run(CUstream stream, const zrt_matmul_desc &desc, CUdeviceptr a,
                  CUdeviceptr b, CUdeviceptr bias, CUdeviceptr c) const {
  if (isEmpty(desc))
    return;
  for (const auto &part : products.at(&desc)) {
    const auto within = [](CUdeviceptr address, const zrt_operand &of,
                           const zrt_operand &whole) {
      return address + (of.ref.offset - whole.ref.offset);
    };
    const zrt_matmul_desc &d = part->d;
    run(stream, *part, within(a, d.a, desc.a), within(b, d.b, desc.b),
        within(bias, d.bias, desc.bias), within(c, d.c, desc.c));
  }
}

void Matmuls::run(CUstream stream, const Matmul &product, CUdeviceptr a,
                  CUdeviceptr b, CUdeviceptr bias, CUdeviceptr c) const {
  const zrt_matmul_desc &desc = product.d;
  const auto pointer = [](CUdeviceptr address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void *>(address);
  };
  if (biasBytes(desc) != 0)
    bias = copyBias(stream, desc, bias);
  if (desc.has_bias)
    product.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, pointer(bias));
  const bool isDouble = desc.a.dtype == ZRT_F64;
  const double one = 1, zero = 0;
  const float floatOne = 1, floatZero = 0;
  const auto number = [&](const double &wide, const float &narrow) {
    return isDouble ? static_cast<const void *>(&wide) : &narrow;
  };
  library->Matmul(library->handle, product.operation, number(one, floatOne),
                  pointer(b), product.first, pointer(a), product.second,
                  desc.accumulate ? number(one, floatOne)
                                  : number(zero, floatZero),
                  pointer(c), product.result, pointer(c), product.result,
                  &product.algorithm, pointer(workspace), workspaceOf(desc),
                  reinterpret_cast<cudaStream_t>(stream));
}
