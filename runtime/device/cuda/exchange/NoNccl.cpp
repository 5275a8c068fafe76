//===- NoNccl.cpp - Stub for builds without NCCL --------------------------===//
#include "runtime/device/cuda/exchange/Exchange.h"

#include "runtime/text/Error.h"

using namespace zrt;
using namespace zrt::cuda;

std::shared_ptr<Exchange>
cuda::makeNcclExchange(const ExchangeDevice & /*device*/) {
  fail("this build of zeroc has no NCCL, which the program was compiled for; "
       "compile with --collectives=direct or host, or build zeroc where nccl.h "
       "is");
}
