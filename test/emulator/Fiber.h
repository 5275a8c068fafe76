//===- Fiber.h - A stack for each emulated thread ---------------*- C++ -*-===//
#pragma once

#include <cstddef>

namespace zge {

/// Stacks for many fibers, with a guard page below each.  Those that no fiber
/// had take nothing but addresses.
class Stacks {
public:
  explicit Stacks(size_t count);
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;

  /// The highest address of stack `number`.
  void *top(size_t number);

private:
  char *base;
  size_t count;
  size_t usable = 0; ///< the first so many can be used
};

/// The saved state of a fiber that is not running.
struct Fiber {
  void *stack = nullptr;

  /// Prepares to run `body`, which never returns, on the stack that ends at
  /// `top`.
  void prepare(void *top, void (*body)());
};

/// Switches to `to`; returns when some fiber switches to `from`.
void switchFiber(Fiber &from, Fiber &to);

} // namespace zge
