//===- SharedLibrary.cpp - Loads a library by name ------------------------===//
#include "runtime/device/cuda/driver/SharedLibrary.h"

#include "runtime/text/Error.h"

#include <dlfcn.h>

using namespace zrt;
using namespace zrt::cuda;

SharedLibrary::SharedLibrary(const std::vector<const char *> &files,
                             const char *theOwner)
    : what(theOwner) {
  std::string problems;
  for (const char *name : files) {
    handle = dlopen(name, RTLD_NOW);
    if (handle) {
      file = name;
      return;
    }
    problems += (problems.empty() ? "" : ", ") + std::string(dlerror());
  }
  fail("this program was compiled with --target=cuda and needs {}: {}; "
       "install it, or name its folder in LD_LIBRARY_PATH",
       what, problems);
}

void *SharedLibrary::address(const char *symbol) const {
  void *found = dlsym(handle, symbol);
  if (!found)
    fail(
        "{} has no {}, which this program needs; install a newer version of {}",
        file, symbol, what);
  return found;
}
