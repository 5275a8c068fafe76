//===- Copies.cpp - Asynchronous copies to shared memory ------------------===//
//
// A copy may happen at any time until its thread has waited for it, so it is
// recorded in the shadow memory twice: when it is issued, and when it is waited
// for.
//
//===----------------------------------------------------------------------===//
#include "Grid.h"

#include <cstring>
#include <fmt/format.h>
#include <utility>

using namespace zge;

static constexpr uint32_t kCopyBytes = 16;

void Grid::copy(uint32_t at, const void *from, uint32_t bytes) {
  if (bytes != 0 && bytes != kCopyBytes)
    fail(fmt::format("it copies {} bytes; 16 or 0 are possible", bytes));
  access(from, bytes, /*writes=*/false);
  access(sharedAt(at), kCopyBytes, /*writes=*/true);
  std::memset(sharedAt(at), 0xff, kCopyBytes);
  threads[current].copies.push_back({at, from, bytes});
}

void Grid::waitForCopies() {
  for (const Copy &copy : std::exchange(threads[current].copies, {})) {
    access(copy.from, copy.bytes, /*writes=*/false);
    access(sharedAt(copy.at), kCopyBytes, /*writes=*/true);
    std::memset(sharedAt(copy.at), 0, kCopyBytes);
    std::memcpy(sharedAt(copy.at), copy.from, copy.bytes);
  }
}
