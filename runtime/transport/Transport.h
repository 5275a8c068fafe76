//===- Transport.h - Collectives between ranks ------------------*- C++ -*-===//
//
// Ranks of one host read directly from each other's arenas:
//
//   arrive      my source can be read now; my page says so
//   wait        until the peers have arrived
//   read        all_gather and all_to_all copy their slices, reduce_scatter
//               adds them up in rank order
//   done        I read no more
//   wait        until the peers are done: now my source may be overwritten
//
// Ranks that share no memory send each other slices in chunks (HostLink).  The
// owner of a slice adds all contributions in rank order, wherever they come
// from, so the bits do not depend on where ranks run.
//
// A stream is one sequence of collectives, executed by its thread; streams do
// not wait for each other.
//
// A collective is between the ranks of a party: all, or the members of a group,
// or the ranks with one number in all groups (RankGroups.h).  All ranks issue
// all collectives of a stream, in the same order, but wait only for those of
// their party.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/ChaosDelays.h"
#include "runtime/core/Collectives.h"
#include "runtime/core/SharedFile.h"
#include "runtime/plan/RankGroups.h"
#include "runtime/transport/Peers.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace zrt {

class Transport final : public Collectives {
public:
  /// `exported` is the memory that peers read of this rank; `world` as in
  /// zrt_start.  It and `chaos` must outlive this.
  Transport(const zrt_plan &plan, const ExportedMemory &exported, World *world,
            ChaosDelays &chaos);
  ~Transport() override;

  int rank() const { return peers ? peers->rank() : 0; }
  int ranks() const { return peers ? peers->ranks() : 1; }
  /// nullptr on a single rank.
  Peers *connected() { return peers.get(); }

  void check(const zrt_collective_desc &desc) const override;
  void run(zrt_stream stream, const zrt_collective_desc &desc,
           const std::byte *source, std::byte *result, TrafficRow &row,
           CollectiveTrace *trace) override;
  void abort(const std::string &message) override;
  std::string note() const override { return peers ? peers->note : ""; }

private:
  struct Call;
  struct Staging;
  struct Party : zrt::Party {
    std::vector<size_t> remote; ///< places of those that share no memory
  };

  Party partyOver(uint32_t over) const;

  // By kind: runAllGather, ...
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  void run##STEM(Call &call);
#include "abi/CollectiveKinds.def"

  void arrive(Call &call);
  void hasRead(Call &call);
  void awaitArrival(Call &call, int peer);
  void finish(Call &call);
  /// Waits for a peer until `done()`: spins briefly, then calls `sleep()` in
  /// between.
  template <typename Done, typename Sleep>
  void awaitUntil(Call &call, int peer, Done done, Sleep sleep);
  void await(Call &call, int peer, const SharedWord &word);
  void awaitLink(Call &call, int slot, int peer);
  void copyFromPeer(Call &call, int peer, uint64_t offset, uint64_t bytes,
                    std::byte *to);
  void copyShares(Call &call, bool isCut);
  static size_t chunkOf(const Call &call);
  /// Sends every remote peer its bytes and receives those of the peers, chunk
  /// by chunk.  `outgoing` and `incoming` take the peer's place.
  template <typename Outgoing, typename Incoming, typename Ready>
  void exchange(Call &call, size_t bytes, Outgoing outgoing, Incoming incoming,
                Ready ready);
  /// Exchanges a few values of each rank; returns them by place, or by slice if
  /// `call` adds in that order.
  std::span<const std::byte *const> exchangeSmall(Call &call);
  const std::byte *sourceOf(const Call &call, int rank, uint64_t offset) const;

  const uint64_t exportedBegin;
  const RankGroups groups;
  ChaosDelays &chaos;
  std::unique_ptr<Peers> peers;
  std::array<Party, ZRT_OVER_COUNT> parties; ///< by ZRT_OVER_ALL, ...
  /// The number of collectives that each stream has begun.
  std::vector<uint32_t> sequence;
  std::vector<std::unique_ptr<Staging>> staging;
};

} // namespace zrt
