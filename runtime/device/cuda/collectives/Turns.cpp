//===- Turns.cpp - One order of collectives on all ranks ------------------===//
#include "runtime/device/cuda/collectives/Turns.h"

#include "runtime/plan/PlanTable.h"

using namespace zrt;
using namespace zrt::cuda;

Turns::Turns(const zrt_plan &plan) {
  for (uint32_t i = 0; i < ZRT_PROGRAM_COUNT; ++i)
    for (const zrt_op &op : opsOf(plan.programs[i]))
      if (op.kind == ZRT_COLLECTIVE)
        orders[i].push_back(op.stream);
}

void Turns::begin(uint32_t program) {
  const std::lock_guard<std::mutex> lock(mutex);
  order = &orders[program];
  next = 0;
}

bool Turns::await(zrt_stream stream) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] {
    return isGivenUp || (next < order->size() && (*order)[next] == stream);
  });
  return !isGivenUp;
}

void Turns::pass() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ++next;
  }
  changed.notify_all();
}

void Turns::giveUp() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isGivenUp = true;
  }
  changed.notify_all();
}
