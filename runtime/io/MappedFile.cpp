//===- MappedFile.cpp - A file read through the page cache ----------------===//
#include "runtime/io/MappedFile.h"

#include "runtime/Error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

MappedFile::MappedFile(const std::string &path) : name(path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail("cannot read {}: {}", path, errnoText());
  struct stat info = {};
  const bool known = fstat(file, &info) == 0;
  if (!known || !S_ISREG(info.st_mode)) {
    const std::string reason = known ? "it is not a regular file" : errnoText();
    close(file);
    fail("cannot read {}: {}", path, reason);
  }
  bytes = static_cast<uint64_t>(info.st_size);
  if (bytes > 0) {
    void *memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
      const std::string reason = errnoText();
      close(file);
      fail("cannot map {} ({} bytes): {}", path, bytes, reason);
    }
    base = static_cast<const std::byte *>(memory);
  }
  close(file); // the mapping stays
}

MappedFile::~MappedFile() {
  if (base)
    munmap(const_cast<std::byte *>(base), bytes);
}
