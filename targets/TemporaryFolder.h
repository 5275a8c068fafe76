//===- TemporaryFolder.h - A folder for intermediate files ----------------===//
//
// A folder that disappears with its contents, however the compiler ends.  A
// small process waits until all writers of a pipe are gone (this process and
// the tools that it starts), and then removes the folder.  So neither a signal
// nor a linker that outlives its compiler leaves anything behind.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>
#include <sys/types.h>
#include <system_error>

namespace mlir::zero {

class TemporaryFolder {
public:
  /// Makes a folder in TMPDIR.
  std::error_code create();
  ~TemporaryFolder();

  /// Returns the path of `name`, one of kNames, in the folder.
  std::string file(llvm::StringRef name) const {
    return path + "/" + name.str();
  }

  static constexpr const char *kNames[] = {
      "kernels.o",   "plan.o",        "result",     "tool.log",
      "kernels.ptx", "kernels.cubin", "emulated.o", "emulated.so"};

private:
  std::string path;
  int alive = -1; ///< held open while the folder is needed
  pid_t remover = -1;
};

} // namespace mlir::zero
