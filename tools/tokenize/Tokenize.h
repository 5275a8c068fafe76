//===- Tokenize.h - Documents to a file of tokens ---------------*- C++ -*-===//
//
//   files -> DocumentReader -> pieces of documents -> Encoder -> ids -> TokenWriter
//
// in batches of some MiB: what is held does not grow with the files.
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
  std::string tokenizer; ///< a tokenizer.json; "": bytes
  std::string script;    ///< zeroc_tokenize.py, if there is a tokenizer
  /// The id or the token at the end of each document; none without it.
  std::optional<std::string> separator;
  /// Whether the text of a special token of the tokenizer is that token.
  bool specialTokens = false;
  /// Files are JSON, a line a document, and this is the field with its text;
  /// without it those are whose name says so, and their field is "text".
  std::optional<std::string> field;
};

struct TokenizeResult {
  std::string error;   ///< "" if there was none; the output is as it was then
  std::string summary; ///< documents, tokens and bytes
  std::string warning; ///< "" if there is none
};

/// Throws nothing: its caller is built without exceptions.
TokenizeResult tokenize(const TokenizeRequest &request);

} // namespace zrt
