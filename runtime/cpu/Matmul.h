//===- Matmul.h - Matrix products -------------------------------*- C++ -*-===//
#ifndef ZRT_CPU_MATMUL_H
#define ZRT_CPU_MATMUL_H

#include "runtime/zrt.h"

namespace zrt {

/// Throws unless sizes are sane and every ref holds its matrices.
void checkMatmul(const zrt_matmul_desc &desc);

/// Executes a checked `desc` on at most `threads` threads.  The bits of C do
/// not depend on `threads`.  Throws when oneDNN fails.
void runMatmul(const zrt_matmul_desc &desc, const void *a, const void *b,
               const void *bias, void *c, int threads);

/// The first failure of zrt_sgemm_tile since the last call, as an oneDNN
/// status; 0 when there was none.  (The tile itself has no way to report one.)
int takeTileFailure();

} // namespace zrt

#endif // ZRT_CPU_MATMUL_H
