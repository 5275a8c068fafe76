//===- Blocks.cpp - Hashes files block by block ---------------------------===//
#include "train/state/checkpoint/Blocks.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Error.h"
#include "train/state/checkpoint/RankFile.h"
#include "train/state/io/InputFile.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

using namespace zrt;

void zrt::forEachBlock(
    const std::vector<FileRecord> &files, const BlockShare &share,
    const std::function<void(size_t file, uint64_t block)> &work) {
  std::vector<std::pair<size_t, uint64_t>> blocks;
  size_t number = 0;
  for (size_t file = 0; file < files.size(); ++file)
    for (uint64_t block = 0; block < files[file].blocks.size(); ++block)
      if (number++ % size_t(share.shares) == size_t(share.number))
        blocks.emplace_back(file, block);
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::map<size_t, std::string> failures; // by block, in the order of files
  runOnThreads(std::min(share.threads, 8), [&] {
    for (size_t i = next++; i < blocks.size(); i = next++)
      try {
        work(blocks[i].first, blocks[i].second);
      } catch (const std::exception &error) {
        const std::lock_guard<std::mutex> lock(mutex);
        failures[i] = error.what();
        next = blocks.size();
      }
  });
  if (!failures.empty())
    fail("{}", failures.begin()->second);
}

std::pair<uint64_t, uint64_t> zrt::rangeOfBlock(const FileRecord &file,
                                                uint64_t block) {
  const uint64_t begin = file.headerBytes + block * kCheckpointBlock;
  return {begin, std::min(begin + kCheckpointBlock, file.bytes)};
}

uint64_t zrt::hashOfBlock(const std::string &path, const FileRecord &file,
                          uint64_t block) {
  const auto [begin, end] = rangeOfBlock(file, block);
  std::vector<std::byte> data(end - begin);
  InputFile(path).read(begin, data.data(), data.size());
  return contentHash(data.data(), data.size());
}
