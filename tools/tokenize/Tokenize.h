//===- Tokenize.h - Converts documents to a file of tokens ------*- C++ -*-===//
//
//   files -> DocumentReader -> pieces -> Encoder -> ids -> TokenWriter
//
// in batches of some MiB, so that memory does not grow with the files.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace zrt {

struct TokenizeRequest {
  std::vector<std::string> files;
  std::string output;    ///< see TokenWriter
  std::string tokenizer; ///< a tokenizer.json; "" for bytes
  std::string script;    ///< zeroc_tokenize.py, if there is a tokenizer
  /// The id or the token at the end of each document, if any.
  std::optional<std::string> separator;
  /// Recognizes special tokens of the tokenizer in texts.
  bool specialTokens = false;
  /// The files are JSON, one document per line, with the text in this field.
  /// Without it, only files with a JSON name are, and their field is "text".
  std::optional<std::string> field;
};

struct TokenizeResult {
  std::string error;   ///< "" if none; on an error the output is unchanged
  std::string summary; ///< documents, tokens and bytes
  std::string warning; ///< "" if there is none
};

/// Does not throw, since its caller is built without exceptions.
TokenizeResult tokenize(const TokenizeRequest &request);

} // namespace zrt
