//===- Gemm.cpp - Which loops, and their memory ---------------------------===//
#include "runtime/cpu/gemm/Gemm.h"

#include "runtime/cpu/gemm/Targets.h"

#include <optional>
#include <sys/mman.h>

using namespace zrt;

namespace {

struct Target {
  void (*multiply)(const Gemm &, float *);
  GemmTile tile;
};

const Target &target() {
  static const Target chosen = []() -> Target {
#ifdef __x86_64__
    if (instructionSet() == InstructionSet::Avx512)
      return {avx512::multiply, avx512::kTile};
    if (instructionSet() == InstructionSet::Avx2)
      return {avx2::multiply, avx2::kTile};
#endif
    return {portable::multiply, portable::kTile};
  }();
  return chosen;
}

/// A huge page, where there is one.
struct Packing {
  Packing() {
    constexpr size_t size = kGemmPackingBytes;
    void *twice = mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (twice == MAP_FAILED)
      return;
    // Huge pages are aligned; the rest is given back.
    const auto begin = reinterpret_cast<uintptr_t>(twice);
    const uintptr_t aligned = (begin + size - 1) / size * size;
    if (aligned != begin)
      munmap(twice, aligned - begin);
    if (begin + size != aligned)
      munmap(reinterpret_cast<void *>(aligned + size), begin + size - aligned);
    memory = reinterpret_cast<float *>(aligned);
    madvise(memory, size, MADV_HUGEPAGE);
  }
  ~Packing() {
    if (memory)
      munmap(memory, kGemmPackingBytes);
  }
  Packing(const Packing &) = delete;
  Packing &operator=(const Packing &) = delete;

  float *memory = nullptr;
};

/// C = beta C + bias, what is left of a product whose sums are empty.
void start(const Gemm &g) {
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      float &c = g.c[i * g.ldc + j];
      c = (g.beta == 0 ? 0.0f : g.beta * c) + (g.bias ? g.bias[j] : 0.0f);
    }
}

} // namespace

InstructionSet zrt::instructionSet() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool fma = __builtin_cpu_supports("fma");
  // What CMakeLists.txt compiles the files for.
  if (fma && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return InstructionSet::Avx512;
  if (fma && __builtin_cpu_supports("avx2"))
    return InstructionSet::Avx2;
#endif
  return InstructionSet::Portable;
}

float *zrt::gemmPacking() {
  // A thread that gets none asks again.
  thread_local std::optional<Packing> packing;
  if (!packing || !packing->memory)
    packing.emplace();
  return packing->memory;
}

void zrt::multiply(const Gemm &gemm, float *packing) {
  if (gemm.m <= 0 || gemm.n <= 0)
    return;
  if (gemm.k <= 0)
    return start(gemm);
  target().multiply(gemm, packing);
}

GemmTile zrt::gemmTile() { return target().tile; }
