//===- CopyAround.h - Copies that bypass the caches -------------*- C++ -*-===//
#pragma once

#include <cstddef>

namespace zrt {

/// Copies `bytes` bytes that do not overlap.  Large copies bypass the caches: a
/// gathered bucket does not fit into them, and a plain store would first read
/// the line that it overwrites.
void copyAround(std::byte *to, const std::byte *from, size_t bytes);

} // namespace zrt
