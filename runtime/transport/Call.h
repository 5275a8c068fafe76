//===- Call.h - The state of one running collective -------------*- C++ -*-===//
#pragma once

#include "runtime/Vocabulary.h"
#include "runtime/transport/Transport.h"

namespace zrt {

struct Transport::Call {
  zrt_stream stream;
  const zrt_collective_desc &desc;
  const std::byte *source;
  std::byte *result;
  TrafficRow &row;
  uint32_t number;                 ///< of this collective on its stream, from 1
  uint64_t wholeBytes, sliceBytes; ///< in the source's type
  CollectiveTrace *trace;          ///< nullptr unless ZRT_TRACE is set

  const char *name() const { return desc.name ? desc.name : "a collective"; }
};

/// The unit of transfers between hosts.  Contributions of remote ranks wait in
/// chunks to be added: two per rank, so that one is added while the next
/// arrives.
constexpr size_t kChunkBytes = size_t{256} << 10;

struct Transport::Staging {
  /// Allocates chunks for `remoteRanks`: all ranks if there are several hosts,
  /// else 0.
  Staging(int ranks, int remoteRanks)
      // Not initialised: streams without remote sums never touch their chunks.
      : floats(
            new float[size_t(remoteRanks) * 2 * (kChunkBytes / sizeof(float))]),
        sources(size_t(ranks)), small(size_t(ranks)), order(size_t(ranks)) {}
  std::byte *chunk(int rank, int parity) {
    return reinterpret_cast<std::byte *>(floats.get()) +
           (size_t(rank) * 2 + size_t(parity)) * kChunkBytes;
  }

  std::unique_ptr<float[]> floats;
  std::vector<const std::byte *> sources; ///< of a sum, by rank
  std::vector<const std::byte *> small;   ///< of an all_reduce, by rank
  std::vector<int> order;                 ///< the order in which a gather reads
                                          ///< its peers
};

} // namespace zrt
