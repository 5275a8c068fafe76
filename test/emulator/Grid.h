//===- Grid.h - The blocks and threads of one launch ------------*- C++ -*-===//
#pragma once

#include "Emulator.h"
#include "Fiber.h"
#include "Halves.h"
#include "Shadow.h"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace zge {

/// Widths of groups that synchronize: 1, 2, 4, ..., 32, and the block.
constexpr int kLevels = 7, kBlockLevel = 6;

class Grid {
public:
  /// The grid that runs on this thread of the host.
  static thread_local Grid *running;

  void run(const Launch &launch, const MemoryMap &memory);

  // Called by the running thread.
  uint32_t thread() const { return current; }
  uint32_t block() const { return currentBlock; }
  void *shared() { return sharedMemory.data(); }
  uint32_t shuffle(uint32_t value, uint32_t distance, uint32_t width);
  uint32_t shuffleFrom(uint32_t value, uint32_t from, uint32_t width);
  void sync(uint32_t width);
  void barrier();
  void access(const void *address, uint64_t bytes, bool writes);
  // Warp.cpp
  void multiply(uint32_t type, const uint32_t *a, const uint32_t *b,
                float *sums);
  void loadFragment(uint32_t at, bool isTransposed, uint32_t *words);
  // Copies.cpp
  void copy(uint32_t at, const void *from, uint32_t bytes);
  void endCopies();
  void waitForCopies();
  void waitForOlderCopies(uint32_t newer);

private:
  enum class Wait { None, Shuffle, Sync, Barrier, Multiply, Fragment, Ended };
  /// An asynchronous copy that is not complete.
  struct Copy {
    uint32_t at;
    const void *from;
    uint32_t bytes;
    uint32_t group;
  };
  struct Thread {
    Fiber fiber;
    Wait wait = Wait::None;
    uint32_t width = 0, distance = 0; ///< of the operation it waits in
    uint32_t value = 0;               ///< that it contributes
    uint32_t from = 0;                ///< the lane whose value it reads
    uint32_t time = 0;                ///< its meetings until now
    /// By level: its time after the last meeting there or at a higher one.
    std::array<uint32_t, kLevels> met = {};
    void *operands = nullptr; ///< of an operation of the warp
    std::vector<Copy> copies;
    uint32_t copyGroups = 0; ///< that are ended
  };

  static void threadBody();
  /// Completes the running thread's copies of groups before `group`.
  void completeCopies(uint32_t group);
  void runBlock();
  /// Suspends the running thread until it is ready again.
  void pause();
  /// The running thread begins to wait in its group.  Returns true if all of it
  /// wait.
  bool arrive(Wait wait, uint32_t width, uint32_t distance);
  /// All lanes of the warp take part, each with its operands; the last lane
  /// that arrives calls `together` with the operands of all.
  template <typename Operands, typename Together>
  void inWarp(Wait wait, const char *what, uint32_t kind, Operands &operands,
              Together together) {
    checkWidth(what, kWarp);
    const uint32_t first = current / kWarp * kWarp;
    threads[current].operands = &operands;
    if (arrive(wait, kWarp, kind)) {
      std::array<Operands *, kWarp> all;
      for (uint32_t lane = 0; lane < kWarp; ++lane)
        all[lane] = static_cast<Operands *>(threads[first + lane].operands);
      together(all);
      release(kWarp);
    }
    pause();
  }
  char *sharedAt(uint32_t at) { return sharedMemory.data() + at; }
  /// Makes the threads of the running thread's group ready.
  void release(uint32_t width);
  /// Orders the memory accesses of that group's threads.
  void meet(uint32_t width, int level);
  /// Ends the launch with an error; called by the running thread.
  [[noreturn]] void fail(std::string text);
  void checkWidth(const char *what, uint32_t width);
  bool isBefore(const Access &old) const;
  std::string describe(uint32_t thread) const;
  std::string place(const void *address) const;
  std::string stuck() const;

  const Launch *launch = nullptr;
  const MemoryMap *memory = nullptr;
  Stacks stacks{kMaxThreads};
  Fiber scheduler;
  std::vector<Thread> threads;
  std::vector<uint32_t> ready;
  std::vector<char> sharedMemory;
  Shadow shadow;
  Shadow sharedShadow; ///< of shared memory, cleared for each block
  std::minstd_rand random;
  uint32_t current = 0, currentBlock = 0;
  std::string failure;
};

} // namespace zge
