//===- Scratch.h - Scratch memory of compute threads ------------*- C++ -*-===//
//
// Matmuls copy blocks of their operands, and attention needs work
// memory.  Compiled kernels cannot allocate it, since they cannot report
// failure; so a team allocates it for all of its threads before any of them
// works.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/memory/Pages.h"

#include <cstddef>

namespace zrt {

/// Scratch memory of each thread: two huge pages.
constexpr size_t kScratchBytes = ZRT_PACKING_BYTES;

/// The scratch memory of some threads.  Pages that a thread never touches cost
/// nothing.
class Scratch {
public:
  /// Throws zrt::Error.
  explicit Scratch(int threads);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Gives the calling thread the memory of thread `number` during its
  /// lifetime.
  class Use {
  public:
    Use(const Scratch &scratch, int number);
    ~Use();
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    float *const before;
  };

private:
  Pages pages;
};

/// Returns the calling thread's memory; a thread outside of teams allocates its
/// own.  Throws zrt::Error.
float *scratch();

} // namespace zrt
