//===- RankFile.h - One rank's file of a checkpoint -------------*- C++ -*-===//
//
// A safetensors file whose tensors are flat ranges of elements, named
//
//   SLOT/PARAMETER[FIRST:END]        m/h.0.attn.c_attn.weight[0:4096]
//
// The header is padded to whole disk blocks, so that the data can be written
// with O_DIRECT.  The data are hashed in blocks of 4 MiB, which may span
// several tensors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/state/checkpoint/State.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zrt {

/// The bytes of a block: the unit of hashing, writing and staging.
constexpr uint64_t kCheckpointBlock = ZRT_CHECKPOINT_BLOCK;
/// The alignment of direct I/O, in bytes.
constexpr uint64_t kDiskBlock = 4096;

/// "rank-00003.safetensors"
std::string rankFileName(int rank);

/// "m/w[0:16]"
std::string rangeName(std::string_view slot, std::string_view parameter,
                      uint64_t first, uint64_t count);

/// The layout of a rank's ranges in its file.
struct RankFile {
  std::string header;             ///< all before the data
  std::vector<StateRange> ranges; ///< in the order of the file
  std::vector<uint64_t> offsets;  ///< of each range in the data
  std::vector<std::string> names; ///< rangeName of each range
  uint64_t dataBytes = 0;

  uint64_t bytes() const { return header.size() + dataBytes; }
  uint64_t blocks() const { return hashedBlocks(dataBytes); }
};

/// Lays out the file of `ranges`.  Throws zrt::Error for a name that cannot be
/// in a file.
RankFile layOut(const State &state, std::vector<StateRange> ranges);

/// Copies block `block` of the data from `memory` to `to`.  Any thread.
void readBlock(const RankFile &file, uint64_t block,
               const ParameterMemory &memory, std::byte *to);

/// Reports the first parameter value in the `data` of a block that is not
/// finite, as "param/w[0:16] is not finite at element 3"; "" if all are finite.
std::string firstNonfinite(const RankFile &file, uint64_t block,
                           const std::byte *data);

} // namespace zrt
