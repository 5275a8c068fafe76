//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//
#ifndef ZRT_DEVICE_CPU_MATMUL_H
#define ZRT_DEVICE_CPU_MATMUL_H

#include "runtime/device/cpu/Team.h"
#include "runtime/zrt.h"

namespace zrt {

/// Executes a checked `desc`.  The bits of C do not depend on the team's size.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, Team &team);

} // namespace zrt

#endif // ZRT_DEVICE_CPU_MATMUL_H
