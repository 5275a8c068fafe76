//===- Collectives.cpp - all_gather, reduce_scatter, all_reduce -----------===//
//
// Every sum is computed in rank order, however the contributions arrive.
//
// all_reduce needs no second wait.  Collective n of a stream uses small[n % 2].
// A rank overwrites it in collective n + 2, that is, after collective n + 1, in
// which it has seen every peer arrive.  A peer arrives at n + 1 only after it
// has completed n and so has read small[n % 2].
//
//===----------------------------------------------------------------------===//
#include "runtime/core/CopyAround.h"
#include "runtime/transport/Call.h"
#include "runtime/transport/RankedSum.h"
#include "runtime/world/World.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace zrt;

namespace {

template <typename T>
void sumSmall(const std::vector<const std::byte *> &sources,
              const zrt_collective_desc &desc, std::byte *result) {
  for (uint64_t i = 0; i < desc.elements; ++i) {
    T sum = 0;
    for (size_t rank = 0; rank < sources.size(); ++rank) {
      T value;
      std::memcpy(&value, sources[rank] + i * sizeof(T), sizeof(T));
      sum = rank == 0 ? value : sum + value;
    }
    T scaled = sum * static_cast<T>(desc.scale);
    if (desc.accumulate) {
      T old;
      std::memcpy(&old, result + i * sizeof(T), sizeof(T));
      scaled += old;
    }
    std::memcpy(result + i * sizeof(T), &scaled, sizeof(T));
  }
}

} // namespace

/// Returns the source of `rank`, which shares memory with this one, from
/// `offset` on.
const std::byte *Transport::sourceOf(const Call &call, int rank,
                                     uint64_t offset) const {
  if (rank == this->rank())
    return call.source + offset;
  return peers->exported(rank, call.desc.source.ref.offset + offset);
}

template <typename Outgoing, typename Incoming, typename Ready>
void Transport::exchange(Call &call, size_t bytes, Outgoing outgoing,
                         Incoming incoming, Ready ready) {
  HostLink &link = *peers->link();
  const size_t chunks = (bytes + kChunkBytes - 1) / kChunkBytes;
  const auto sizeOf = [&](size_t chunk) {
    return std::min(kChunkBytes, bytes - chunk * kChunkBytes);
  };
  const auto slot = [](int peer, size_t chunk, bool sends) {
    return 4 * peer + 2 * int(chunk % 2) + (sends ? 1 : 0);
  };
  const auto start = [&](size_t chunk) {
    const size_t offset = chunk * kChunkBytes, size = sizeOf(chunk);
    for (const int peer : peers->remote())
      link.receive(call.stream, slot(peer, chunk, false), peer,
                   incoming(peer, offset), size);
    for (const int peer : peers->remote())
      link.send(call.stream, slot(peer, chunk, true), peer,
                outgoing(peer, offset), size);
  };
  if (chunks > 0)
    start(0);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    // The next chunk travels while this one is added.
    if (chunk + 1 < chunks)
      start(chunk + 1);
    for (const int peer : peers->remote()) {
      awaitLink(call, slot(peer, chunk, false), peer);
      call.row.bytes += sizeOf(chunk);
    }
    chaos.delay(call.stream);
    ready(chunk * kChunkBytes, sizeOf(chunk));
    for (const int peer : peers->remote())
      awaitLink(call, slot(peer, chunk, true), peer);
  }
}

void Transport::copyFromPeer(Call &call, int peer, std::byte *to) {
  const bool whole = call.desc.source.extent == ZRT_SLICE_OF_WHOLE;
  const std::byte *from =
      sourceOf(call, peer, whole ? uint64_t(peer) * call.sliceBytes : 0);
  // Chaos copies in pieces, to reveal a peer that overwrites its source too
  // early.
  const size_t piece = chaos.on() ? call.sliceBytes / 3 + 1 : call.sliceBytes;
  for (size_t begin = 0; begin < call.sliceBytes; begin += piece) {
    chaos.delay(call.stream);
    copyAround(to + begin, from + begin,
               std::min(piece, call.sliceBytes - begin));
  }
  call.row.bytes += call.sliceBytes;
}

