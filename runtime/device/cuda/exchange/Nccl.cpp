//===- Nccl.cpp - NVIDIA's NCCL, loaded at run time -----------------------===//
#include "runtime/device/cuda/exchange/Nccl.h"

#include "runtime/Error.h"
#include "runtime/device/cuda/driver/SharedLibrary.h"

#include <cstdlib>
#include <string_view>

using namespace zrt;
using namespace zrt::cuda;

/// The first version that can create all communicators without blocking and
/// accepts the config of any header.
static constexpr int kOldest = NCCL_VERSION(2, 18, 1);

/// The first version with NCCL_LAUNCH_ORDER_IMPLICIT.
static constexpr int kOrdered = NCCL_VERSION(2, 26, 1);

/// Sets a variable of NCCL's; throws if the user has set it to something else.
static void needVariable(const char *name, const char *value) {
  setenv(name, value, /*overwrite=*/0);
  if (const char *has = std::getenv(name); std::string_view(has) != value)
    fail("{} is {}, and this program needs {}, as NCCL would else wait for the "
         "GPU in a step; unset it",
         name, has, value);
}

static std::string show(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100,
                     version % 100);
}

Nccl::Nccl(const char *library) {
  needVariable("NCCL_RUNTIME_CONNECT", "0");
  needVariable("NCCL_SET_STACK_SIZE", "1");
  needVariable("NCCL_LAUNCH_ORDER_IMPLICIT", "1");
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
#define ZRT_NCCL(FUNCTION, SYMBOL) file.find(#SYMBOL, FUNCTION);
#include "runtime/device/cuda/exchange/NcclFunctions.def"
}

std::string Nccl::describe(const char *call, ncclResult_t result,
                           ncclComm_t of) const {
  const char *text = GetErrorString(result), *more = GetLastError(of);
  return fmt::format("{}: {}{}{}; NCCL_DEBUG=WARN says more", call,
                     text ? text : "an error without a name",
                     more && *more ? ": " : "", more && *more ? more : "");
}
