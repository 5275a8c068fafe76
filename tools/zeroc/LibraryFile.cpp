//===- LibraryFile.cpp - Finds files installed beside the compiler --------===//
#include "tools/zeroc/LibraryFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using llvm::SmallString;
using llvm::SmallVector;
using llvm::StringRef;

llvm::Expected<std::string> zero::findLibraryFile(StringRef argv0,
                                                  StringRef name) {
  SmallVector<SmallString<128>, 2> folders;
  if (const char *set = getenv("ZRT_LIB_DIR")) {
    folders = {SmallString<128>(set)};
  } else {
    // The installed layout, and that of a build folder.
    static int anchor;
    std::string self =
        llvm::sys::fs::getMainExecutable(argv0.str().c_str(), &anchor);
    SmallString<128> lib(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(self)));
    llvm::sys::path::append(lib, "lib");
    folders = {lib, lib};
    llvm::sys::path::append(folders.front(), "zeroc");
  }
  for (const SmallString<128> &folder : folders) {
    SmallString<128> path = folder;
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return llvm::createStringError(
      "the runtime's %s is not in %s; build it, or set ZRT_LIB_DIR to its "
      "folder",
      name.str().c_str(),
      llvm::join(llvm::map_range(folders,
                                 [](const SmallString<128> &folder) {
                                   return folder.str();
                                 }),
                 " nor in ")
          .c_str());
}
