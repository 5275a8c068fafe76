//===- NoNccl.cpp - Stub for builds without NCCL --------------------------===//
#include "runtime/device/cuda/collectives/Backend.h"

#include "runtime/text/Error.h"

using namespace zrt;
using namespace zrt::cuda;

std::shared_ptr<Backend>
cuda::makeNcclBackend(const CollectiveDevice & /*device*/) {
  fail("this build of zeroc has no NCCL, which the program was compiled for; "
       "compile with --collectives=direct or host, or build zeroc where nccl.h "
       "is");
}
