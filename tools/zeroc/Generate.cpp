//===- Generate.cpp - The command `zeroc generate` ------------------------===//
#include "tools/zeroc/Generate.h"

#include "targets/TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;
using namespace mlir::zero;

namespace {
/// A program, its first arguments, and "--name=value" arguments after them.
class Command {
public:
  /// `name` is argv[0].
  Command(std::string path, std::string name, std::vector<std::string> first)
      : path(std::move(path)), words({std::move(name)}) {
    llvm::append_range(words, first);
  }

  void add(const std::vector<std::pair<std::string, std::string>> &options) {
    for (const auto &[name, value] : options)
      words.push_back((Twine(name) + "=" + value).str());
  }
  /// Returns the exit status; below 0 if the program could not be run.
  int run(ArrayRef<std::optional<StringRef>> redirects, std::string &error) {
    SmallVector<StringRef> list(words.begin(), words.end());
    return llvm::sys::ExecuteAndWait(path, list, std::nullopt, redirects, 0, 0,
                                     &error);
  }

private:
  std::string path;
  std::vector<std::string> words;
};
} // namespace

/// An address in this program, to find its path.
static int anchor;

llvm::Expected<int> zero::runGenerate(const GenerateOptions &options,
                                      const char *argv0) {
  TemporaryFolder folder;
  if (std::error_code error = folder.create())
    return llvm::createStringError("cannot make a temporary folder: " +
                                   error.message());
  const std::string program = folder.file("result");
  Command compiler(llvm::sys::fs::getMainExecutable(argv0, &anchor), "zeroc",
                   {options.model, "--sample-only", "-o", program});
  compiler.add(options.compiled);
  std::string error;
  // Hides the compiler's certificate, but not its errors.
  int status = compiler.run({std::nullopt, StringRef(), std::nullopt}, error);
  if (status > 0)
    return status;
  if (status < 0)
    return llvm::createStringError("cannot run the compiler: " + error);
  Command generate(program, "zeroc generate", {"--weights", options.weights});
  generate.add(options.run);
  status = generate.run({}, error);
  if (status < 0)
    return llvm::createStringError("cannot run the compiled program: " + error);
  return status;
}
