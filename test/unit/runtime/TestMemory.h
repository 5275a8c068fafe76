//===- TestMemory.h - Parameters in arrays of a test ------------*- C++ -*-===//
#pragma once

#include "train/state/io/Parameters.h"

#include <cstring>

namespace zrt::test {

/// Offsets are relative to `base`; without a base they are addresses.
class TestMemory final : public ParameterMemory {
public:
  explicit TestMemory(void *base = nullptr)
      : base(reinterpret_cast<uintptr_t>(base)) {}
  void read(const zrt_ref &from, void *to) const override {
    std::memcpy(to, at(from), from.bytes);
  }
  void write(const zrt_ref &to, const void *from) const override {
    std::memcpy(at(to), from, to.bytes);
  }

private:
  void *at(const zrt_ref &ref) const {
    return reinterpret_cast<void *>(base + ref.offset);
  }
  uintptr_t base;
};

/// A reference for TestMemory without a base.
inline zrt_ref refOf(const void *data, uint64_t bytes) {
  return {ZRT_DEVICE, 0, reinterpret_cast<uintptr_t>(data), bytes};
}

} // namespace zrt::test
