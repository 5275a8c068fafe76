//===- Matmul.h - Matmuls ---------------------------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/device/cpu/gemm/Gemm16.h"

namespace zrt {

/// Executes a checked `desc`; `kernel` is for 16-bit products.  The bits of C
/// do not depend on the team's size.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, Team &team,
               Kernel16 kernel = Kernel16::Widen);

/// Returns the number of threads that are worth using for `work` multiply-adds.
inline int teamFor(double work, const Team &team) {
  // Below this a parallel region costs more than it saves.
  constexpr double kWorthATeam = 1 << 18;
  return work < kWorthATeam ? 1 : team.size();
}

/// Computes part `part` of `parts` of a checked product with batch 1, on the
/// calling thread.  All parts together, in any order, make the product.
void runPartOfMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
                     void *c, int part, int parts, Kernel16 kernel);

/// Executes a checked `desc`; `w` has the address of each group's matrix.  A
/// group's product has the same bits as with runMatmul.
void runGroupedMatmul(const zrt_grouped_desc &desc, const void *x, void *y,
                      const int32_t *offsets, void *const *w, Team &team,
                      Kernel16 kernel = Kernel16::Widen);

} // namespace zrt
