//===- SharedFile.cpp - Memory shared by the ranks of a host --------------===//
#include "runtime/core/SharedFile.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zrt;

namespace {

constexpr uint64_t kHugePage = uint64_t{2} << 20;

/// Maps `fd`, at a multiple of 2 MiB if it has at least that size: a huge page
/// must have the same alignment in memory and in the file.
void *mapAligned(int fd, uint64_t bytes, int protection) {
  if (bytes < kHugePage)
    return mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  const uint64_t reserved = roundUp(bytes, kHugePage) + kHugePage;
  void *memory = mmap(nullptr, reserved, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return memory;
  auto *start = static_cast<std::byte *>(memory);
  auto *aligned =
      start + (roundUp(reinterpret_cast<uint64_t>(start), kHugePage) -
               reinterpret_cast<uint64_t>(start));
  const uint64_t used = roundUp(bytes, 4096);
  if (aligned != start)
    munmap(start, static_cast<size_t>(aligned - start));
  munmap(aligned + used,
         reserved - used - static_cast<size_t>(aligned - start));
  void *mapped =
      mmap(aligned, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0);
  if (mapped == MAP_FAILED)
    munmap(aligned, used);
  else
    (void)madvise(mapped, bytes, MADV_HUGEPAGE);
  return mapped;
}

} // namespace

void SharedFile::create(const char *name, uint64_t size) {
  file = OpenFile(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file)
    fail("cannot make shared memory for {}: {}", name, errnoText());
  if (ftruncate(number(), static_cast<off_t>(size)) != 0)
    fail("cannot make {} of shared memory for {}: {}", shownBytes(size), name,
         errnoText());
  // Seals the size.  A process of the same user can open the file through
  // /proc, and if it were truncated, every rank that maps it would get a
  // SIGBUS.
  if (fcntl(number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
      0)
    fail("cannot fix the size of the shared memory for {}: {}", name,
         errnoText());
  bytes = size;
}

SharedFileCard SharedFile::card() const {
  SharedFileCard card;
  card.process = static_cast<int32_t>(getpid());
  struct stat status = {};
  if (!file || fstat(number(), &status) != 0)
    return card;
  card.number = number();
  card.bytes = bytes;
  card.device = status.st_dev;
  card.inode = status.st_ino;
  return card;
}

Mapping::~Mapping() {
  if (base)
    munmap(base, bytes);
}

void Mapping::mapOwn(const SharedFile &file) {
  const SharedFileCard card = file.card();
  void *memory = mapAligned(card.number, card.bytes, PROT_READ | PROT_WRITE);
  if (memory == MAP_FAILED)
    fail("cannot map {} of shared memory: {}", shownBytes(card.bytes),
         errnoText());
  base = static_cast<std::byte *>(memory);
  bytes = card.bytes;
}

std::string Mapping::mapPeers(const SharedFileCard &card, Access access) {
  if (card.number < 0)
    return "";
  const std::string path =
      fmt::format("/proc/{}/fd/{}", card.process, card.number);
  const bool writes = access == Access::Write;
  const OpenFile file(
      open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (!file)
    return fmt::format("cannot open {}: {}", path, errnoText());
  struct stat status = {};
  if (fstat(file.number(), &status) != 0 || status.st_dev != card.device ||
      status.st_ino != card.inode ||
      static_cast<uint64_t>(status.st_size) != card.bytes)
    return fmt::format("{} is not the memory of a rank", path);
  void *memory = mapAligned(file.number(), card.bytes,
                            writes ? PROT_READ | PROT_WRITE : PROT_READ);
  if (memory == MAP_FAILED)
    return fmt::format("cannot map {}: {}", path, errnoText());
  base = static_cast<std::byte *>(memory);
  bytes = card.bytes;
  return "";
}
