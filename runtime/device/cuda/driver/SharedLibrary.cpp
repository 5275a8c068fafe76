//===- SharedLibrary.cpp - Loads a library by name ------------------------===//
#include "runtime/device/cuda/driver/SharedLibrary.h"

#include "runtime/Error.h"

#include <dlfcn.h>

using namespace zrt;
using namespace zrt::cuda;

SharedLibrary::SharedLibrary(const char *theFile, const char *theOwner)
    : file(theFile), what(theOwner), handle(dlopen(theFile, RTLD_NOW)) {
  if (!handle)
    fail("this program was compiled with --target=cuda and needs {}: {}; "
         "install it, or name its folder in LD_LIBRARY_PATH",
         what, dlerror());
}

void *SharedLibrary::address(const char *symbol) const {
  void *found = dlsym(handle, symbol);
  if (!found)
    fail(
        "{} has no {}, which this program needs; install a newer version of {}",
        file, symbol, what);
  return found;
}
