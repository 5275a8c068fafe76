//===- TestStores.h - Stores in folders of a test ---------------*- C++ -*-===//
#pragma once

#include "runtime/store/Store.h"

#include "TestFiles.h"

#include <random>

namespace zrt::test {

constexpr uint64_t kMiB = 1 << 20;

inline std::shared_ptr<Faults> faultsOf(const char *text, int rank = 0) {
  return *text ? Faults::parse(text, rank) : std::make_shared<Faults>();
}

/// Reproducible bytes.
inline std::vector<std::byte> some(uint64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

/// Creates stores in `count` folders each.
class Stores : public testing::Test {
protected:
  std::unique_ptr<Store> make(uint64_t bytes, int count = 1,
                              const char *fault = "", bool verifies = false) {
    std::string path;
    for (int i = 0; i < count; ++i) {
      const std::string name = folder / ("disk" + std::to_string(i));
      std::filesystem::create_directories(name);
      path += (i ? "," : "") + name;
    }
    return std::make_unique<Store>(bytes, path, faultsOf(fault), verifies);
  }
  TestFolder folder;
};

} // namespace zrt::test
