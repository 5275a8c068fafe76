//===- Gemm16.cpp - Products of 16-bit matrices ---------------------------===//
//
// Without an instruction for 16-bit products, operands are widened to f32 when
// the f32 product copies them.  Dot products of pairs use the same loops.  C is
// computed in f32, one block at a time, and rounded when its sums are complete:
//   packing   | B and A of the loops | block of C | its bias |
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/gemm/Gemm16.h"

#include "runtime/device/cpu/gemm/Targets.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#ifdef __x86_64__
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace zrt;

namespace {

/// The size of a block of C in f32.  Larger blocks need fewer copies of A and
/// B.
constexpr int64_t kBlockRows = kRoundedRows, kBlockColumns = kRoundedColumns;
/// The floats of `packing` that `loops` uses.
constexpr int64_t kTaken = (kGemmColumns + kBlockRows) * kGemmDepth;
static_assert((kTaken + (kBlockRows + 1) * kBlockColumns) *
                  int64_t(sizeof(float)) <=
              ZRT_PACKING_BYTES);

/// Returns the part of `g` that starts at row i and column j of C.
template <typename From>
GemmOf<From> partOf(const Gemm16 &g, int64_t i, int64_t j) {
  GemmOf<From> part;
  part.transA = g.transA;
  part.transB = g.transB;
  part.m = g.m - i;
  part.n = g.n - j;
  part.k = g.k;
  part.alpha = g.scale;
  part.beta = g.accumulate ? 1 : 0;
  part.a = reinterpret_cast<const From *>(g.a) + i * (g.transA ? 1 : g.lda);
  part.lda = g.lda;
  part.b = reinterpret_cast<const From *>(g.b) + j * (g.transB ? g.ldb : 1);
  part.ldb = g.ldb;
  return part;
}

/// A function that computes a product whose C is f32.
template <typename From>
using Loops = void (*)(const GemmOf<From> &, float *);

template <typename From>
void multiplyBlock(const Gemm16 &g, int64_t i, int64_t j, Loops<From> loops,
                   float *packing) {
  float *const block = packing + kTaken;
  float *const bias = block + kBlockRows * kBlockColumns;
  GemmOf<From> part = partOf<From>(g, i, j);
  part.m = std::min(part.m, kBlockRows);
  part.n = std::min(part.n, kBlockColumns);
  part.c = block;
  part.ldc = kBlockColumns;
  const auto columns = size_t(part.n);
  const uint64_t size = dtypeBytes(g.cType);
  std::byte *const c = g.c + uint64_t(i * g.ldc + j) * size;
  const uint64_t stride = uint64_t(g.ldc) * size;
  if (g.bias) {
    widen(g.bias + uint64_t(j) * dtypeBytes(g.biasType), g.biasType, columns,
          bias);
    part.bias = bias;
  }
  if (g.accumulate)
    for (int64_t r = 0; r < part.m; ++r)
      widen(c + uint64_t(r) * stride, g.cType, columns,
            block + r * kBlockColumns);
  loops(part, packing);
  for (int64_t r = 0; r < part.m; ++r)
    narrow(block + r * kBlockColumns, columns, g.cType,
           c + uint64_t(r) * stride);
}

template <typename From>
void multiply16By(Loops<From> loops, const Gemm16 &g, float *packing) {
  if (g.cType == ZRT_F32 && (!g.bias || g.biasType == ZRT_F32)) {
    GemmOf<From> whole = partOf<From>(g, 0, 0);
    whole.c = reinterpret_cast<float *>(g.c);
    whole.ldc = g.ldc;
    whole.bias = reinterpret_cast<const float *>(g.bias);
    return loops(whole, packing);
  }
  for (int64_t j = 0; j < g.n; j += kBlockColumns)
    for (int64_t i = 0; i < g.m; i += kBlockRows)
      multiplyBlock<From>(g, i, j, loops, packing);
}

/// Returns true if `kernel` multiplies numbers of `type` by AMX's tiles.
[[maybe_unused]] bool usesTiles(Kernel16 kernel, zrt_dtype type) {
  return (type == ZRT_BF16 && kernel == Kernel16::AmxBrains) ||
         (is16Bits(type) && kernel == Kernel16::AmxBoth);
}

} // namespace

void zrt::enable(Kernel16 kernel, zrt_dtype type) {
#ifdef __x86_64__
  // ARCH_REQ_XCOMP_PERM for tile data: applies to all threads of the process.
  constexpr long kRequest = 0x1023, kTileData = 18;
  if (usesTiles(kernel, type) &&
      syscall(SYS_arch_prctl, kRequest, kTileData) != 0)
    fail("this system keeps the tiles of AMX from programs: {}; compile with "
         "--cpu=x86-64-v4",
         std::strerror(errno));
#endif
  (void)kernel, (void)type;
}

void zrt::multiply(const Gemm16 &gemm, Kernel16 kernel, float *packing) {
  if (gemm.m <= 0 || gemm.n <= 0)
    return;
#ifdef __x86_64__
  if (usesTiles(kernel, gemm.type) && gemm.k > 0)
    return gemm.type == ZRT_BF16 ? amx::multiply(gemm, packing)
                                 : amxfp16::multiply(gemm, packing);
  if (kernel == Kernel16::DotBrains && gemm.type == ZRT_BF16 && gemm.k > 0)
    return multiply16By<Brain>(avx512bf16::multiply, gemm, packing);
#endif
  (void)kernel;
  if (gemm.type == ZRT_BF16)
    multiply16By<Brain>(multiply, gemm, packing);
  else
    multiply16By<Half>(multiply, gemm, packing);
}

Costs zrt::costsOf(Kernel16 kernel, zrt_dtype type) {
#ifdef __x86_64__
  if (usesTiles(kernel, type))
    return {{32, 32}, 40, 100, 60, 30};
  if (kernel == Kernel16::DotBrains && type == ZRT_BF16)
    return {avx512bf16::kUnits, 40, 40, 20, 30};
#endif
  (void)kernel, (void)type;
  return {gemmUnits(), 27, 27, 8, 12};
}
