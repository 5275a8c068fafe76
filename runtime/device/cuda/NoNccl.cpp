//===- NoNccl.cpp - For builds without NCCL -------------------------------===//
#include "runtime/device/cuda/ConnectNccl.h"

#include "runtime/Error.h"

using namespace zrt;
using namespace zrt::cuda;

Connect cuda::openNccl(const NcclDevice & /*device*/) {
  fail("this build of zeroc has no NCCL, which the program was compiled for; "
       "compile with --collectives=host, or build zeroc where nccl.h is");
}
