//===- Store.h - The nvme tier of a rank ------------------------*- C++ -*-===//
//
// Has a space in unnamed files, lanes through which streams copy to and from
// host memory, and host access to any bytes of the space.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/store/Lane.h"
#include "runtime/store/Space.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// Splits a list of folders such as "/disk0,/disk1".
std::vector<std::string> splitFolders(std::string_view path);

class Store {
public:
  /// Reserves `bytes` bytes of zeros in the folders of `path`.  Throws
  /// zrt::Error.
  Store(uint64_t bytes, std::string_view path, std::shared_ptr<Faults> faults,
        bool verifies);

  uint64_t bytes() const { return space.bytes(); }
  /// Why it is slower than possible, one line each; "" if it is not.
  std::string note() const;
  /// Returns a lane for one thread at a time; this must outlive it.  Throws
  /// zrt::Error.
  std::unique_ptr<Lane> lane() { return std::make_unique<Lane>(space); }

  /// Any thread: copy or set any bytes, also parts of blocks, which no one else
  /// may access meanwhile.  Throw zrt::Error.
  void read(uint64_t offset, uint64_t bytes, std::byte *to);
  void write(uint64_t offset, uint64_t bytes, const std::byte *from);
  void fill(uint64_t offset, uint64_t bytes, unsigned char value);

private:
  /// Calls `change(in, at, count)` for consecutive parts of bytes
  /// [offset, offset + bytes): the part's `count` bytes from byte `at` on are
  /// at `in`.
  template <typename Change>
  void update(uint64_t offset, uint64_t bytes, Change change);

  Space space;
  std::mutex mutex;
  const BlockMemory staged; ///< under `mutex`
  Lane hostLane;            ///< under `mutex`
};

} // namespace zrt
