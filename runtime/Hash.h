//===- Hash.h - FNV-1a ------------------------------------------*- C++ -*-===//
#ifndef ZRT_HASH_H
#define ZRT_HASH_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace zrt {

class Hash {
public:
  void add(std::string_view text) {
    for (const char byte : text)
      value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  template <typename Number>
  void addNumber(Number number) {
    static_assert(std::is_arithmetic_v<Number>);
    add({reinterpret_cast<const char *>(&number), sizeof number});
  }
  uint64_t get() const { return value; }

private:
  uint64_t value = 0xcbf29ce484222325u;
};

} // namespace zrt

#endif // ZRT_HASH_H
