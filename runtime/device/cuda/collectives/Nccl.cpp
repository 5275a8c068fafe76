//===- Nccl.cpp - NVIDIA's NCCL, loaded at run time -----------------------===//
#include "runtime/device/cuda/collectives/Nccl.h"

#include "runtime/device/cuda/collectives/NcclMemory.h"
#include "runtime/device/cuda/driver/SharedLibrary.h"
#include "runtime/text/Error.h"

#include <cstdlib>
#include <string_view>

using namespace zrt;
using namespace zrt::cuda;

/// The first version that can create all communicators without blocking and
/// accepts the config of any header.
static constexpr int kOldest = NCCL_VERSION(2, 18, 1);

/// The first versions with NCCL_LAUNCH_ORDER_IMPLICIT and NCCL_RUNTIME_CONNECT.
static constexpr int kOrdered = NCCL_VERSION(2, 26, 1),
                     kConnects = NCCL_VERSION(2, 22, 3);

/// Sets a variable of NCCL's; throws if the user has set it to something else.
static void needVariable(const char *name, const char *value,
                         const char *otherwise) {
  setenv(name, value, /*overwrite=*/0);
  if (const char *has = std::getenv(name); std::string_view(has) != value)
    fail("{} is {}, and this program needs {}, as {}; unset it", name, has,
         value, otherwise);
}

static std::string show(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100,
                     version % 100);
}

Nccl::Nccl(const char *library) {
  const SharedLibrary file({library}, "NVIDIA's NCCL (--collectives=nccl)");
  // The version is checked first, because an old library lacks symbols.
  file.find("ncclGetVersion", GetVersion);
  int version = 0;
  if (GetVersion(&version) != ncclSuccess || version < kOldest)
    fail("{} is NCCL {}, and this program needs {} or later; install a newer "
         "one, or compile with --collectives=host",
         library, show(version), show(kOldest));
  shownVersion = show(version);
  isOrdered = version >= kOrdered;
  if (isOrdered)
    needVariable("NCCL_LAUNCH_ORDER_IMPLICIT", "1",
                 "GPUs may else wait for each other");
  if (version >= kConnects)
    needVariable("NCCL_RUNTIME_CONNECT", "0",
                 "NCCL would else connect in a step, and wait for the GPU");
  needVariable("NCCL_SET_STACK_SIZE", "1",
               "NCCL's kernels would else wait for the GPU in a step");
  // For sums by switches, of which there are none here: 256 MiB and more.
  setenv("NCCL_NVLS_ENABLE", "0", /*overwrite=*/0);
  // 32 between each two of 8 GPUs took 3.3 GB for each communicator.
  setenv("NCCL_MAX_P2P_NCHANNELS", std::to_string(ncclChannels()).c_str(),
         /*overwrite=*/0);
#define ZRT_NCCL(FUNCTION, SYMBOL) file.find(#SYMBOL, FUNCTION);
#include "runtime/device/cuda/collectives/NcclFunctions.def"
}

std::string Nccl::describe(const char *call, ncclResult_t result,
                           ncclComm_t of) const {
  const char *text = GetErrorString(result), *more = GetLastError(of);
  return fmt::format("{}: {}{}{}; NCCL_DEBUG=WARN says more", call,
                     text ? text : "an error without a name",
                     more && *more ? ": " : "", more && *more ? more : "");
}
