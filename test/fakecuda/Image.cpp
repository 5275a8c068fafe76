//===- Image.cpp - Loaded images of emulated kernels ----------------------===//
#include "Image.h"

#include "Machine.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace fakecuda;

namespace {

/// All loaded images, and all handles of their kernels.
std::set<const Image *> images;
std::set<const void *> handles;

/// Returns a kernel's bytes of stack: every third kernel needs more than there
/// are by default.
uint64_t frameOf(const char *name) {
  const uint64_t number = std::hash<std::string>()(name);
  return number % 3 == 0 ? 1024 + 16 * (number % 101 + 1) : number % 1024;
}

/// Makes the functions zge_... visible to kernels, even if this library was
/// loaded with hidden symbols.
void showSymbols() {
  Dl_info self = {};
  if (!dladdr(reinterpret_cast<const void *>(&zge_thread), &self) ||
      !dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL))
    misuse("the library cannot show its symbols");
}

/// Returns the size of a shared object for this processor; 0 if `code` is not
/// one.
uint64_t sizeOf(const void *code) {
  Elf64_Ehdr header;
  // A text may be shorter than the header.
  if (std::strncmp(static_cast<const char *>(code), ELFMAG, SELFMAG) != 0)
    return 0;
  std::memcpy(&header, code, sizeof(header));
  if (header.e_machine != EM_X86_64 || header.e_type != ET_DYN)
    return 0;
  uint64_t end = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment,
                static_cast<const char *>(code) + header.e_phoff +
                    uint64_t(i) * header.e_phentsize,
                sizeof(segment));
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

} // namespace

Image *Image::load(const void *code) {
  const uint64_t bytes = sizeOf(code);
  if (bytes == 0)
    return nullptr;
  showSymbols();
  const int file = memfd_create("fake-cuda-image", MFD_CLOEXEC);
  if (file < 0 || write(file, code, bytes) != ssize_t(bytes))
    misuse("cannot keep an image");
  auto *image = new Image;
  image->library =
      dlopen(fmt::format("/proc/self/fd/{}", file).c_str(), RTLD_NOW);
  if (!image->library)
    misuse(fmt::format("an image: {}", dlerror()));
  close(file);
  images.insert(image);
  return image;
}

void Image::unload(Image *image) {
  if (images.erase(image) == 0)
    misuse("cuLibraryUnload of what is not loaded");
  for (const auto &[name, kernel] : image->kernels)
    handles.erase(&kernel);
  dlclose(image->library);
  delete image;
}

Image::Kernel *Image::find(const char *name) {
  void *entry = dlsym(library, name);
  if (!entry)
    return nullptr;
  Kernel &kernel =
      kernels
          .try_emplace(name,
                       Kernel{name, reinterpret_cast<void (*)(void **)>(entry),
                              0, frameOf(name)})
          .first->second;
  handles.insert(&kernel);
  return &kernel;
}

Image::Kernel &Image::kernel(const void *handle) {
  if (!handles.contains(handle))
    misuse("a kernel that has not been found, or whose library is unloaded");
  return *static_cast<Kernel *>(const_cast<void *>(handle));
}
