//===- tokens.cpp - Fuzzes the reader of token files ----------------------===//
//
// The first three bytes of an input choose the format and the name, the length
// of a sequence and the vocabulary; the rest is the file.
//
//===----------------------------------------------------------------------===//
#include "train/state/io/TokenData.h"

#include "runtime/text/Error.h"

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

/// Checks that sequences contain only tokens that their input may hold, and
/// that targets are the tokens one later.
void checkSequences(const zrt::TokenData &data, const zrt_input &input) {
  const auto length = size_t(data.length());
  std::vector<int32_t> tokens(length), targets(length);
  for (uint64_t i = 0; i < 3; ++i) {
    const uint64_t sequence = i % data.sequences();
    data.read(sequence, 0, input, reinterpret_cast<std::byte *>(tokens.data()));
    data.read(sequence, 1, input,
              reinterpret_cast<std::byte *>(targets.data()));
    for (size_t at = 0; at < length; ++at)
      if (!zrt::mayHold(input, tokens[at]) ||
          !zrt::mayHold(input, targets[at]) ||
          (at + 1 < length && targets[at] != tokens[at + 1]))
        std::abort();
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
    const int64_t shape[] = {1, length};
    const zrt_input input = {"tokens", ZRT_I32, 2, shape, {}, vocab, 0, 0, 0};
    const zrt::TokenData tokens(path, format, length, /*maxLater=*/1);
    if (tokens.sequences() == 0)
      std::abort();
    checkSequences(tokens, input);
    tokens.check(input, 0);
    tokens.check(input, 1);
  } catch (const zrt::Error &error) {
    zero::fuzz::requireReadable(error.what());
  }
  return 0;
}
