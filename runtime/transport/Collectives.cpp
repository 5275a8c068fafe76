//===- Collectives.cpp - Gathers, sums and exchanges between ranks --------===//
//
// Every sum is computed in the order of the party, however the contributions
// arrive.
//
// One of a few values, as all_reduce, needs no second wait.  Number n of these
// on a stream uses small[n % 2].  A rank overwrites it in n + 2, that is, after
// n + 1, in which it has seen every peer arrive.  A peer arrives at n + 1 only
// after it has completed n and so has read small[n % 2].  Other collectives
// between them do not count: in those over members or groups a rank sees only
// some peers.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/CopyAround.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/transport/Call.h"
#include "runtime/transport/RankedSum.h"
#include "runtime/world/World.h"

#include <algorithm>
#include <cstring>
#include <span>

using namespace zrt;

/// Returns what `rank`, which shares memory with this one, contributes, from
/// `offset` on.
const std::byte *Transport::sourceOf(const Call &call, int rank,
                                     uint64_t offset) const {
  if (rank == this->rank())
    return call.source + offset;
  const zrt_ref source = refOf(call.desc.source, uint32_t(rank), groups);
  return peers->exported(rank, source.offset + offset);
}

/// The bytes of a chunk of `call`: whole elements.
size_t Transport::chunkOf(const Call &call) {
  const size_t size = dtypeBytes(call.desc.source.dtype);
  return kChunkBytes / size * size;
}

template <typename Outgoing, typename Incoming, typename Ready>
void Transport::exchange(Call &call, size_t bytes, Outgoing outgoing,
                         Incoming incoming, Ready ready) {
  HostLink &link = *peers->link();
  const std::vector<int> &ranks = call.party.ranks;
  const std::vector<size_t> &remote = call.party.remote;
  const size_t most = chunkOf(call), chunks = (bytes + most - 1) / most;
  const auto sizeOf = [&](size_t chunk) {
    return std::min(most, bytes - chunk * most);
  };
  const auto slot = [](size_t place, size_t chunk, bool sends) {
    return int(4 * place + 2 * (chunk % 2) + (sends ? 1 : 0));
  };
  const auto start = [&](size_t chunk) {
    const size_t offset = chunk * most, size = sizeOf(chunk);
    for (const size_t place : remote)
      link.receive(call.stream, slot(place, chunk, false), ranks[place],
                   incoming(place, offset), size);
    for (const size_t place : remote)
      link.send(call.stream, slot(place, chunk, true), ranks[place],
                outgoing(place, offset), size);
  };
  if (chunks > 0)
    start(0);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    // The next chunk travels while this one is added.
    if (chunk + 1 < chunks)
      start(chunk + 1);
    for (const size_t place : remote) {
      awaitLink(call, slot(place, chunk, false), ranks[place]);
      call.row.bytes += sizeOf(chunk);
    }
    chaos.delay(call.stream);
    ready(chunk * most, sizeOf(chunk));
    for (const size_t place : remote)
      awaitLink(call, slot(place, chunk, true), ranks[place]);
  }
}

void Transport::copyFromPeer(Call &call, int peer, uint64_t offset,
                             uint64_t bytes, std::byte *to) {
  const std::byte *from = sourceOf(call, peer, offset);
  // Chaos copies in pieces, to reveal a peer that overwrites its source too
  // early.
  const size_t piece = chaos.on() ? bytes / 3 + 1 : bytes;
  for (size_t begin = 0; begin < bytes; begin += piece) {
    chaos.delay(call.stream);
    copyAround(to + begin, from + begin, std::min(piece, bytes - begin));
  }
  call.row.bytes += bytes;
}

/// Copies a share of each rank to its place in the result: all that it gives,
/// or with `isCut` its piece for this rank.
void Transport::copyShares(Call &call, bool isCut) {
  const Party &party = call.party;
  const uint64_t share =
      bytesOf(call.desc.source, groups) / (isCut ? party.size() : 1);
  const auto placeOf = [&](size_t place) {
    return call.result + place * share;
  };
  // Of what `place` gives, where the bytes for another place begin.
  const auto pieceFor = [&](size_t place) { return isCut ? place * share : 0; };
  arrive(call);
  if (const std::byte *own = call.source + pieceFor(party.own);
      own != placeOf(party.own))
    copyAround(placeOf(party.own), own, share);
  if (!peers)
    return finish(call);

  // Each rank begins with another peer, so that not all read from the same one.
  const std::span order =
      std::span(staging[call.stream]->order).first(party.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = (party.own + i) % order.size();
  if (chaos.on())
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[chaos.draw(call.stream) % i]);
  for (const size_t place : order)
    if (const int peer = party.ranks[place]; peers->local(peer)) {
      awaitArrival(call, peer);
      copyFromPeer(call, peer, pieceFor(party.own), share, placeOf(place));
    }

  if (!party.remote.empty())
    exchange(
        call, share,
        [&](size_t place, size_t offset) {
          return call.source + pieceFor(place) + offset;
        },
        [&](size_t place, size_t offset) { return placeOf(place) + offset; },
        [](size_t, size_t) {});
  finish(call);
}

