//===- tokens.cpp - Fuzzes the reader of token files ----------------------===//
//
// The first three bytes of an input choose the format and the name, the length
// of a sequence and the vocabulary; the rest is the file.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/TokenData.h"

#include "runtime/Error.h"

#include "MemoryFile.h"

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr zrt::TokenFormat kFormats[] = {
    zrt::TokenFormat::Auto, zrt::TokenFormat::Llmc, zrt::TokenFormat::U16,
    zrt::TokenFormat::U32, zrt::TokenFormat::Text};
constexpr const char *kEndings[] = {"", ".bin", ".u16", ".u32"};

/// Batches hold tokens of the vocabulary alone, and targets are the inputs one
/// token later.
void checkBatches(const zrt::TokenData &data, int64_t length, int64_t vocab) {
  constexpr int64_t kBatch = 2;
  std::vector<int32_t> inputs(size_t(kBatch * length)), targets(inputs.size());
  for (uint64_t step = 0; step < 3; ++step) {
    data.readBatch({.step = step}, kBatch, inputs.data(), targets.data());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool inside =
          inputs[i] >= 0 && targets[i] >= 0 &&
          (vocab == 0 || (inputs[i] < vocab && targets[i] < vocab));
      const bool last = (i + 1) % size_t(length) == 0;
      if (!inside || (!last && targets[i] != inputs[i + 1]))
        std::abort();
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static zero::fuzz::MemoryFile input;
  if (size < 3)
    return 0;
  const zrt::TokenFormat format = kFormats[data[0] % std::size(kFormats)];
  const char *ending = kEndings[data[0] / 8 % std::size(kEndings)];
  const int64_t length = data[1] % 16 + 1, vocab = data[2];
  const std::string path =
      input.write({reinterpret_cast<const char *>(data) + 3, size - 3}, ending);
  try {
    const zrt::TokenData tokens(path, format, length, vocab);
    if (tokens.sequences() == 0)
      std::abort();
    checkBatches(tokens, length, vocab);
    tokens.checkAll();
  } catch (const zrt::Error &error) {
    zero::fuzz::requireReadable(error.what());
  }
  return 0;
}
