//===- Scratch.cpp - Scratch memory of compute threads --------------------===//
#include "runtime/device/cpu/gemm/Scratch.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <sys/mman.h>

using namespace zrt;

namespace {
thread_local float *current = nullptr;
} // namespace

Scratch::Scratch(int threads)
    : pages(mapPages(static_cast<uint64_t>(threads) * kScratchBytes)) {
  if (!pages.at)
    fail("no memory for the {} that each of {} threads needs to multiply "
         "matrices; use fewer with --threads",
         shownBytes(kScratchBytes), threads);
}

Scratch::~Scratch() { munmap(pages.at, pages.bytes); }

Scratch::Use::Use(const Scratch &scratch, int number) : before(current) {
  current = reinterpret_cast<float *>(scratch.pages.at +
                                      size_t(number) * kScratchBytes);
}

Scratch::Use::~Use() { current = before; }

float *zrt::scratch() {
  if (current)
    return current;
  // Live until the thread ends; `use` is destroyed before the memory.
  thread_local const Scratch own(1);
  thread_local const Scratch::Use use(own, 0);
  return current;
}
