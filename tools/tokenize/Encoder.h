//===- Encoder.h - Encodes pieces of documents as ids -----------*- C++ -*-===//
#pragma once

#include "tools/tokenize/DocumentReader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// The ids of all pieces, and the count of each piece.
struct Encoded {
  std::vector<uint32_t> counts, ids;
  /// Occurrences of special tokens as ordinary text, and the first such text.
  uint64_t specials = 0;
  std::string special;
};

/// All functions throw zrt::Error.
class Encoder {
public:
  virtual ~Encoder() = default;
  /// Ids and the separator are below this number.
  virtual uint64_t vocabulary() const = 0;
  /// The token that ends each document, if any.
  virtual std::optional<uint32_t> separator() const = 0;
  virtual Encoded encode(const std::vector<Piece> &pieces) = 0;
};

/// One token per byte.  The separator is a number.
std::unique_ptr<Encoder>
bytesEncoder(const std::optional<std::string> &separator);

/// Runs `script`, which uses Hugging Face's tokenizers and a `tokenizer.json`.
/// The separator is a number or one of its tokens.  With `hasSpecialTokens`,
/// special tokens in texts are recognized.
std::unique_ptr<Encoder>
processEncoder(const std::string &script, const std::string &tokenizer,
               const std::optional<std::string> &separator,
               bool hasSpecialTokens);

} // namespace zrt
