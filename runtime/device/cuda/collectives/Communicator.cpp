//===- Communicator.cpp - Connects ranks by NCCL --------------------------===//
#include "runtime/device/cuda/collectives/Communicator.h"

#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <thread>

using namespace zrt;
using namespace zrt::cuda;
using Lock = std::lock_guard<std::mutex>;

namespace {

/// The longest wait for peers at the end; they may have ended as well.
constexpr std::chrono::seconds kFarewell{5};

bool isFine(ncclResult_t result) {
  return result == ncclSuccess || result == ncclInProgress;
}

/// Sleeps longer each time, so that short waits end quickly.
class Nap {
public:
  void take() {
    std::this_thread::sleep_for(length);
    length = std::min(2 * length, std::chrono::microseconds(1000));
  }

private:
  std::chrono::microseconds length{5};
};

} // namespace

Communicator::~Communicator() {
  if (!handle)
    return;
  // Peers may still wait for data from this rank.
  ncclResult_t result = nccl.CommFinalize(handle);
  const auto end = Clock::now() + kFarewell;
  Nap nap;
  while (result == ncclInProgress && Clock::now() < end) {
    nap.take();
    if (nccl.CommGetAsyncError(handle, &result) != ncclSuccess)
      break;
  }
  if (result == ncclSuccess)
    (void)nccl.CommDestroy(handle);
  else
    (void)nccl.CommAbort(handle);
}

void Communicator::begin(const char *what,
                         const std::function<ncclResult_t()> &call) {
  const Lock lock(mutex);
  if (isAborted)
    fail("{}: it was given up, as something has failed", what);
  if (const ncclResult_t result = call(); !isFine(result))
    fail("{}: {}", what, nccl.describe("NCCL", result, handle));
}

void Communicator::settle(const char *what) {
  Nap nap;
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) {
    begin(what, [&] {
      const ncclResult_t asked = nccl.CommGetAsyncError(handle, &state);
      return isFine(asked) ? state : asked;
    });
    if (state == ncclInProgress)
      nap.take();
  }
}

void Communicator::connect(const ncclUniqueId &id, int rank, int ranks) {
  const char *what = "connecting ranks";
  begin(what, [&] {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return nccl.CommInitRankConfig(&handle, ranks, id, rank, &config);
  });
  settle(what);
}

void Communicator::issue(const char *what, const Calls &calls) {
  begin(what, [&] { return calls(handle); });
  settle(what);
}

void Communicator::abort() {
  const Lock lock(mutex);
  isAborted = true;
  if (handle)
    (void)nccl.CommAbort(handle);
  handle = nullptr;
}

std::string Communicator::failure() {
  // A thread in a call of NCCL may wait for the driver: the watch goes on with
  // other lanes, and asks again.
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock || !handle)
    return "";
  ncclResult_t result = ncclSuccess;
  const ncclResult_t asked = nccl.CommGetAsyncError(handle, &result);
  if (isFine(asked) && isFine(result))
    return "";
  return nccl.describe("NCCL", isFine(result) ? asked : result, handle);
}
