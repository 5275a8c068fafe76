//===- Gemm.cpp - Chooses the loops of f32 products -----------------------===//
#include "runtime/device/cpu/gemm/Gemm.h"

#include "runtime/device/cpu/gemm/Targets.h"

using namespace zrt;

namespace {

struct Target {
  void (*multiply)(const Gemm &, float *);
  void (*multiplyBrains)(const GemmOf<Brain> &, float *);
  void (*multiplyHalves)(const GemmOf<Half> &, float *);
  GemmUnits units;
};

const Target &target() {
  static const Target chosen = []() -> Target {
#ifdef __x86_64__
    if (instructionSet() == InstructionSet::Avx512)
      return {avx512::multiply, avx512::multiply, avx512::multiply,
              avx512::kUnits};
    if (instructionSet() == InstructionSet::Avx2)
      return {avx2::multiply, avx2::multiply, avx2::multiply, avx2::kUnits};
#endif
    return {portable::multiply, portable::multiply, portable::multiply,
            portable::kUnits};
  }();
  return chosen;
}

/// Computes C = beta C + bias, the result of a product with k = 0.
template <typename From>
void start(const GemmOf<From> &g) {
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      float &c = g.c[i * g.ldc + j];
      c = (g.beta == 0 ? 0.0f : g.beta * c) + (g.bias ? g.bias[j] : 0.0f);
    }
}

template <typename From>
void multiplyBy(void (*loops)(const GemmOf<From> &, float *),
                const GemmOf<From> &gemm, float *packing) {
  if (gemm.m <= 0 || gemm.n <= 0)
    return;
  if (gemm.k <= 0)
    return start(gemm);
  loops(gemm, packing);
}

} // namespace

InstructionSet zrt::instructionSet() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool fma =
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  // The features for which CMakeLists.txt compiles the files.
  if (fma && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return InstructionSet::Avx512;
  if (fma && __builtin_cpu_supports("avx2"))
    return InstructionSet::Avx2;
#endif
  return InstructionSet::Portable;
}

void zrt::multiply(const Gemm &gemm, float *packing) {
  multiplyBy(target().multiply, gemm, packing);
}

void zrt::multiply(const GemmOf<Brain> &gemm, float *packing) {
  multiplyBy(target().multiplyBrains, gemm, packing);
}

void zrt::multiply(const GemmOf<Half> &gemm, float *packing) {
  multiplyBy(target().multiplyHalves, gemm, packing);
}

GemmUnits zrt::gemmUnits() { return target().units; }
