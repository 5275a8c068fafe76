//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//
#ifndef ZRT_DEVICE_CPU_MATMUL_H
#define ZRT_DEVICE_CPU_MATMUL_H

#include "runtime/device/cpu/Team.h"
#include "runtime/zrt.h"

namespace zrt {

/// Executes a checked `desc`.  The bits of C do not depend on the team's size.
/// Throws where a thread gets no packing memory.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, Team &team);

/// The calling thread's packing memory.  Where there is none to be had, null,
/// and checkPacking tells: compiled kernels have no way to report it.
float *packingOrNote();

/// Throws, naming `name`, if since the last call a thread got no packing
/// memory.
void checkPacking(const char *name);

} // namespace zrt

#endif // ZRT_DEVICE_CPU_MATMUL_H
