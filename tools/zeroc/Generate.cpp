//===- Generate.cpp - The command `zeroc generate` ------------------------===//
#include "tools/zeroc/Subcommands.h"

#include "targets/TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using namespace mlir::zero;

/// Runs the program at `path` with `words`, the first of which is its name, and
/// options after them.  Returns the exit status; below 0 if it
/// could not be run.
static int runProgram(const std::string &path, std::vector<std::string> words,
                      const std::vector<std::string> &options,
                      ArrayRef<std::optional<StringRef>> redirects,
                      std::string &error) {
  llvm::append_range(words, options);
  SmallVector<StringRef> list(words.begin(), words.end());
  return llvm::sys::ExecuteAndWait(path, list, std::nullopt, redirects, 0, 0,
                                   &error);
}

/// An address in this program, to find its path.
static int anchor;

llvm::Expected<int> zero::runGenerate(const GenerateOptions &options,
                                      StringRef argv0) {
  TemporaryFolder folder;
  if (std::error_code error = folder.create())
    return llvm::createStringError("cannot make a temporary folder: " +
                                   error.message());
  const std::string program = folder.file("result");
  std::string error;
  // Hides the compiler's certificate, but not its errors.
  int status = runProgram(
      llvm::sys::fs::getMainExecutable(argv0.str().c_str(), &anchor),
      {"zeroc", options.model, "--sample-only", "-o", program},
      options.compiled, {std::nullopt, StringRef(), std::nullopt}, error);
  if (status > 0)
    return status;
  if (status < 0)
    return llvm::createStringError("cannot run the compiler: " + error);
  status = runProgram(program, {"zeroc generate", "--weights", options.weights},
                      options.run, {}, error);
  if (status < 0)
    return llvm::createStringError("cannot run the compiled program: " + error);
  return status;
}
