//===- PythonCommands.cpp - Commands that are written in Python -----------===//
#include "tools/zeroc/PythonCommands.h"

#include "tools/zeroc/LibraryFile.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace mlir;
using namespace mlir::zero;

bool zero::isPythonCommand(StringRef name) {
  return name == "data" || name == "finetune" || name == "pretrain" ||
         name == "generate" || name == "chat" || name == "trace" ||
         name == "calibrate" || name == "explain" || name == "diff" ||
         name == "report" || name == "plot" || name == "tokenize" ||
         name == "tune" || name == "replay";
}

llvm::Error zero::runPythonCommand(ArrayRef<char *> argv,
                                   const std::string &options) {
  static int anchor;
  const std::string self = llvm::sys::fs::getMainExecutable(argv[0], &anchor);
  // In a wheel the package is where that Python finds it.
  if (auto packages = findLibraryFile(argv[0], "python")) {
    std::string path = *packages;
    if (const char *more = getenv("PYTHONPATH"); more && *more)
      path += std::string(":") + more;
    setenv("PYTHONPATH", path.c_str(), 1);
  } else {
    llvm::consumeError(packages.takeError());
  }
  setenv("ZEROC_PROGRAM", self.c_str(), 1);
  setenv("ZEROC_OPTIONS", options.c_str(), 1);
  const char *named = getenv("ZEROC_PYTHON");
  std::string python = named && *named ? named : "python3", flag = "-m",
              package = "zeroc";
  std::vector<char *> words = {python.data(), flag.data(), package.data()};
  words.insert(words.end(), argv.begin() + 1, argv.end());
  words.push_back(nullptr);
  execvp(words[0], words.data());
  return llvm::createStringError(
      "zeroc %s needs Python, and %s cannot be run: %s; install it, or name "
      "it in ZEROC_PYTHON",
      argv[1], python.c_str(), strerror(errno));
}
