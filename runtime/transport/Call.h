//===- Call.h - The state of one running collective -------------*- C++ -*-===//
#pragma once

#include "runtime/plan/Vocabulary.h"
#include "runtime/transport/Transport.h"

namespace zrt {

struct Transport::Call {
  zrt_stream stream;
  const zrt_collective_desc &desc;
  const Party &party;
  const std::byte *source; ///< of the bytes that this rank contributes
  std::byte *result;       ///< of the bytes that it gets
  TrafficRow &row;
  uint32_t number;        ///< of this collective on its stream, from 1
  CollectiveTrace *trace; ///< nullptr unless ZRT_TRACE is set

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
        sources(size_t(ranks)), order(size_t(ranks)) {}
  /// The chunks of a collective's rank number `place`.
  std::byte *chunk(size_t place, size_t parity) {
    return reinterpret_cast<std::byte *>(floats.get()) +
           (place * 2 + parity) * kChunkBytes;
  }

  std::unique_ptr<float[]> floats;
  std::vector<const std::byte *> sources; ///< of a sum, by place
  std::vector<size_t> order;              ///< places, in the order in which a
                                          ///< gather reads them
  uint32_t smallExchanges = 0;            ///< that the stream has begun
};

} // namespace zrt
