//===- Machine.cpp - A simulated GPU, for tests ---------------------------===//
#include "Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace fakecuda;

void fakecuda::misuse(const std::string &text) {
  std::fprintf(stderr, "fake cuda: %s\n", text.c_str());
  std::fflush(stderr);
  std::abort();
}

uint64_t fakecuda::numberOf(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

Machine &Machine::get() {
  // Never destroyed: threads may outlive static objects.
  static Machine &machine = *new Machine;
  return machine;
}

void Machine::start() {
  random.seed(numberOf("FAKE_CUDA_SEED", 1));
  total = numberOf("FAKE_CUDA_MEMORY", uint64_t{8} << 30);
  depth = numberOf("FAKE_CUDA_DEPTH", 1024);
  stack = 1024;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t Machine::addBlock(const Block &block) {
  blocks[nextNumber] = block;
  return nextNumber++;
}

uint64_t Machine::create(uint64_t bytes, bool isShareable) {
  if (bytes == 0 || bytes % kGranule != 0)
    misuse(fmt::format("cuMemCreate of {} bytes, which are no granules of {}",
                       bytes, kGranule));
  if (bytes > freeBytes())
    return 0;
  const int file = memfd_create("fake-cuda", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0)
    misuse("cannot make memory");
  // New memory contains old data.  (Only a part, since touching pages takes
  // time.)
  const std::vector<char> left(std::min<uint64_t>(bytes, 1 << 20), char(0xa5));
  if (pwrite(file, left.data(), left.size(), 0) != ssize_t(left.size()))
    misuse("cannot write memory");
  taken += bytes;
  return addBlock({bytes, file, isShareable, /*isOther=*/false});
}

void Machine::release(uint64_t handle) {
  const auto block = blocks.find(handle);
  if (block == blocks.end())
    misuse("cuMemRelease of what is no memory, or was released before");
  for (const auto &[begin, mapped] : mappings)
    if (mapped.handle == handle)
      misuse("cuMemRelease of memory that is still mapped");
  close(block->second.file);
  if (!block->second.isOther)
    taken -= block->second.bytes;
  blocks.erase(block);
}

int Machine::exportBlock(uint64_t handle) {
  const auto block = blocks.find(handle);
  if (block == blocks.end() || !block->second.isShareable)
    misuse("cuMemExportToShareableHandle of what was not created for that");
  return fcntl(block->second.file, F_DUPFD_CLOEXEC, 0);
}

uint64_t Machine::importBlock(int number, bool isOtherMemory) {
  struct stat status = {};
  int file = fcntl(number, F_DUPFD_CLOEXEC, 0);
  if (file < 0 || fstat(file, &status) != 0 ||
      status.st_size % int64_t(kGranule) != 0)
    return 0;
  if (isOtherMemory) {
    close(file);
    file = memfd_create("fake-cuda", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, status.st_size) != 0)
      misuse("cannot make memory");
  }
  return addBlock({uint64_t(status.st_size), file, /*isShareable=*/false,
                   /*isOther=*/true});
}

char *Machine::reserve(uint64_t bytes) {
  void *begin = mmap(nullptr, bytes + kGranule, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    misuse("cannot reserve addresses");
  // The rest of the granules is unused.
  const auto at = reinterpret_cast<uintptr_t>(begin);
  auto *aligned =
      reinterpret_cast<char *>((at + kGranule - 1) / kGranule * kGranule);
  reservations[aligned] = bytes;
  return aligned;
}

void Machine::unreserve(char *begin, uint64_t bytes) {
  const auto found = reservations.find(begin);
  if (found == reservations.end() || found->second != bytes)
    misuse(
        fmt::format("cuMemAddressFree of {} bytes at {}, which have not been "
                    "reserved so",
                    bytes, static_cast<void *>(begin)));
  const auto inside = mappings.lower_bound(begin);
  if (inside != mappings.end() && inside->first < begin + bytes)
    misuse("cuMemAddressFree of what is still mapped");
  munmap(begin, bytes);
  reservations.erase(found);
}

Machine::Mapping &Machine::mapping(const char *what, char *begin,
                                   uint64_t bytes) {
  const auto found = mappings.find(begin);
  if (found == mappings.end() || found->second.bytes != bytes)
    misuse(fmt::format("{} of {} bytes at {}, which have not been mapped so",
                       what, bytes, static_cast<void *>(begin)));
  return found->second;
}

void Machine::map(char *begin, uint64_t bytes, uint64_t handle) {
  auto range = reservations.upper_bound(begin);
  if (range == reservations.begin() ||
      begin + bytes > (--range)->first + range->second)
    misuse(fmt::format("cuMemMap of {} bytes at {}, which have not been "
                       "reserved",
                       bytes, static_cast<void *>(begin)));
  auto next = mappings.lower_bound(begin);
  const bool isTaken =
      (next != mappings.end() && next->first < begin + bytes) ||
      (next != mappings.begin() &&
       std::prev(next)->first + std::prev(next)->second.bytes > begin);
  const auto block = blocks.find(handle);
  if (block == blocks.end() || block->second.bytes != bytes || isTaken)
    misuse("cuMemMap of other memory than fits there, or twice");
  if (mmap(begin, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, block->second.file,
           0) == MAP_FAILED)
    misuse("cannot map memory");
  mappings[begin] = {bytes, handle};
}

void Machine::unmap(char *begin, uint64_t bytes) {
  (void)mapping("cuMemUnmap", begin, bytes);
  // Operations that still use it fail with SIGSEGV.
  mmap(begin, bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  mappings.erase(begin);
  emulator.memory.remove(begin);
}

void Machine::allow(char *begin, uint64_t bytes) {
  mapping("cuMemSetAccess", begin, bytes).isAllowed = true;
  emulator.memory.add(begin, bytes);
}

void Machine::registerHost(const char *begin, uint64_t bytes) {
  if (!pinned.emplace(begin, bytes).second)
    misuse("cuMemHostRegister of what is registered");
}

void Machine::unregisterHost(const char *begin) {
  if (pinned.erase(begin) == 0)
    misuse("cuMemHostUnregister of what is not registered");
}

bool Machine::isDevice(const void *address, uint64_t bytes) const {
  const auto *begin = static_cast<const char *>(address);
  auto after = mappings.upper_bound(const_cast<char *>(begin));
  if (after == mappings.begin())
    return false;
  const auto &[base, mapped] = *--after;
  return mapped.isAllowed && begin + bytes <= base + mapped.bytes;
}

bool Machine::isPinned(const void *address, uint64_t bytes) const {
  const auto *begin = static_cast<const char *>(address);
  auto after = pinned.upper_bound(begin);
  if (after == pinned.begin())
    return false;
  const auto &[base, size] = *--after;
  return begin + bytes <= base + size;
}

void Machine::needDevice(const char *what, const void *begin,
                         uint64_t bytes) const {
  if (!isDevice(begin, bytes))
    misuse(fmt::format("{}: {} bytes at {} are no memory of the device, or not "
                       "all of them",
                       what, bytes, begin));
}

void Machine::protect(int access) {
  for (const auto &[begin, mapped] : mappings)
    if (mapped.isAllowed && mprotect(begin, mapped.bytes, access) != 0)
      misuse("cannot protect memory");
}

void Machine::openMemory() {
  if (!isOpen)
    protect(PROT_READ | PROT_WRITE);
  isOpen = true;
}

void Machine::closeMemory() {
  if (isOpen)
    protect(PROT_NONE);
  isOpen = false;
}
