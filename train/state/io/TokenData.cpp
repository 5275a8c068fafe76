//===- TokenData.cpp - Reads the training text as token ids ---------------===//
//
// `auto` examines the content first, then the name:
//
//   llm.c's magic number         -> llmc
//   NAME.u32, NAME.u16           -> u32, u16
//   NAME.bin                     -> u16, or u32 when every second 16-bit word
//                                   is zero (ids below 65536 as uint32)
//   any other name               -> text, one token per byte
//
//===----------------------------------------------------------------------===//
#include "train/state/io/TokenData.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/io/Npy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

using namespace zrt;

namespace {

/// The bytes per read; a multiple of all token sizes.
constexpr uint64_t kBlockBytes = uint64_t{64} << 10;
using Block = std::array<std::byte, kBlockBytes>;

template <typename T>
T load(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

/// The number at `offset`; 0 after the end.
template <typename T>
T readAt(const InputFile &file, uint64_t offset) {
  T value = 0;
  if (offset + sizeof(T) <= file.size())
    file.read(offset, &value, sizeof(T));
  return value;
}

bool oddWordsAreZero(const InputFile &file) {
  if (file.size() % 4 != 0)
    return false;
  Block block;
  for (uint64_t at = 0; at < file.size(); at += kBlockBytes) {
    const uint64_t bytes = std::min(kBlockBytes, file.size() - at);
    file.read(at, block.data(), bytes);
    for (uint64_t i = 2; i < bytes; i += 4)
      if (load<uint16_t>(block.data() + i) != 0)
        return false;
  }
  return true;
}

} // namespace

TokenData::TokenData(const std::string &path, TokenFormat format,
                     int64_t aLength, uint64_t aMaxLater, bool isWide)
    : file(path), perSequence(static_cast<uint64_t>(aLength)),
      maxLater(aMaxLater) {
  if (aLength <= 0)
    fail("the model's sequences have {} tokens", aLength);
  const uint64_t needed = perSequence + maxLater;
  if (file.size() == 0)
    fail("{} is empty; it needs {} tokens at least", path, needed);
  detect(format, isWide);
  if (llmc) {
    readLlmcHeader();
  } else {
    if (file.size() % width != 0)
      fail("{}: {} are not whole tokens of {} bytes; choose another "
           "--data-format",
           path, shownBytes(file.size()), width);
    total = file.size() / width;
  }
  if (total < needed)
    fail("{} has {} tokens ({}), but one sequence needs {}; choose a longer "
         "file, or import a model with a shorter --seq",
         path, withCommas(total), formatName(), withCommas(needed));
}

void TokenData::detect(TokenFormat format, bool isWide) {
  const std::string &path = file.path();
  if (format == TokenFormat::Auto) {
    const auto magic = readAt<uint32_t>(file, 0);
    if (magic == kLlmcMagic16 || magic == kLlmcMagic32)
      format = TokenFormat::Llmc;
    else if (isNpy(file))
      fail("{} is a NumPy file; write its bytes alone "
           "(tokens.astype('uint16').tofile('tokens.u16'))",
           path);
    else if (path.ends_with(".u32"))
      format = TokenFormat::U32;
    else if (path.ends_with(".u16"))
      format = TokenFormat::U16;
    else if (path.ends_with(".bin"))
      format =
          isWide || oddWordsAreZero(file) ? TokenFormat::U32 : TokenFormat::U16;
    else
      format = TokenFormat::Text;
  }
  llmc = format == TokenFormat::Llmc;
  width = format == TokenFormat::U16 ? 2 : format == TokenFormat::U32 ? 4 : 1;
}

void TokenData::readLlmcHeader() {
  const std::string &path = file.path();
  const auto magic = readAt<uint32_t>(file, 0);
  if (file.size() < kLlmcHeaderBytes ||
      (magic != kLlmcMagic16 && magic != kLlmcMagic32))
    fail("{} has no llm.c header ({} or {} and 1024 bytes); choose another "
         "--data-format",
         path, kLlmcMagic16, kLlmcMagic32);
  const auto version = readAt<uint32_t>(file, 4);
  const uint32_t expected =
      magic == kLlmcMagic16 ? kLlmcVersion16 : kLlmcVersion32;
  if (version != expected)
    fail("{}: llm.c header {} has version {}, expected {}; write the file with "
         "a current llm.c script",
         path, magic, version, expected);
  width = magic == kLlmcMagic16 ? 2 : 4;
  dataOffset = kLlmcHeaderBytes;
  const auto stated = readAt<int32_t>(file, 8);
  const uint64_t present = file.size() - kLlmcHeaderBytes;
  if (stated < 0 || present != uint64_t(stated) * width)
    fail("{}: its llm.c header says {} tokens of {} bytes, but {} follow; "
         "the file is cut short or damaged",
         path, stated, width, shownBytes(present));
  total = static_cast<uint64_t>(stated);
}

const char *TokenData::formatName() const {
  if (llmc)
    return width == 2 ? "llm.c uint16" : "llm.c uint32";
  return width == 1 ? "text bytes" : width == 2 ? "raw uint16" : "raw uint32";
}

template <typename Use>
void TokenData::forEachToken(uint64_t first, uint64_t number, Use use) const {
  const auto each = [&]<typename Id>(Id) {
    Block block;
    constexpr uint64_t kMaxTokens = kBlockBytes / sizeof(Id);
    for (uint64_t at = first, end = first + number; at < end;) {
      const uint64_t size = std::min(kMaxTokens, end - at);
      file.read(dataOffset + at * sizeof(Id), block.data(), size * sizeof(Id));
      for (uint64_t i = 0; i < size; ++i, ++at)
        use(at, int64_t{load<Id>(block.data() + i * sizeof(Id))});
    }
  };
  switch (width) {
  case 1:
    return each(uint8_t{});
  case 2:
    return each(uint16_t{});
  default:
    return each(uint32_t{});
  }
}

template <typename Use>
void TokenData::forEachToken(uint64_t first, uint64_t number,
                             const zrt_input &input, Use use) const {
  forEachToken(first, number, [&](uint64_t at, int64_t token) {
    if (!mayHold(input, token))
      failAtToken(at, token, input);
    use(at, token);
  });
}

void TokenData::failAtToken(uint64_t index, int64_t token,
                            const zrt_input &input) const {
  fail("{}: token {} at position {} is not {} (read as {}); choose another "
       "--data-format or compile a model with a larger vocabulary",
       file.path(), token, index, allowedText(input), formatName());
}

void TokenData::check(const zrt_input &input, uint64_t later) const {
  forEachToken(later, sequences() * perSequence, input,
               [](uint64_t, int64_t) {});
}

void TokenData::read(uint64_t sequence, uint64_t later, const zrt_input &input,
                     std::byte *to) const {
  const uint64_t first = sequence * perSequence + later;
  forEachToken(first, perSequence, input, [&](uint64_t at, int64_t token) {
    putInteger(input, to, at - first, token);
  });
}

void TokenData::mask(uint64_t sequence, int64_t separator,
                     const zrt_input &input, std::byte *to) const {
  const auto ignored = ignoredValue(input);
  if (!ignored)
    return;
  const uint64_t first = sequence * perSequence;
  forEachToken(first, perSequence, [&](uint64_t at, int64_t token) {
    if (token == separator)
      putInteger(input, to, at - first, *ignored);
  });
}

uint64_t TokenData::count(int64_t token) const {
  uint64_t found = 0;
  forEachToken(0, sequences() * perSequence,
               [&](uint64_t, int64_t other) { found += other == token; });
  return found;
}
