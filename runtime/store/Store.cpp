//===- Store.cpp - The nvme tier of a rank --------------------------------===//
#include "runtime/store/Store.h"

#include <algorithm>
#include <cstring>

using namespace zrt;

namespace {
/// The most bytes that host access stages at once.
constexpr uint64_t kStaged = 4 * kStripe;
} // namespace

std::vector<std::string> zrt::splitFolders(std::string_view path) {
  std::vector<std::string> folders;
  for (size_t begin = 0;;) {
    const size_t end = path.find(',', begin);
    folders.emplace_back(path.substr(begin, end - begin));
    if (end == path.npos)
      return folders;
    begin = end + 1;
  }
}

Store::Store(uint64_t bytes, std::string_view path,
             std::shared_ptr<Faults> faults, bool verifies)
    : space(bytes, splitFolders(path), std::move(faults), verifies),
      staged(std::min(roundUpToBlock(bytes), kStaged)), hostLane(space) {}

std::string Store::note() const {
  std::string all = space.note();
  if (!hostLane.note().empty())
    all += (all.empty() ? "" : "\n") + hostLane.note();
  return all;
}

void Store::read(uint64_t offset, uint64_t bytes, std::byte *to) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t skipped = (offset + done) % kBlock;
    const uint64_t count = std::min(bytes - done, kStaged - skipped);
    hostLane.read(offset + done - skipped, roundUpToBlock(skipped + count),
                  staged.data());
    std::memcpy(to + done, staged.data() + skipped, count);
    done += count;
  }
}

template <typename Change>
void Store::update(uint64_t offset, uint64_t bytes, Change change) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t skipped = (offset + done) % kBlock;
    const uint64_t first = offset + done - skipped;
    const uint64_t count = std::min(bytes - done, kStaged - skipped);
    const uint64_t blocks = roundUpToBlock(skipped + count);
    // The first and last blocks may also hold bytes of other buffers.
    if (skipped > 0)
      hostLane.read(first, kBlock, staged.data());
    if ((skipped + count) % kBlock != 0 && (skipped == 0 || blocks > kBlock))
      hostLane.read(first + blocks - kBlock, kBlock,
                    staged.data() + blocks - kBlock);
    change(staged.data() + skipped, done, count);
    hostLane.write(first, blocks, staged.data());
    done += count;
  }
}

void Store::write(uint64_t offset, uint64_t bytes, const std::byte *from) {
  update(offset, bytes, [&](std::byte *in, uint64_t at, uint64_t count) {
    std::memcpy(in, from + at, count);
  });
}

void Store::fill(uint64_t offset, uint64_t bytes, unsigned char value) {
  update(offset, bytes, [&](std::byte *in, uint64_t, uint64_t count) {
    std::memset(in, value, count);
  });
}
