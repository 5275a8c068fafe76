//===- TokenData.h - Reads the training text as token ids -------*- C++ -*-===//
#pragma once

#include "train/state/io/InputFile.h"
#include "train/state/io/InputValues.h"

#include <cstdint>
#include <string>

namespace zrt {

/// Formats of tokens: llm.c's, with a 1024-byte header (uint16 or uint32), raw
/// uint16, raw uint32, or the bytes of a text.
enum class TokenFormat { Auto, Llmc, U16, U32, Text };

/// llm.c's header: magic number, version and number of tokens, each an int32,
/// then zeros.  Magic numbers and versions of uint16 and uint32 tokens:
constexpr uint32_t kLlmcMagic16 = 20240520, kLlmcMagic32 = 20240801;
constexpr uint32_t kLlmcVersion16 = 1, kLlmcVersion32 = 7;
constexpr uint64_t kLlmcHeaderBytes = 1024;

/// Selects the samples of a step: sequences of a text, or rows of files.
struct BatchPlace {
  uint64_t step = 0;       ///< s, from 0
  uint64_t microStep = 0;  ///< k of microSteps
  uint64_t microSteps = 1; ///< K
  uint64_t rank = 0;       ///< r of ranks
  uint64_t ranks = 1;      ///< N
  /// Added to all positions, modulo 2^64: steps of an earlier run may have read
  /// other numbers of samples.
  uint64_t shift = 0;

  /// ((s K + k) N + r) B + b, a position of SampleOrder.
  uint64_t position(uint64_t row, uint64_t batch) const {
    return ((step * microSteps + microStep) * ranks + rank) * batch + row +
           shift;
  }
};

/// Sequence i begins at token i x T.  An input reads T tokens from there, or
/// the T tokens from `later` tokens further on; targets are the tokens that are
/// later by one.
class TokenData {
public:
  /// Opens `path` for sequences of `length` tokens; inputs read them up to
  /// `maxLater` tokens later.  `isWide`: the vocabulary exceeds 16 bits.
  /// Throws zrt::Error if the file does not fit.
  TokenData(const std::string &path, TokenFormat format, int64_t length,
            uint64_t maxLater, bool isWide = false);

  uint64_t tokens() const { return total; }
  uint64_t length() const { return perSequence; }
  uint64_t sequences() const { return (total - maxLater) / perSequence; }
  /// Returns true if each byte is a token.
  bool isText() const { return !llmc && width == 1; }
  /// "llm.c uint16", "raw uint32", "text bytes".
  const char *formatName() const;
  uint64_t fileBytes() const { return file.size(); }
  const std::string &path() const { return file.path(); }

  /// Checks every token that `input` would read.  Throws zrt::Error.
  void check(const zrt_input &input, uint64_t later) const;
  /// Writes a sequence to `to`.  Throws zrt::Error for a token that is not
  /// valid for `input`, and if the file has been truncated.
  void read(uint64_t sequence, uint64_t later, const zrt_input &input,
            std::byte *to) const;
  /// Overwrites each element of `to` whose token of the sequence is `separator`
  /// with the ignored value of `input`, if it has one.  Throws zrt::Error as
  /// above.
  void mask(uint64_t sequence, int64_t separator, const zrt_input &input,
            std::byte *to) const;
  /// The number of tokens in all sequences that equal `token`.
  uint64_t count(int64_t token) const;

private:
  void detect(TokenFormat format, bool isWide);
  void readLlmcHeader();
  /// Calls `use(i, id)` for each of `number` tokens from `first` on, where i is
  /// the token's index in the file.
  template <typename Use>
  void forEachToken(uint64_t first, uint64_t number, Use use) const;
  /// The same, but checks each id.
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
