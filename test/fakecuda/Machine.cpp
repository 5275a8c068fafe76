//===- Machine.cpp - A GPU that is none, for tests ------------------------===//
#include "Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
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
  // Never destroyed: threads may outlive what is destroyed at the end.
  static Machine &machine = *new Machine;
  return machine;
}

void Machine::start() {
  random.seed(numberOf("FAKE_CUDA_SEED", 1));
  total = numberOf("FAKE_CUDA_MEMORY", uint64_t{8} << 30);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t Machine::create(uint64_t bytes) {
  if (bytes == 0 || bytes % kGranule != 0)
    misuse(fmt::format("cuMemCreate of {} bytes, which are no granules of {}",
                       bytes, kGranule));
  if (bytes > freeBytes())
    return 0;
  const int file = memfd_create("fake-cuda", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0)
    misuse("cannot make memory");
  // New memory holds what others left there.  (Not all of it: pages cost time.)
  const std::vector<char> left(std::min<uint64_t>(bytes, 1 << 20), char(0xa5));
  if (pwrite(file, left.data(), left.size(), 0) != ssize_t(left.size()))
    misuse("cannot write memory");
  taken += bytes;
  blocks[nextNumber] = {bytes, file};
  return nextNumber++;
}

void Machine::release(uint64_t handle) {
  const auto block = blocks.find(handle);
  if (block == blocks.end())
    misuse("cuMemRelease of what is no memory, or was released before");
  for (const auto &[begin, reserved] : reservations)
    if (reserved.handle == handle)
      misuse("cuMemRelease of memory that is still mapped");
  close(block->second.file);
  taken -= block->second.bytes;
  blocks.erase(block);
}

char *Machine::reserve(uint64_t bytes) {
  void *begin = mmap(nullptr, bytes + kGranule, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    misuse("cannot reserve addresses");
  // The rest of the granules stays unused.
  const auto at = reinterpret_cast<uintptr_t>(begin);
  auto *aligned =
      reinterpret_cast<char *>((at + kGranule - 1) / kGranule * kGranule);
  reservations[aligned] = {bytes};
  return aligned;
}

Machine::Reservation &Machine::reservation(const char *what, char *begin,
                                           uint64_t bytes) {
  const auto found = reservations.find(begin);
  if (found == reservations.end() || found->second.bytes != bytes)
    misuse(fmt::format("{} of {} bytes at {}, which have not been reserved so",
                       what, bytes, static_cast<void *>(begin)));
  return found->second;
}

void Machine::unreserve(char *begin, uint64_t bytes) {
  if (reservation("cuMemAddressFree", begin, bytes).handle)
    misuse("cuMemAddressFree of what is still mapped");
  munmap(begin, bytes);
  reservations.erase(begin);
}

void Machine::map(char *begin, uint64_t bytes, uint64_t handle) {
  Reservation &reserved = reservation("cuMemMap", begin, bytes);
  const auto block = blocks.find(handle);
  if (block == blocks.end() || block->second.bytes != bytes || reserved.handle)
    misuse("cuMemMap of other memory than fits there, or twice");
  if (mmap(begin, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, block->second.file,
           0) == MAP_FAILED)
    misuse("cannot map memory");
  reserved.handle = handle;
}

void Machine::unmap(char *begin, uint64_t bytes) {
  Reservation &reserved = reservation("cuMemUnmap", begin, bytes);
  if (!reserved.handle)
    misuse("cuMemUnmap of what is not mapped");
  // Operations that still use it end with SIGSEGV.
  mmap(begin, bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  reserved.handle = 0;
  reserved.isAllowed = false;
  emulator.memory.remove(begin);
}

void Machine::allow(char *begin, uint64_t bytes) {
  Reservation &reserved = reservation("cuMemSetAccess", begin, bytes);
  if (!reserved.handle)
    misuse("cuMemSetAccess of what is not mapped");
  reserved.isAllowed = true;
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
  auto after = reservations.upper_bound(const_cast<char *>(begin));
  if (after == reservations.begin())
    return false;
  const auto &[base, reserved] = *--after;
  return reserved.isAllowed && begin + bytes <= base + reserved.bytes;
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
  for (const auto &[begin, reserved] : reservations)
    if (reserved.isAllowed && mprotect(begin, reserved.bytes, access) != 0)
      misuse("cannot protect memory");
}

void Machine::withMemory(const std::function<void()> &action) {
  if (isOpen)
    return action();
  isOpen = true;
  protect(PROT_READ | PROT_WRITE);
  action();
  protect(PROT_NONE);
  isOpen = false;
}
