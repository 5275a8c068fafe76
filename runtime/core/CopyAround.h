//===- CopyAround.h - Copies that pass the caches by ------------*- C++ -*-===//
#pragma once

#include <cstddef>

namespace zrt {

/// Copies `bytes` bytes that do not overlap.  Large copies leave the caches as
/// they are: a gathered bucket is larger than they, and a plain store would
/// first read the line that it overwrites.
void copyAround(std::byte *to, const std::byte *from, size_t bytes);

} // namespace zrt
