//===- Tokenize.cpp - The command `zeroc tokenize` ------------------------===//
#include "tools/zeroc/Tokenize.h"

#include "tools/tokenize/Tokenize.h"
#include "tools/zeroc/LibraryFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static std::optional<std::string> ifGiven(const std::string &value) {
  return value.empty() ? std::nullopt : std::optional(value);
}

llvm::Error zero::runTokenize(const TokenizeOptions &options,
                              llvm::StringRef argv0) {
  zrt::TokenizeRequest request;
  request.files = options.files;
  request.output = options.output;
  request.tokenizer = options.tokenizer;
  request.separator = ifGiven(options.separator);
  request.specialTokens = options.specialTokens;
  request.field = ifGiven(options.field);
  if (!options.bytes) {
    auto script = findLibraryFile(argv0, "zeroc_tokenize.py");
    if (!script)
      return script.takeError();
    request.script = *script;
  }
  const zrt::TokenizeResult result = zrt::tokenize(request);
  if (!result.error.empty())
    return llvm::createStringError(result.error);
  if (!result.warning.empty())
    llvm::errs() << "zeroc: warning: " << result.warning << "\n";
  llvm::outs() << "wrote " << result.summary << "\n";
  return llvm::Error::success();
}
