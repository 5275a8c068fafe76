//===- Encoder.h - Pieces of documents to ids -------------------*- C++ -*-===//
#pragma once

#include "tools/tokenize/DocumentReader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// The ids of all pieces, and how many each has.
struct Encoded {
  std::vector<uint32_t> counts, ids;
  /// Special tokens that are written as ordinary text, and the first of them.
  uint64_t specials = 0;
  std::string special;
};

/// All throw zrt::Error.
class Encoder {
public:
  virtual ~Encoder() = default;
  /// Ids are below it, and so is the separator.
  virtual uint64_t vocabulary() const = 0;
  /// The token at the end of a document, if there shall be one.
  virtual std::optional<uint32_t> separator() const = 0;
  virtual Encoded encode(const std::vector<Piece> &pieces) = 0;
};

/// A byte a token.  The separator is a number.
std::unique_ptr<Encoder>
bytesEncoder(const std::optional<std::string> &separator);

/// A process of `script` with Hugging Face's tokenizers, by a `tokenizer.json`.  The
/// separator is a number or a token of it.  With `hasSpecialTokens`, texts may hold
/// special tokens.
std::unique_ptr<Encoder>
processEncoder(const std::string &script, const std::string &tokenizer,
               const std::optional<std::string> &separator,
               bool hasSpecialTokens);

} // namespace zrt
