//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/Team.h"
#include "runtime/device/cpu/gemm/Gemm16.h"
#include "runtime/zrt.h"

namespace zrt {

/// Executes a checked `desc`, products of 16 bits by `kernel`.  The bits of C do
/// not depend on the team's size.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, Team &team,
               Kernel16 kernel = Kernel16::Widen);

/// How many of a team's threads so many multiply-adds are worth.
inline int teamFor(double work, const Team &team) {
  // Below it a parallel region costs more than it saves.
  constexpr double kWorthATeam = 1 << 18;
  return work < kWorthATeam ? 1 : team.size();
}

/// Of a checked product that is no batch, the part `part` of `parts`, on the
/// calling thread.  All parts together are the product, in any order.
void runPartOfMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
                     void *c, int part, int parts, Kernel16 kernel);

} // namespace zrt
