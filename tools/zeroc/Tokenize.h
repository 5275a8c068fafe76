//===- Tokenize.h - The command `zeroc tokenize` ----------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Of `zeroc tokenize FILE... -o OUT --tokenizer=TOKENIZER.json|--bytes`.
struct TokenizeOptions {
  std::vector<std::string> files;
  std::string output, tokenizer, separator, field; ///< "": not given
  bool bytes = false, specialTokens = false;
};

/// Writes the tokens, and says how many.  `argv0` is this program's.
llvm::Error runTokenize(const TokenizeOptions &options, llvm::StringRef argv0);

} // namespace mlir::zero
