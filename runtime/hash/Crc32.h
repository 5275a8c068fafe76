//===- Crc32.h - Checks of records in files ---------------------*- C++ -*-===//
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace zrt {

/// The CRC of 32 bits of `data`, by the reflected polynomial.  It finds every
/// change within 32 neighbouring bits.  Formats of files name both polynomials.
template <uint32_t polynomial>
uint32_t crcBy(std::string_view data) {
  static constexpr std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table = {};
    for (uint32_t i = 0; i < table.size(); ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit)
        crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
      table.at(i) = crc;
    }
    return table;
  }();
  uint32_t crc = ~0u;
  for (const char c : data)
    crc = crc >> 8 ^ kTable.at((crc ^ static_cast<unsigned char>(c)) & 0xff);
  return ~crc;
}

/// CRC-32, that of zlib and of Python's zlib.crc32.
inline uint32_t crc32(std::string_view data) { return crcBy<0xedb88320>(data); }
/// CRC-32C (Castagnoli), that of TFRecord.
inline uint32_t crc32c(std::string_view data) {
  return crcBy<0x82f63b78>(data);
}

} // namespace zrt
