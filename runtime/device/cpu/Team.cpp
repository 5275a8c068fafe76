//===- Team.cpp - A team of threads that compute together -----------------===//
#include "runtime/device/cpu/Team.h"

#include "runtime/system/Clock.h"
#include "runtime/system/StartThread.h"

#include <pthread.h>
#include <sched.h>
#include <string>

using namespace zrt;

namespace {

/// How long a waiting thread spins: for kReady without pause, then up to kAwake
/// while yielding its processor to other threads.  Waking a sleeping thread may
/// take longer than a kernel runs, above all in a virtual machine.
constexpr std::chrono::microseconds kReady{20}, kAwake{2000};

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

} // namespace

/// On its own cache line: its thread polls it while others work.
struct alignas(64) Team::Helper {
  std::atomic<uint32_t> calls{0};
  std::thread thread;
};

Team::Team(int size, std::vector<int> theProcessors, bool isWatchful)
    : memory(size), processors(std::move(theProcessors)),
      // Threads that share a processor must yield it to each other at once.
      watchful(isWatchful &&
               static_cast<size_t>(size) <= availableProcessors().size()) {
  try {
    for (int member = 1; member < size; ++member) {
      helpers.push_back(std::make_unique<Helper>());
      Helper &helper = *helpers.back();
      helper.thread =
          startThread(fmt::format("thread {} of {}", member + 1, size),
                      [this, &helper, member] { help(helper, member); });
    }
  } catch (const Error &) {
    const size_t started = helpers.size();
    helpers.pop_back();
    run(static_cast<int>(started), nullptr, nullptr);
    for (auto &helper : helpers)
      helper->thread.join();
    throw;
  }
}

Team::~Team() {
  run(size(), nullptr, nullptr);
  for (auto &helper : helpers)
    helper->thread.join();
}

void Team::run(int theMembers, Work theWork, void *theData) {
  if (!bound && theWork && !processors.empty()) {
    bindTo(0);
    bound = true;
  }
  if (theMembers > 1) {
    work = theWork;
    data = theData;
    members = theMembers;
    working.store(uint32_t(members - 1), std::memory_order_relaxed);
    for (int i = 0; i < members - 1; ++i) {
      helpers[size_t(i)]->calls.fetch_add(1, std::memory_order_release);
      helpers[size_t(i)]->calls.notify_one();
    }
  }
  if (theMembers > 0 && theWork) {
    const Scratch::Use use(memory, 0);
    theWork(theData, 0, theMembers);
  }
  if (theMembers <= 1)
    return;
  while (const uint32_t left = working.load(std::memory_order_acquire))
    await(working, left);
}

void Team::help(Helper &helper, int member) {
  const std::string name = "zrt-team-" + std::to_string(member);
  pthread_setname_np(pthread_self(), name.c_str());
  bindTo(member);
  const Scratch::Use use(memory, member);
  for (uint32_t seen = 0;; ++seen) {
    await(helper.calls, seen);
    const bool ends = !work;
    if (!ends)
      work(data, member, members);
    if (working.fetch_sub(1, std::memory_order_acq_rel) == 1)
      working.notify_one();
    if (ends)
      return;
  }
}

void Team::bindTo(int member) const {
  // Only a hint: a thread that migrates is slower.
  if (!processors.empty())
    (void)useProcessors({processors[size_t(member)]});
}

void Team::await(const std::atomic<uint32_t> &value, uint32_t old) const {
  const auto start = Clock::now();
  for (auto waited = Clock::duration(); watchful && waited < kAwake;
       waited = Clock::now() - start) {
    for (int i = 0; i < 8; ++i) {
      if (value.load(std::memory_order_acquire) != old)
        return;
      rest();
    }
    if (waited > kReady)
      sched_yield();
  }
  while (value.load(std::memory_order_acquire) == old)
    value.wait(old, std::memory_order_acquire);
}
