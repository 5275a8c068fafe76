//===- Store.h - The nvme tier of a rank ------------------------*- C++ -*-===//
//
// A space in files without a name, lanes by which streams copy to and from host
// memory, and host access to any bytes of it.
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

/// The folders of "/disk0,/disk1".
std::vector<std::string> splitFolders(std::string_view path);

class Store {
public:
  /// Takes `bytes` bytes of zeros in the folders of `path`.  Throws zrt::Error.
  Store(uint64_t bytes, std::string_view path, std::shared_ptr<Faults> faults,
        bool verifies);

  uint64_t bytes() const { return space.bytes(); }
  /// What makes it slower than it could be, a line each; "" when nothing does.
  std::string note() const;
  /// A way for one thread at a time; this outlives it.  Throws zrt::Error.
  std::unique_ptr<Lane> lane() { return std::make_unique<Lane>(space); }

  /// Any thread: copies or sets any bytes, also parts of blocks, which nobody
  /// else touches meanwhile.  Throw zrt::Error.
  void read(uint64_t offset, uint64_t bytes, std::byte *to);
  void write(uint64_t offset, uint64_t bytes, const std::byte *from);
  void fill(uint64_t offset, uint64_t bytes, unsigned char value);

private:
  /// Calls `change(in, at, count)` for bytes [offset, offset + bytes), a part
  /// after the other: byte `at` of them and `count` in all lie at `in`.
  template <typename Change>
  void update(uint64_t offset, uint64_t bytes, Change change);

  Space space;
  std::mutex mutex;
  const BlockMemory staged; ///< under `mutex`
  Lane hostLane;            ///< under `mutex`
};

} // namespace zrt
