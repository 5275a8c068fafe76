//===- Driver.cpp - NVIDIA's driver, loaded at run time -------------------===//
#include "runtime/device/cuda/driver/Driver.h"

#include "runtime/device/cuda/driver/SharedLibrary.h"
#include "runtime/text/Error.h"

#include <cstdlib>

using namespace zrt;
using namespace zrt::cuda;

/// The first version with cuLibraryLoadData.
static constexpr int kOldest = 12000;

Driver::Driver(const char *library) {
  // A stream that shares a hardware queue with one that waits for another rank
  // waits as well, so each stream gets its own queue.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
  setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "32", /*overwrite=*/0);
  // Never closed, because the driver has its own threads.
  const SharedLibrary file({library}, "NVIDIA's driver");
  // The version is checked first, because an old driver lacks symbols.
  file.find("cuDriverGetVersion", DriverGetVersion);
  if (DriverGetVersion(&version) != CUDA_SUCCESS || version < kOldest)
    fail(
        "{} is of CUDA {}.{}, and this program needs {}.{} or later; install a "
        "newer driver of NVIDIA",
        library, version / 1000, version % 1000 / 10, kOldest / 1000,
        kOldest % 1000 / 10);
#define ZRT_CUDA(FUNCTION, SYMBOL) file.find(#SYMBOL, FUNCTION);
#include "runtime/device/cuda/driver/DriverFunctions.def"
  const CUresult result = Init(0);
  if (result == CUDA_ERROR_NO_DEVICE)
    fail(
        "this program was compiled with --target=cuda, and this machine has no "
        "GPU of NVIDIA that it may use ({}); look at nvidia-smi and "
        "CUDA_VISIBLE_DEVICES, or compile without --target",
        describe("cuInit", result));
  check("cuInit", result);
}

void Driver::check(std::string_view call, CUresult result) const {
  if (result != CUDA_SUCCESS)
    fail("{}", describe(call, result));
}

std::string Driver::describe(std::string_view call, CUresult result) const {
  if (constexpr std::string_view kVersion = "_v2"; call.ends_with(kVersion))
    call.remove_suffix(kVersion.size());
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(result, &name) != CUDA_SUCCESS)
    name = "an error without a name";
  if (GetErrorString(result, &text) != CUDA_SUCCESS)
    text = "nothing more is known";
  return fmt::format("{}: {} ({}): {}", call, name, int(result), text);
}
