//===- TokenData.h - The text to train on, as token ids ---------*- C++ -*-===//
#ifndef ZRT_IO_TOKEN_DATA_H
#define ZRT_IO_TOKEN_DATA_H

#include "runtime/io/InputFile.h"

#include <cstdint>
#include <string>

namespace zrt {

/// How a file holds tokens: after llm.c's 1024-byte header (uint16 or uint32),
/// raw uint16, raw uint32, or the bytes of a text.
enum class TokenFormat { Auto, Llmc, U16, U32, Text };

/// Which sequences a step reads.  Sequence i is the T + 1 tokens from i x T on.
struct BatchPlace {
  uint64_t step = 0;       ///< s, from 0
  uint64_t microStep = 0;  ///< k of microSteps
  uint64_t microSteps = 1; ///< K
  uint64_t rank = 0;       ///< r of ranks
  uint64_t ranks = 1;      ///< N

  /// ((s K + k) N + r) B + b, modulo `sequences`.
  uint64_t sequence(uint64_t row, uint64_t batch, uint64_t sequences) const {
    return (((step * microSteps + microStep) * ranks + rank) * batch + row) %
           sequences;
  }
};

class TokenData {
public:
  /// Opens `path` for sequences of `length` tokens with ids below `vocab` (0:
  /// unknown).  Throws zrt::Error when the file cannot be that.
  TokenData(const std::string &path, TokenFormat format, int64_t length,
            int64_t vocab);

  uint64_t tokens() const { return count; }
  uint64_t sequences() const { return (count - 1) / length; }
  /// "llm.c uint16", "raw uint32", "text bytes".
  const char *formatName() const;
  uint64_t fileBytes() const { return file.size(); }

  /// Checks the id of every token.  Throws zrt::Error.
  void checkAll() const;
  /// Writes `batch` rows of inputs, and of targets one token later.  Checks
  /// every id it reads.  Throws zrt::Error, also when the file has been cut.
  void readBatch(const BatchPlace &place, int64_t batch, int32_t *inputs,
                 int32_t *targets) const;

private:
  void detect(TokenFormat format);
  void readLlmcHeader();
  /// Calls `use(index, id)` for each of `number` tokens from `first` on, after
  /// a check of the id.
  template <typename Use>
  void forEachToken(uint64_t first, uint64_t number, Use use) const;
  [[noreturn]] void failAtToken(uint64_t index, uint32_t token) const;

  InputFile file;
  uint64_t length;
  uint64_t limit; ///< ids are below this
  bool llmc = false;
  uint32_t width = 1;      ///< bytes of a token
  uint64_t dataOffset = 0; ///< of the first token
  uint64_t count = 0;
};

} // namespace zrt

#endif // ZRT_IO_TOKEN_DATA_H
