//===- Scratch.h - Memory of a thread for what it multiplies ----*- C++ -*-===//
//
// Products copy blocks of their operands, and attention works in memory of its
// own.  Kernels that are compiled cannot ask for it and could not say that
// there is none: a team has it for all of its threads before any of them works.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cpu/Pages.h"
#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// Of each thread: one huge page.
constexpr size_t kScratchBytes = ZRT_PACKING_BYTES;

/// The memory of some threads.  What a thread does not touch costs nothing.
class Scratch {
public:
  /// Throws zrt::Error.
  explicit Scratch(int threads);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// Lets the calling thread have that of thread `number` while it lives.
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

/// The calling thread's; one that no team has given any makes its own.  Throws
/// zrt::Error.
float *scratch();

} // namespace zrt
