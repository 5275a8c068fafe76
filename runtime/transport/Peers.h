//===- Peers.h - Ranks that share memory with this one ----------*- C++ -*-===//
//
// At start every rank sends the others a card: its process, and the numbers of
// two shared files, its control page and the exported part of its arena.  Ranks
// of one host open each other's files.  Two ranks share memory if both
// succeeded; all other pairs behave as if on different hosts and use a
// HostLink.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/SharedFile.h"
#include "runtime/transport/ControlPage.h"
#include "runtime/world/World.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace zrt {

/// The description of a rank that the others receive at start; plain bytes.
struct RankCard {
  SharedFileCard control, arena;
  uint64_t arenaBase = 0; ///< offset in the arena of the file's first byte
  uint64_t processStart = 0;
  uint64_t host = 0, affinity = 0, plan = 0;
  int32_t group = 0; ///< imitated host, from ZRT_RANKS_PER_HOST
};

class Peers final : public PeerPages {
public:
  /// Connects the ranks of `world`, which must outlive this; all ranks call it
  /// together.  `exported` is the memory that peers read of this rank.  Throws
  /// zrt::Error.
  Peers(World &world, const zrt_plan &plan, const ExportedMemory &exported);
  ~Peers() override;
  Peers(const Peers &) = delete;
  Peers &operator=(const Peers &) = delete;

  int rank() const { return me; }
  int ranks() const { return count; }
  bool local(int peer) const { return peers[size_t(peer)].shares; }
  /// The link to them; nullptr if every rank shares memory with every other.
  HostLink *link() const { return hostLink.get(); }

  ControlPage &ownPage() { return *own; }
  const ControlPage &page(int rank) const { return *peers[size_t(rank)].page; }
  /// Returns the address in a peer's arena at `offset`, which the peer must
  /// export.
  const std::byte *exported(int peer, uint64_t offset) const {
    const Peer &p = peers[size_t(peer)];
    return p.arena.data() + (offset - p.card.arenaBase);
  }
  const RankCard &card(int rank) const { return peers[size_t(rank)].card; }
  World &world() const { return theWorld; }

  /// Returns this rank's part of `processors`: ranks of one machine with the
  /// same affinity divide them.  Empty if there are fewer processors than
  /// ranks.
  std::vector<int> shareOf(const std::vector<int> &processors) const;

  /// Also ends the waits of this rank's other streams, with the error `text`.
  void raise(const Alarm &alarm, const std::string &text) override;
  std::unique_ptr<PeerWait> waitFor(int peer, const char *what) override;
  /// Returns the failure of this rank, or nullptr if it has not failed.
  const std::string *failure() const {
    return own->state.load(std::memory_order_acquire) == RankState::Failed
               ? &failureText
               : nullptr;
  }

  /// For tests: makes this rank look like a stopped process to its peers.
  void stopHeartbeat() { heartbeat = {}; }

  WaitLimits limits;
  /// Why ranks of this machine do not share memory; "" if all do.
  std::string note;

private:
  struct Peer {
    RankCard card;
    bool shares = false;
    const ControlPage *page = nullptr;
    Mapping control, arena;
  };

  void exchangeCards(const RankCard &mine);
  bool onOneHost(int a, int b) const {
    return card(a).host == card(b).host && card(a).group == card(b).group;
  }
  void checkHosts(const zrt_plan &plan) const;
  void openPeers();

  World &theWorld;
  const int me, count;
  SharedFile controlFile;
  Mapping controlMapping;
  ControlPage *own = nullptr;
  std::vector<Peer> peers;
  std::unique_ptr<HostLink> hostLink;
  std::atomic<bool> raised{false};
  std::string failureText;
  /// Increments own->beats every 100 ms, whatever the other threads compute.
  std::jthread heartbeat;
};

} // namespace zrt
