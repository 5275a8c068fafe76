//===- Kernel16.h - The kernel of 16-bit products on a CPU ------*- C++ -*-===//
//
// A kernel follows from the features that a plan was compiled for, never from
// the machine that it runs on, because each adds in an order of its own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace zrt {

/// The values are part of the ABI: compiled kernels pass them to zrt_attention.
enum class Kernel16 : int32_t {
  Widen,     ///< f32 product of the widened operands, rounded
  DotBrains, ///< bf16 by AVX512_BF16's dot products of pairs; f16 as Widen
  AmxBrains, ///< bf16 by AMX's tiles; f16 as Widen
  AmxBoth    ///< bf16 and f16 by AMX's tiles
};

/// The widest heads of attention whose products have operands of 16 bits.
constexpr int64_t kMaxPairWidth = 256;

/// Calls visit(name) for each of the comma-separated `features`, except those
/// like "-avx512f", which the code does not use.
template <typename Visit>
void forEachFeature(std::string_view features, Visit visit) {
  while (!features.empty()) {
    const std::string_view entry = features.substr(0, features.find(','));
    features.remove_prefix(entry.size() < features.size() ? entry.size() + 1
                                                          : entry.size());
    std::string_view name = entry;
    while (!name.empty() && (name.front() == ' ' || name.front() == '+'))
      name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ')
      name.remove_suffix(1);
    if (!name.empty() && name.front() != '-')
      visit(name);
  }
}

/// Returns true if the comma-separated `features` of a plan contain `feature`.
inline bool lists(std::string_view features, std::string_view feature) {
  bool found = false;
  forEachFeature(features,
                 [&](std::string_view name) { found |= name == feature; });
  return found;
}

/// Returns the kernel for the comma-separated features of a plan.
inline Kernel16 kernel16For(std::string_view features) {
#ifdef __x86_64__
  const auto all = [&](auto... names) {
    return (lists(features, names) && ...);
  };
  // The features for which runtime/CMakeLists.txt compiles the files.
  if (all("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512bf16"))
    return !all("amx-tile", "amx-bf16") ? Kernel16::DotBrains
           : all("amx-fp16")            ? Kernel16::AmxBoth
                                        : Kernel16::AmxBrains;
#endif
  (void)features;
  return Kernel16::Widen;
}

} // namespace zrt
