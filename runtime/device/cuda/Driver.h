//===- Driver.h - NVIDIA's driver, loaded at run time -----------*- C++ -*-===//
//
// A training binary for GPUs starts on machines without one and says what is
// missing: libcuda.so.1 is opened by name, and its functions are kept in a table.
//
//   driver.MemRelease(handle)            CUresult, as in cuda.h
//   driver.check("cuMemRelease", ...)    throws, with the error's name and text
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cuda.h>

#include <string>

namespace zrt::cuda {

class Driver {
public:
  /// Opens `library` and initializes it.  Throws zrt::Error, which says what is
  /// missing.
  explicit Driver(const char *library = "libcuda.so.1");

  /// Throws unless `result`, what `call` returned, is success.
  void check(const char *call, CUresult result) const;
  /// "cuMemMap: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
  std::string describe(const char *call, CUresult result) const;

  // NOLINTNEXTLINE(bugprone-macro-parentheses)
#define ZRT_CUDA(FUNCTION, SYMBOL) decltype(&::SYMBOL) FUNCTION = nullptr;
#include "runtime/device/cuda/DriverFunctions.def"
};

} // namespace zrt::cuda
