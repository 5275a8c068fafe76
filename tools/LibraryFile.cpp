//===- LibraryFile.cpp - Finds files installed beside the compiler --------===//
#include "tools/LibraryFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using llvm::SmallString;
using llvm::StringRef;

llvm::Expected<std::string> zero::findLibraryFile(StringRef argv0,
                                                  StringRef name) {
  std::vector<std::string> folders;
  if (const char *set = getenv("ZRT_LIB_DIR"); set && *set) {
    folders = {set};
  } else {
    // The installed layout, and that of a build folder.
    static int anchor;
    std::string self =
        llvm::sys::fs::getMainExecutable(argv0.str().c_str(), &anchor);
    SmallString<128> lib(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(self)));
    llvm::sys::path::append(lib, "lib");
    folders = {(lib + "/zeroc").str(), lib.str().str()};
  }
  for (const std::string &folder : folders)
    if (std::string path = folder + "/" + name.str();
        llvm::sys::fs::exists(path))
      return path;
  return llvm::createStringError("the runtime's " + name + " is not in " +
                                 llvm::join(folders, " nor in ") +
                                 "; build it, or set ZRT_LIB_DIR to its "
                                 "folder");
}

std::string zero::findMachineFile(StringRef name) {
  if (llvm::sys::fs::exists(name))
    return name.str();
  const std::string file = name.starts_with("machines/")
                               ? name.str()
                               : ("machines/" + name + ".json").str();
  auto found = findLibraryFile("zeroc", file);
  if (found)
    return *found;
  llvm::consumeError(found.takeError());
  return name.str();
}
