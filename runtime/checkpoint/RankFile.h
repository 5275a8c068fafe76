//===- RankFile.h - One rank's file of a checkpoint -------------*- C++ -*-===//
//
// A safetensors file whose tensors are flat ranges of elements, named
//
//   SLOT/PARAMETER[FIRST:END]        m/h.0.attn.c_attn.weight[0:4096]
//
// Its header is padded to whole blocks of a disk, so that the data can be
// written past the page cache.  The data are hashed in blocks of 4 MiB, over
// the borders of tensors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/State.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// What is hashed at once, and written and staged at once.
constexpr uint64_t kCheckpointBlock = ZRT_CHECKPOINT_BLOCK;
/// What disks are written in.
constexpr uint64_t kDiskBlock = 4096;

/// "rank-00003.safetensors"
std::string rankFileName(int rank);

/// "m/w[0:16]"
std::string rangeName(std::string_view slot, std::string_view parameter,
                      uint64_t first, uint64_t count);

/// Where a rank's ranges lie in its file.
struct RankFile {
  std::string header;             ///< all before the data
  std::vector<StateRange> ranges; ///< in the order of the file
  std::vector<uint64_t> offsets;  ///< of each in the data
  std::vector<std::string> names; ///< of each, as rangeName has them
  uint64_t dataBytes = 0;

  uint64_t bytes() const { return header.size() + dataBytes; }
  uint64_t blocks() const {
    return (dataBytes + kCheckpointBlock - 1) / kCheckpointBlock;
  }
};

/// The file of `ranges`.  Throws zrt::Error for a name that no file can hold.
RankFile layOut(const State &state, std::vector<StateRange> ranges);

/// Reads block `block` of the data to `to`, from where `memory` has its ranges.
/// Any thread.
void readBlock(const RankFile &file, uint64_t block,
               const ParameterMemory &memory, std::byte *to);

/// The first value of what is trained, in the `data` of a block, that is not
/// finite, as "param/w[0:16] is not finite at element 3"; "" when there is none.
std::string firstNonfinite(const RankFile &file, uint64_t block,
                           const std::byte *data);

} // namespace zrt
