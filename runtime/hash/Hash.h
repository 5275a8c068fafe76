//===- Hash.h - The FNV-1a hash ---------------------------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace zrt {

/// Of names and other short keys.  Initial values and roundings are functions
/// of it, so it cannot become ContentHash.h, whose numbers manifests have.
class Hash {
public:
  static constexpr uint64_t kStart = 0xcbf29ce484222325u;
  static constexpr uint64_t kPrime = 0x100000001b3u;

  static uint64_t of(std::string_view text) {
    Hash hash;
    hash.add(text);
    return hash.get();
  }

  void add(std::string_view text) {
    for (const char byte : text)
      value = (value ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  template <typename Number>
  void addNumber(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    add({reinterpret_cast<const char *>(&number), sizeof number});
  }
  uint64_t get() const { return value; }

private:
  uint64_t value = kStart;
};

} // namespace zrt
