//===- TokenData.h - The text to train on, as token ids ---------*- C++ -*-===//
#pragma once

#include "runtime/io/InputFile.h"
#include "runtime/io/InputValues.h"

#include <cstdint>
#include <string>

namespace zrt {

/// How a file holds tokens: after llm.c's 1024-byte header (uint16 or uint32),
/// raw uint16, raw uint32, or the bytes of a text.
enum class TokenFormat { Auto, Llmc, U16, U32, Text };

/// The header of llm.c: its magic number, version and number of tokens, int32 each,
/// and zeros; of uint16, and of uint32.
constexpr uint32_t kLlmcMagic16 = 20240520, kLlmcMagic32 = 20240801;
constexpr uint32_t kLlmcVersion16 = 1, kLlmcVersion32 = 7;
constexpr uint64_t kLlmcHeaderBytes = 1024;

/// Which samples a step reads: sequences of a text, or rows of files.
struct BatchPlace {
  uint64_t step = 0;       ///< s, from 0
  uint64_t microStep = 0;  ///< k of microSteps
  uint64_t microSteps = 1; ///< K
  uint64_t rank = 0;       ///< r of ranks
  uint64_t ranks = 1;      ///< N
  /// Added to all, modulo 2^64: other steps may have read other numbers of them.
  uint64_t shift = 0;

  /// ((s K + k) N + r) B + b, a position of SampleOrder.
  uint64_t position(uint64_t row, uint64_t batch) const {
    return ((step * microSteps + microStep) * ranks + rank) * batch + row +
           shift;
  }
};

/// Sequence i is the tokens from i x T on.  An input reads T of them, or the T
/// that are `later` by one, so that targets are what follows each token.
class TokenData {
public:
  /// Opens `path` for sequences of `length` tokens, of which inputs read up to
  /// `maxLater` tokens later; `isWide`: the vocabulary is beyond 16 bits.  Throws
  /// zrt::Error when the file cannot be that.
  TokenData(const std::string &path, TokenFormat format, int64_t length,
            uint64_t maxLater, bool isWide = false);

  uint64_t tokens() const { return total; }
  uint64_t length() const { return perSequence; }
  uint64_t sequences() const { return (total - maxLater) / perSequence; }
  /// Whether each byte is a token.
  bool isText() const { return !llmc && width == 1; }
  /// "llm.c uint16", "raw uint32", "text bytes".
  const char *formatName() const;
  uint64_t fileBytes() const { return file.size(); }
  const std::string &path() const { return file.path(); }

  /// Checks every token that `input` would read.  Throws zrt::Error.
  void check(const zrt_input &input, uint64_t later) const;
  /// Writes a sequence to `to`.  Throws zrt::Error for a token that `input` may
  /// not hold, and when the file has been cut.
  void read(uint64_t sequence, uint64_t later, const zrt_input &input,
            std::byte *to) const;
  /// Writes what `input` ignores, if it has such a value, over each element of `to`
  /// whose token of the sequence is `separator`.  Throws zrt::Error as above.
  void mask(uint64_t sequence, int64_t separator, const zrt_input &input,
            std::byte *to) const;
  /// How many tokens of all sequences are `token`.
  uint64_t count(int64_t token) const;

private:
  void detect(TokenFormat format, bool isWide);
  void readLlmcHeader();
  /// Calls `use(i, id)` for each of `number` tokens from `first` on, the i-th of
  /// the file.
  template <typename Use>
  void forEachToken(uint64_t first, uint64_t number, Use use) const;
  /// The same, after a check of the id.
  template <typename Use>
  void forEachToken(uint64_t first, uint64_t number, const zrt_input &input,
                    Use use) const;
  [[noreturn]] void failAtToken(uint64_t index, int64_t token,
                                const zrt_input &input) const;

  InputFile file;
  uint64_t perSequence, maxLater;
  bool llmc = false;
  uint32_t width = 1;      ///< bytes of a token
  uint64_t dataOffset = 0; ///< of the first token
  uint64_t total = 0;      ///< tokens
};

} // namespace zrt
