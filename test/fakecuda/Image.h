//===- Image.h - Loaded images of emulated kernels --------------*- C++ -*-===//
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
    uint64_t sharedBytes = 0; ///< limit for its launches
    uint64_t frame = 0;       ///< bytes of stack of each thread
  };

  /// Returns nullptr if `code` is not an image.
  static Image *load(const void *code);
  static void unload(Image *image);
  /// Returns nullptr if there is no such kernel.
  Kernel *find(const char *name);
  /// Returns the kernel of a handle; ends the process if the handle is invalid.
  static Kernel &kernel(const void *handle);

private:
  void *library = nullptr;
  std::map<std::string, Kernel> kernels;
};

} // namespace fakecuda
