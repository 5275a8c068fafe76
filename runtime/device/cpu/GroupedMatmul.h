//===- GroupedMatmul.h - Products with a matrix for each group --*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/Matmul.h"

namespace zrt {

/// Executes a checked `desc`; `w` has the address of each group's matrix.  A
/// group's product has the same bits as with runMatmul.
void runGroupedMatmul(const zrt_grouped_desc &desc, const void *x, void *y,
                      const int32_t *offsets, void *const *w, Team &team,
                      Kernel16 kernel = Kernel16::Widen);

} // namespace zrt
