//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//
#ifndef ZRT_DEVICE_CPU_MATMUL_H
#define ZRT_DEVICE_CPU_MATMUL_H

#include "runtime/device/cpu/Team.h"
#include "runtime/device/cpu/gemm/Gemm16.h"
#include "runtime/zrt.h"

namespace zrt {

/// Executes a checked `desc`, products of 16 bits by `kernel`.  The bits of C do
/// not depend on the team's size.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, Team &team,
               Kernel16 kernel = Kernel16::Widen);

} // namespace zrt

#endif // ZRT_DEVICE_CPU_MATMUL_H
