//===- Blocks.cpp - Verifies what reads return ----------------------------===//
#include "runtime/store/Blocks.h"

#include "runtime/hash/ContentHash.h"

using namespace zrt;

BlockHashes::BlockHashes(uint64_t bytes) {
  const std::vector<std::byte> zeros(kBlock);
  hashes.assign(roundUpToBlock(bytes) / kBlock,
                contentHash(zeros.data(), kBlock));
}

void BlockHashes::keep(uint64_t offset, uint64_t bytes,
                       const std::byte *memory) {
  for (uint64_t at = 0; at < bytes; at += kBlock)
    hashes[(offset + at) / kBlock] = contentHash(memory + at, kBlock);
}

uint64_t BlockHashes::firstOther(uint64_t offset, uint64_t bytes,
                                 const std::byte *memory) const {
  for (uint64_t at = 0; at < bytes; at += kBlock)
    if (hashes[(offset + at) / kBlock] != contentHash(memory + at, kBlock))
      return offset + at;
  return UINT64_MAX;
}
