//===- Space.h - Stripes the bytes of a store over its folders --*- C++ -*-===//
//
// Distributes stripes to the folders round-robin:
//
//   space     | 0 | 1 | 2 | 3 | 4 |.      a stripe is 1 MiB; the last one
//   /disk0    | 0 | 2 | 4 |.              ends with the space, in a whole block
//   /disk1    | 1 | 3 |
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/store/Blocks.h"
#include "runtime/store/Faults.h"
#include "runtime/store/SpaceFile.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// Returns how many of `bytes` bytes lie in folder `which` of `count`, as whole
/// blocks.
uint64_t bytesInFolder(uint64_t bytes, uint64_t which, uint64_t count);

class Space {
public:
  /// Reserves `bytes` bytes, rounded up to blocks, in `folders`, which must not
  /// be empty.  Throws zrt::Error.
  Space(uint64_t bytes, const std::vector<std::string> &folders,
        std::shared_ptr<Faults> faults, bool verifies);

  /// The file and offset of a byte of the space.
  struct Place {
    const SpaceFile *file;
    uint64_t offset;
  };
  Place placeOf(uint64_t offset) const;

  uint64_t bytes() const { return size; }
  std::string note() const; ///< of all files
  /// nullptr unless reads are verified.
  BlockHashes *hashes() { return verified ? &*verified : nullptr; }
  const std::shared_ptr<Faults> faults;

private:
  const uint64_t size;
  std::vector<std::unique_ptr<const SpaceFile>> files;
  std::optional<BlockHashes> verified;
};

} // namespace zrt
