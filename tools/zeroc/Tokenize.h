//===- Tokenize.h - The command `zeroc tokenize` ----------------*- C++ -*-===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::zero {

/// Options of `zeroc tokenize FILE... -o OUT
/// --tokenizer=TOKENIZER.json|--bytes`.
struct TokenizeOptions {
  std::vector<std::string> files;
  std::string output, tokenizer, separator, field; ///< "": not given
  bool bytes = false, specialTokens = false;
};

/// Writes the tokens, and reports their number.  `argv0` is that of this
/// program.
llvm::Error runTokenize(const TokenizeOptions &options, llvm::StringRef argv0);

} // namespace mlir::zero
