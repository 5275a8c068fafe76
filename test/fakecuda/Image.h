//===- Image.h - Emulated kernels that have been loaded ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fakecuda {

/// An x86-64 shared object whose entries are kernels (test/emulator/Emulator.h).
class Image {
public:
  struct Kernel {
    std::string name;
    void (*entry)(void **parameters);
    uint64_t sharedBytes = 0; ///< that its launches may ask for
  };

  /// nullptr when `code` is something else.
  static Image *load(const void *code);
  static void unload(Image *image);
  /// nullptr when there is none.
  Kernel *find(const char *name);
  /// The kernel of a handle; ends the process when it is none.
  static Kernel &kernel(const void *handle);

private:
  void *library = nullptr;
  std::map<std::string, Kernel> kernels;
};

} // namespace fakecuda
