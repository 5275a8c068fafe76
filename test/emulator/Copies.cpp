//===- Copies.cpp - Asynchronous copies to shared memory ------------------===//
//
// A copy may happen at any time until its thread has waited for it, so it is
// recorded in the shadow memory twice: when it is issued, and when it is waited
// for.
//
//===----------------------------------------------------------------------===//
#include "Grid.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace zge;

static constexpr uint32_t kCopyBytes = 16;

void Grid::copy(uint32_t at, const void *from, uint32_t bytes) {
  if (bytes > kCopyBytes)
    fail(fmt::format("it copies {} bytes; at most 16 are possible", bytes));
  if (bytes != 0 && reinterpret_cast<uintptr_t>(from) % kCopyBytes != 0)
    fail(fmt::format("it copies from {}, which is not aligned to 16 bytes",
                     place(from)));
  access(from, bytes, /*writes=*/false);
  access(sharedAt(at), kCopyBytes, /*writes=*/true);
  std::memset(sharedAt(at), 0xff, kCopyBytes);
  threads[current].copies.push_back(
      {at, from, bytes, threads[current].copyGroups});
}

void Grid::endCopies() { ++threads[current].copyGroups; }

void Grid::waitForCopies() { completeCopies(threads[current].copyGroups + 1); }

void Grid::waitForOlderCopies(uint32_t newer) {
  const uint32_t groups = threads[current].copyGroups;
  completeCopies(groups - std::min(groups, newer));
}

void Grid::completeCopies(uint32_t group) {
  std::vector<Copy> &copies = threads[current].copies;
  size_t done = 0;
  for (; done < copies.size() && copies[done].group < group; ++done) {
    const Copy &copy = copies[done];
    access(copy.from, copy.bytes, /*writes=*/false);
    access(sharedAt(copy.at), kCopyBytes, /*writes=*/true);
    std::memset(sharedAt(copy.at), 0, kCopyBytes);
    std::memcpy(sharedAt(copy.at), copy.from, copy.bytes);
  }
  copies.erase(copies.begin(), copies.begin() + ptrdiff_t(done));
}
