//===- FileWriter.cpp - Writes a rank's file during training --------------===//
#include "train/state/checkpoint/FileWriter.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/system/Clock.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

using namespace zrt;

namespace {
/// More threads cannot copy faster, as memory bandwidth is the limit.
constexpr int kMaxCopiers = 8;
} // namespace

FileWriter::FileWriter(const RankFile &file, const std::string &path,
                       const Staging &staging, CheckpointFaults &faults)
    : file(file), path(path), staging(staging), faults(faults),
      start(Clock::now()), isCopied(file.blocks()), isWritten(file.blocks()) {
  result.blocks.resize(file.blocks());
  writer = startThread("a thread that writes a checkpoint", [this] { work(); });
}

FileWriter::~FileWriter() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    abandoned = true; // stops the threads if they are not done
  }
  changed.notify_all();
  writer.join();
}

//===----------------------------------------------------------------------===//
// Copying
//===----------------------------------------------------------------------===//

void FileWriter::copy(const ParameterMemory &memory, int count) {
  std::exception_ptr failure; // of the first thread that fails
  const auto work = [&] {
    try {
      copyBlocks(memory);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure)
        failure = std::current_exception();
      abandoned = true;
      changed.notify_all();
    }
  };
  const int helpers = std::min(
      {count, kMaxCopiers,
       static_cast<int>(std::min<uint64_t>(file.blocks(), kMaxCopiers))});
  runOnThreads(helpers, work);
  if (failure)
    std::rethrow_exception(failure);
}

void FileWriter::copyBlocks(const ParameterMemory &memory) {
  while (true) {
    uint64_t block = 0;
    {
      std::unique_lock<std::mutex> lock(mutex);
      if (abandoned || nextToCopy == file.blocks())
        return;
      block = nextToCopy++;
      changed.wait(lock, [&] {
        return abandoned || block < staging.blocks() ||
               isWritten[block - staging.blocks()];
      });
      if (abandoned)
        return;
    }
    readBlock(file, block, memory, staging.at(block));
    const std::lock_guard<std::mutex> lock(mutex);
    isCopied[block] = 1;
    changed.notify_all();
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename Action>
void FileWriter::attempt(Action action) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (result.failure)
      return;
  }
  try {
    action();
  } catch (const std::exception &error) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!result.failure)
      result.failure = error.what();
  }
}

void FileWriter::work() {
  attempt([&] { open(); });
  // One thread hashes while the other writes.
  runOnThreads(2, [this] { writeBlocks(); });
  attempt([&] { finish(); });
  const std::lock_guard<std::mutex> lock(mutex);
  result.seconds = secondsSince(start);
  done = true;
  changed.notify_all();
}

void FileWriter::writeBlocks() {
  while (const auto block = take()) {
    attempt([&] { writeBlock(*block); });
    const std::lock_guard<std::mutex> lock(mutex);
    isWritten[*block] = 1;
    changed.notify_all();
  }
  const std::lock_guard<std::mutex> lock(mutex);
  if (abandoned && !result.failure)
    result.failure = "its state could not be read";
}

std::optional<uint64_t> FileWriter::take() {
  std::unique_lock<std::mutex> lock(mutex);
  if (abandoned || nextToWrite == file.blocks())
    return std::nullopt;
  const uint64_t block = nextToWrite++;
  changed.wait(lock, [&] { return abandoned || isCopied[block]; });
  if (!isCopied[block])
    return std::nullopt;
  return block;
}

void FileWriter::open() {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  output = OpenFile(::open(path.c_str(), flags | O_DIRECT, 0666));
  if (!output && errno == EINVAL) // open() has created the file, but the
                                  // file system has no O_DIRECT
    output = OpenFile(::open(path.c_str(), flags & ~O_EXCL, 0666));
  if (!output)
    fail("cannot write {}: {}", path, errnoText());
  // Ignore other errors: some file systems have no fallocate.
  if (fallocate(output.number(), 0, 0, static_cast<off_t>(file.bytes())) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
    fail("cannot find room for the {} of {}: {}", shownBytes(file.bytes()),
         path, errnoText());
  const std::unique_ptr<std::byte, decltype(&std::free)> header(
      static_cast<std::byte *>(
          std::aligned_alloc(kDiskBlock, file.header.size())),
      std::free);
  if (!header)
    throw std::bad_alloc();
  std::memcpy(header.get(), file.header.data(), file.header.size());
  result.headerHash = contentHash(header.get(), file.header.size());
  writeAt(header.get(), file.header.size(), 0);
}

void FileWriter::writeAt(const std::byte *data, uint64_t bytes,
                         uint64_t offset) {
  const int descriptor = output.number();
  while (bytes > 0) {
    const ssize_t count = pwrite(descriptor, data, bytes, off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    const int flags = fcntl(descriptor, F_GETFL);
    if (count < 0 && errno == EINVAL && (flags & O_DIRECT) != 0) {
      // This file system cannot write with O_DIRECT after all.
      fcntl(descriptor, F_SETFL, flags & ~O_DIRECT);
      continue;
    }
    if (count < 0)
      fail("cannot write {} at byte {}: {}", path, offset, errnoText());
    // After a partial write the rest may not be aligned to disk blocks.
    if (uint64_t(count) < bytes && (flags & O_DIRECT) != 0)
      fcntl(descriptor, F_SETFL, flags & ~O_DIRECT);
    data += count;
    offset += uint64_t(count);
    bytes -= uint64_t(count);
  }
}

void FileWriter::writeBlock(uint64_t block) {
  std::byte *const data = staging.at(block);
  const uint64_t at = block * kCheckpointBlock,
                 bytes = std::min(kCheckpointBlock, file.dataBytes - at),
                 whole = roundUp(bytes, kDiskBlock);
  // A run could not continue from such a checkpoint, and it could replace an
  // older one that is good.
  if (const std::string wrong = firstNonfinite(file, block, data);
      !wrong.empty())
    fail("{}", wrong);
  result.blocks[block] = contentHash(data, bytes);
  std::memset(data + bytes, 0, whole - bytes);
  errno = faults.reach("block");
  if (errno != 0)
    fail("cannot write {}: {}", path, errnoText());
  writeAt(data, whole, file.header.size() + at);
}

void FileWriter::finish() {
  // Cut the padding of the last block.
  if (ftruncate(output.number(), off_t(file.bytes())) != 0)
    fail("cannot write {}: {}", path, errnoText());
  errno = faults.reach("sync");
  if (errno != 0 || fsync(output.number()) != 0)
    fail("cannot write {}: {}", path, errnoText());
  if (!output.close())
    fail("cannot write {}: {}", path, errnoText());
}

bool FileWriter::isDone() const {
  const std::lock_guard<std::mutex> lock(mutex);
  return done;
}

const FileWriter::Result &FileWriter::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done; });
  return result;
}
