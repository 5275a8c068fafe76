//===- LtProduct.h - A product in the terms of cuBLASLt ---------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/MatmulPieces.h"
#include "runtime/device/cuda/driver/Driver.h"
#include "runtime/plan/PlanTable.h"

#include <cstdint>
#include <cublasLt.h>
#include <string>
#include <vector>

namespace zrt::cuda {

/// cuBLASLt, loaded at run time.
class LtLibrary {
public:
  /// Throws zrt::Error if the library that `driver` needs is not there.
  explicit LtLibrary(const Driver &driver);
  ~LtLibrary() { (void)raw.Destroy(handle); }
  LtLibrary(const LtLibrary &) = delete;
  LtLibrary &operator=(const LtLibrary &) = delete;

  /// Throws unless `status`, the return value of `call`, is success.
  void check(const char *call, cublasStatus_t status) const;

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

/// Returns true if the bias is widened.
bool widensBias(const zrt_matmul_desc &d);

/// A product: its descriptors and its algorithm.
class LtProduct {
public:
  /// cuBLASLt may use `theWorkspaceBytes`.
  LtProduct(const LtLibrary &library, const zrt_matmul_desc &desc,
            uint64_t theWorkspaceBytes)
      : d(desc), workspaceBytes(theWorkspaceBytes), lt(library) {}
  ~LtProduct();
  LtProduct(const LtProduct &) = delete;
  LtProduct &operator=(const LtProduct &) = delete;

  /// Makes the descriptors.
  void describe();
  /// Returns up to `most` algorithms, those first that cuBLASLt's heuristic
  /// takes for the fastest.  Throws zrt::Error if there is none.
  std::vector<cublasLtMatmulAlgo_t> candidates(int most) const;
  /// Uses `one`, which was chosen in another process.  Throws zrt::Error if
  /// cuBLASLt does not have it, or `candidates` would not return it.
  void take(const cublasLtMatmulAlgo_t &one);
  /// Issues the product to `stream`; cuBLASLt uses the memory at `workspace`.
  /// The bias is of the type that it was described with.
  cublasStatus_t issue(CUstream stream, const MatmulOperands &operands,
                       CUdeviceptr workspace) const;
  /// Returns all that the choice of an algorithm depends on.
  std::string name() const;
  /// Describes the algorithm: "algorithm 66, tile 20, stages 7".
  std::string text() const;

  const zrt_matmul_desc d;
  const uint64_t workspaceBytes;
  cublasLtMatmulAlgo_t algorithm = {};

private:
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

  /// Whether an algorithm fits the workspace and adds in one order.
  bool isUsable(const cublasLtMatmulHeuristicResult_t &found) const;

  const LtLibrary &lt;
  cublasLtMatmulDesc_t operation = nullptr;
  /// B, A and C of the plan.
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
};

} // namespace zrt::cuda
