//===- Fiber.cpp - Switching stacks on x86-64 -----------------------------===//
//
// A switch saves the callee-saved registers.  (swapcontext asks the kernel for
// the signal mask each time, which takes a hundred times as long.)
//
//===----------------------------------------------------------------------===//
#include "Fiber.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

using namespace zge;

extern "C" void zgeSwitchStacks(void **from, void *to);

asm(R"(
  .text
  .globl zgeSwitchStacks
  .hidden zgeSwitchStacks
  .type zgeSwitchStacks, @function
zgeSwitchStacks:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size zgeSwitchStacks, .-zgeSwitchStacks
)");

namespace {
/// A kernel may have up to 1 MiB of temporaries.
constexpr size_t kStackBytes = 2 << 20, kGuardBytes = 4096;
} // namespace

Stacks::Stacks(size_t count) : count(count) {
  void *all = mmap(nullptr, count * kStackBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    throw std::bad_alloc();
  base = static_cast<char *>(all);
}

Stacks::~Stacks() { munmap(base, count * kStackBytes); }

void *Stacks::top(size_t number) {
  for (; usable <= number; ++usable)
    if (mprotect(base + usable * kStackBytes + kGuardBytes,
                 kStackBytes - kGuardBytes, PROT_READ | PROT_WRITE) != 0)
      throw std::bad_alloc();
  return base + (number + 1) * kStackBytes;
}

void Fiber::prepare(void *top, void (*body)()) {
  // Six registers, the return address of the switch, and an unused return
  // address of `body`: functions begin 8 bytes below a multiple of 16.
  auto *words = static_cast<void **>(top) - 8;
  for (int i = 0; i < 6; ++i)
    words[i] = nullptr;
  words[6] = reinterpret_cast<void *>(body);
  words[7] = nullptr;
  stack = words;
}

void zge::switchFiber(Fiber &from, Fiber &to) {
  zgeSwitchStacks(&from.stack, to.stack);
}
