//===- Pages.h - Private memory in whole pages ------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace zrt {

constexpr uint64_t kHugePage = uint64_t{2} << 20;

/// A mapping of whole pages; `at` is null if the system gave no memory.
struct Pages {
  std::byte *at = nullptr;
  uint64_t bytes = 0;
};

/// Maps `bytes` zero bytes, rounded up to pages.  Mappings of 2 MiB or more
/// start at a multiple of 2 MiB and request huge pages.  If there is no memory,
/// errno is set.
Pages mapPages(uint64_t bytes);

} // namespace zrt
