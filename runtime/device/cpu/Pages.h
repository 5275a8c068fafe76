//===- Pages.h - Private memory in whole pages ------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace zrt {

constexpr uint64_t kHugePage = uint64_t{2} << 20;

/// A mapping of whole pages; `at` is null when there was no memory.
struct Pages {
  std::byte *at = nullptr;
  uint64_t bytes = 0;
};

/// Maps `bytes` zero bytes, rounded up to pages.  2 MiB and more start at a
/// multiple of 2 MiB and ask for huge pages.  Without memory errno says why.
Pages mapPages(uint64_t bytes);

} // namespace zrt