void Transport::allGather(Call &call) {
  const uint64_t slice = call.sliceBytes, mine = uint64_t(rank()) * slice;
  const bool whole = call.desc.source.extent == ZRT_SLICE_OF_WHOLE;
  const std::byte *own = call.source + (whole ? mine : 0);
  arrive(call);
  if (own != call.result + mine)
    copyAround(call.result + mine, own, slice);
  if (!peers)
    return finish(call);

  // Each rank begins with another peer, so that not all read from the same one.
  std::vector<int> &order = staging[call.stream]->order;
  for (int i = 0; i < ranks(); ++i)
    order[size_t(i)] = (rank() + i) % ranks();
  if (chaos.on())
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[chaos.draw(call.stream) % i]);
  for (const int peer : order)
    if (peers->local(peer)) {
      awaitArrival(call, peer);
      copyFromPeer(call, peer, call.result + uint64_t(peer) * slice);
    }

  if (!peers->remote().empty())
    exchange(
        call, slice, [&](int, size_t offset) { return own + offset; },
        [&](int peer, size_t offset) {
          return call.result + uint64_t(peer) * slice + offset;
        },
        [](size_t, size_t) {});
  finish(call);
}

void Transport::reduceScatter(Call &call) {
  const uint64_t slice = call.sliceBytes, mine = uint64_t(rank()) * slice;
  const bool whole = call.desc.result.extent == ZRT_SLICE_OF_WHOLE;
  const zrt_dtype from = call.desc.source.dtype, to = call.desc.result.dtype;
  const uint64_t size = dtypeBytes(from), resultSize = dtypeBytes(to);
  std::byte *result = call.result + (whole ? mine / size * resultSize : 0);
  Staging &stage = *staging[call.stream];
  const auto scale = static_cast<float>(call.desc.scale);
  arrive(call);
  for (int peer = 0; peer < ranks(); ++peer)
    if (peers && peers->local(peer)) {
      awaitArrival(call, peer);
      call.row.bytes += slice;
    }

  // Adds `bytes` bytes at `offset` of the slice.  The contributions of remote
  // ranks are in the staging chunks.
  const auto add = [&](size_t offset, size_t bytes) {
    const int parity = int(offset / kChunkBytes % 2);
    for (int rank = 0; rank < ranks(); ++rank) {
      const bool near = rank == this->rank() || peers->local(rank);
      stage.sources[size_t(rank)] = near ? sourceOf(call, rank, mine + offset)
                                         : stage.chunk(rank, parity);
    }
    rankedSum(stage.sources.data(), stage.sources.size(), from, bytes / size,
              scale, call.desc.accumulate != 0, to,
              result + offset / size * resultSize);
  };
  if (peers && !peers->remote().empty()) {
    exchange(
        call, slice,
        [&](int peer, size_t offset) {
          return call.source + uint64_t(peer) * slice + offset;
        },
        [&](int peer, size_t offset) {
          return stage.chunk(peer, int(offset / kChunkBytes % 2));
        },
        add);
  } else {
    const size_t piece = chaos.on() ? slice / 3 / 4 * 4 + 4 : slice;
    for (size_t begin = 0; begin < slice; begin += piece) {
      chaos.delay(call.stream);
      add(begin, std::min(piece, slice - begin));
    }
  }
  finish(call);
}

void Transport::allReduce(Call &call) {
  const size_t bytes = call.wholeBytes;
  const size_t parity = call.number % 2;
  const auto *mine = call.source;
  if (peers) {
    std::byte *small = peers->ownPage().streams[call.stream].small[parity];
    std::memcpy(small, call.source, bytes);
    mine = small;
  }
  arrive(call);
  Staging &stage = *staging[call.stream];
  if (peers && !peers->remote().empty())
    exchange(
        call, bytes, [&](int, size_t) { return mine; },
        [&](int peer, size_t) { return stage.chunk(peer, 0); },
        [](size_t, size_t) {});
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::byte *from = mine;
    if (rank != this->rank()) {
      if (peers->local(rank)) {
        awaitArrival(call, rank);
        from = peers->page(rank).streams[call.stream].small[parity];
        call.row.bytes += bytes;
      } else {
        from = stage.chunk(rank, 0);
      }
    }
    chaos.delay(call.stream);
    stage.small[size_t(rank)] = from;
  }
  if (call.desc.source.dtype == ZRT_F32)
    sumSmall<float>(stage.small, call.desc, call.result);
  else
    sumSmall<double>(stage.small, call.desc, call.result);
  hasRead(call);
}
