//===- Blocks.h - Hashes files block by block -------------------*- C++ -*-===//
#pragma once

#include "train/state/checkpoint/Manifest.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// A part of the work on all blocks: share number `number` of `shares`, on so
/// many threads.
struct BlockShare {
  int number = 0, shares = 1, threads = 1;
};

/// Calls `work(file, block)` for the blocks of a share, on several threads.
/// Throws what it has thrown, the first in the order of blocks.
void forEachBlock(const std::vector<FileRecord> &files, const BlockShare &share,
                  const std::function<void(size_t file, uint64_t block)> &work);

/// The bytes [first, second) of a file in block `block` of its record.
std::pair<uint64_t, uint64_t> rangeOfBlock(const FileRecord &file,
                                           uint64_t block);

/// The hash of that block of the file at `path`.  Throws zrt::Error.
uint64_t hashOfBlock(const std::string &path, const FileRecord &file,
                     uint64_t block);

} // namespace zrt
