//===- LibraryFile.cpp - What is installed beside the compiler ------------===//
#include "tools/zeroc/LibraryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using llvm::StringRef;

llvm::Expected<std::string> zero::findLibraryFile(StringRef argv0,
                                                  StringRef name) {
  llvm::SmallString<128> path;
  if (const char *set = getenv("ZRT_LIB_DIR")) {
    path = set;
  } else {
    static int anchor;
    std::string self =
        llvm::sys::fs::getMainExecutable(argv0.str().c_str(), &anchor);
    path = llvm::sys::path::parent_path(llvm::sys::path::parent_path(self));
    llvm::sys::path::append(path, "lib");
  }
  std::string folder = path.str().str();
  llvm::sys::path::append(path, name);
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError(
        "the runtime's %s is not in %s; build it, or set ZRT_LIB_DIR to its "
        "folder",
        name.str().c_str(), folder.c_str());
  return path.str().str();
}