void Transport::runAllGather(Call &call) { copyShares(call, /*isCut=*/false); }

void Transport::runAllToAll(Call &call) { copyShares(call, /*isCut=*/true); }

void Transport::runReduceScatter(Call &call) {
  const Party &party = call.party;
  const uint64_t share = bytesOf(call.desc.source, groups) / party.size(),
                 mine = party.own * share;
  const zrt_dtype from = call.desc.source.dtype, to = call.desc.result.dtype;
  const uint64_t size = dtypeBytes(from),
                 resultSize = dtypeBytes(to) * numbersIn(from);
  const size_t chunk = chunkOf(call);
  Staging &stage = *staging[call.stream];
  const auto scale = static_cast<float>(call.desc.scale);
  arrive(call);
  for (const int peer : party.ranks)
    if (peers && peers->local(peer)) {
      awaitArrival(call, peer);
      call.row.bytes += share;
    }

  // Adds `bytes` bytes at `offset` of the share.  The contributions of remote
  // ranks are in the staging chunks.
  const auto add = [&](size_t offset, size_t bytes) {
    const size_t parity = offset / chunk % 2;
    for (size_t place = 0; place < party.size(); ++place) {
      const int rank = party.ranks[place];
      const bool near = rank == this->rank() || peers->local(rank);
      stage.sources[place] = near ? sourceOf(call, rank, mine + offset)
                                  : stage.chunk(place, parity);
    }
    rankedSum(stage.sources.data(), party.size(), from, bytes / size, scale,
              call.desc.accumulate != 0, call.desc.order != ZRT_IN_RANK_ORDER,
              to, call.result + offset / size * resultSize);
  };
  if (!party.remote.empty()) {
    exchange(
        call, share,
        [&](size_t place, size_t offset) {
          return call.source + place * share + offset;
        },
        [&](size_t place, size_t offset) {
          return stage.chunk(place, offset / chunk % 2);
        },
        add);
  } else {
    const size_t piece = chaos.on() ? (share / size / 3 + 1) * size : share;
    for (size_t begin = 0; begin < share; begin += piece) {
      chaos.delay(call.stream);
      add(begin, std::min(piece, share - begin));
    }
  }
  finish(call);
}

std::span<const std::byte *const> Transport::exchangeSmall(Call &call) {
  const Party &party = call.party;
  const size_t bytes = call.desc.source.ref.bytes;
  Staging &stage = *staging[call.stream];
  const size_t parity = ++stage.smallExchanges % 2;
  const auto *mine = call.source;
  if (peers) {
    std::byte *small = peers->ownPage().streams[call.stream].small[parity];
    std::memcpy(small, call.source, bytes);
    mine = small;
  }
  arrive(call);
  if (!party.remote.empty())
    exchange(
        call, bytes, [&](size_t, size_t) { return mine; },
        [&](size_t place, size_t) { return stage.chunk(place, 0); },
        [](size_t, size_t) {});
  for (size_t place = 0; place < party.size(); ++place) {
    const int rank = party.ranks[place];
    const std::byte *from = mine;
    if (rank != this->rank()) {
      if (peers->local(rank)) {
        awaitArrival(call, rank);
        from = peers->page(rank).streams[call.stream].small[parity];
        call.row.bytes += bytes;
      } else {
        from = stage.chunk(place, 0);
      }
    }
    chaos.delay(call.stream);
    const bool bySlice = call.desc.order == ZRT_IN_TREE_OF_SLICES;
    stage.sources[bySlice ? groups.sliceOf(uint32_t(rank)) : place] = from;
  }
  return std::span(stage.sources).first(party.size());
}

void Transport::runAllReduce(Call &call) {
  smallSum(exchangeSmall(call), call.desc, call.result);
  hasRead(call);
}
