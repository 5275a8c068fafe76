//===- SafetensorsHeader.h - Parses a safetensors header --------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The limit of the reference implementation; longer headers are errors.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

/// The reserved key of a header, which is not a tensor.
constexpr std::string_view kMetadataName = "__metadata__";

/// One tensor as the header states it.
struct StatedTensor {
  std::string name, dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; ///< of its data
};

/// The tensors of a header, in its order.  Checks the syntax only: names may
/// repeat, and numbers may contradict each other or the file.  Takes time and
/// memory in proportion to the text, whatever its content.  Throws zrt::Error.
std::vector<StatedTensor> parseSafetensorsHeader(std::string_view text);

} // namespace zrt
