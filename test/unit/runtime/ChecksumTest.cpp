//===- ChecksumTest.cpp - Checksums show every flipped bit ----------------===//
#include "runtime/hash/Checksum.h"

#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <vector>

using namespace zrt;

namespace {

/// The definition, one element after the other.
uint64_t slowChecksum(const std::byte *values, uint64_t bytes, uint64_t count,
                      uint64_t first) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t element = 0;
    std::memcpy(&element, values + i * bytes, bytes);
    const uint32_t number = 1 + uint32_t(first + i) * 2 * 0x9e3779b1u;
    sum += uint64_t{element} * (number ^ number >> 16);
  }
  return sum;
}

std::vector<std::byte> randomBytes(size_t size) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(size);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

TEST(Checksum, IsItsDefinition) {
  const std::vector<std::byte> values = randomBytes(4 * 200);
  for (const uint64_t bytes : {2, 4})
    for (const uint64_t count : {0, 1, 15, 16, 17, 160, 199})
      for (const uint64_t first :
           {uint64_t{0}, uint64_t{5}, (uint64_t{1} << 32) - 3})
        EXPECT_EQ(checksum(values.data(), bytes, count, first),
                  slowChecksum(values.data(), bytes, count, first));
}

TEST(Checksum, ShowsEveryBit) {
  std::vector<std::byte> values = randomBytes(4 * 67);
  for (const uint64_t bytes : {2, 4}) {
    const uint64_t sum = checksum(values.data(), bytes, 67, 3);
    for (uint64_t bit = 0; bit < 8 * bytes * 67; ++bit) {
      values[bit / 8] ^= std::byte(1 << bit % 8);
      EXPECT_NE(checksum(values.data(), bytes, 67, 3), sum);
      values[bit / 8] ^= std::byte(1 << bit % 8);
    }
  }
}

TEST(Checksum, AddsUpParts) {
  const std::vector<std::byte> values = randomBytes(4 * 100);
  const uint64_t sum = checksum(values.data(), 4, 100, 7);
  for (const uint64_t cut : {1, 16, 33, 99})
    EXPECT_EQ(checksum(values.data(), 4, cut, 7) +
                  checksum(values.data() + 4 * cut, 4, 100 - cut, 7 + cut),
              sum);
  EXPECT_EQ(checksum(std::vector<std::byte>(400).data(), 4, 100, 7), 0u);
}

} // namespace
