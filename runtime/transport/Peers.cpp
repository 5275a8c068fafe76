//===- Peers.cpp - Ranks that share memory with this one ------------------===//
#include "runtime/transport/Peers.h"

#include "runtime/hash/Hash.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Error.h"
#include "runtime/transport/Patience.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <pthread.h>
#include <unistd.h>

using namespace zrt;

namespace {

void addText(Hash &hash, const char *text) {
  hash.add(text ? text : "");
  hash.addNumber('\0');
}

/// Hashes the parts of a plan that must be equal on all ranks: the memory that
/// peers read and the collectives.
uint64_t planIdentity(const zrt_plan &plan) {
  Hash hash;
  for (const char *text : {plan.model, plan.options})
    addText(hash, text);
  for (const uint32_t number :
       {plan.world_size, plan.stage, plan.accumulate, plan.group_size,
        plan.ranks_per_host, plan.virtual_shards, plan.context})
    hash.addNumber(number);
  for (const uint64_t bytes : plan.arena_bytes)
    hash.addNumber(bytes);
  hash.addNumber(plan.exported_begin);
  for (const zrt_op &op : opsOf(plan)) {
    if (op.kind != ZRT_COLLECTIVE)
      continue;
    const zrt_collective_desc &desc = collectiveOf(op);
    addText(hash, desc.name);
    hash.addNumber(op.stream);
    hash.addNumber(desc.kind);
    hash.addNumber(desc.over);
    hash.addNumber(desc.order);
    hash.addNumber(desc.elements);
    hash.addNumber(desc.scale);
    for (const zrt_operand *one : {&desc.source, &desc.result}) {
      hash.addNumber(one->ref.tier);
      hash.addNumber(one->ref.offset);
      hash.addNumber(one->ref.bytes);
      hash.addNumber(one->dtype);
      hash.addNumber(one->extent);
    }
  }
  return hash.get();
}

/// Returns the thread that increments `beats`.
std::jthread startHeartbeat(std::atomic<uint32_t> &beats) {
  return startThread<std::jthread>(
      "the heartbeat of this rank", [&beats](const std::stop_token &stop) {
        pthread_setname_np(pthread_self(), "zrt-heartbeat");
        std::mutex mutex;
        std::condition_variable_any changed;
        std::unique_lock<std::mutex> lock(mutex);
        while (!stop.stop_requested()) {
          changed.wait_for(lock, stop, std::chrono::milliseconds(100),
                           [] { return false; });
          beats.fetch_add(1, std::memory_order_relaxed);
        }
      });
}

} // namespace

Peers::Peers(World &world, const zrt_plan &plan, const ExportedMemory &exported)
    : theWorld(world), me(world.rank()), count(world.size()),
      peers(static_cast<size_t>(world.size())) {
  limits.arrival = timeOutOfArrival();
  // A rank that fails here must not leave the others waiting for its card.
  together(theWorld, [&] {
    controlFile.create("zrt-control", sizeof(ControlPage));
    controlMapping.mapOwn(controlFile);
    own = new (controlMapping.data()) ControlPage;
    heartbeat = startHeartbeat(own->beats);
  });
  RankCard mine;
  mine.control = controlFile.card();
  mine.arena = exported.card;
  mine.arenaBase = exported.begin;
  mine.processStart = processStart(static_cast<int32_t>(getpid()));
  mine.host = hostIdentity();
  mine.affinity = affinityIdentity();
  mine.plan = planIdentity(plan);
  mine.group = static_cast<int32_t>(
      me / environmentNumber("ZRT_RANKS_PER_HOST", count, INT32_MAX));
  exchangeCards(mine);
  together(theWorld, [&] { checkHosts(plan); });
  openPeers();
  theWorld.setPages(this);
}

Peers::~Peers() {
  theWorld.setPages(nullptr);
  heartbeat = {};
  RankState running = RankState::Running;
  own->state.compare_exchange_strong(running, RankState::Left);
}

void Peers::exchangeCards(const RankCard &mine) {
  const std::vector<RankCard> cards = theWorld.gather(mine);
  for (int rank = 0; rank < count; ++rank) {
    if (cards[size_t(rank)].plan != cards[0].plan)
      fail("rank {} runs another plan than rank 0; start the same binary "
           "everywhere",
           rank);
    peers[size_t(rank)].card = cards[size_t(rank)];
  }
}

/// Throws unless the ranks of each group are on one host, if the plan needs it.
void Peers::checkHosts(const zrt_plan &plan) const {
  const auto size = int(plan.ranks_per_host);
  for (int rank = 0; rank < count && size > 0; ++rank) {
    const int first = rank / size * size;
    if (!onOneHost(rank, first))
      fail("compiled for --ranks-per-host={0}, but ranks {1} and {2} of group "
           "{3} are on different hosts; start {0} ranks on each host (mpirun "
           "--map-by ppr:{0}:node), or compile with the number that is started "
           "there",
           size, first, rank, first / size);
  }
}

void Peers::openPeers() {
  std::vector<char> opened(peers.size(), 0);
  for (int rank = 0; rank < count; ++rank) {
    Peer &peer = peers[size_t(rank)];
    if (rank == me || !onOneHost(rank, me))
      continue;
    std::string problem = peer.control.mapPeers(peer.card.control);
    if (problem.empty())
      problem = peer.arena.mapPeers(peer.card.arena);
    opened[size_t(rank)] = problem.empty();
    if (!problem.empty() && note.empty())
      note = fmt::format("ranks {} and {} do not share memory, though on one "
                         "host: {}",
                         me, rank, problem);
  }

  // Two ranks share memory if both could map the other's; all see the same
  // table.
  const size_t n = peers.size();
  std::vector<char> table(n * n);
  theWorld.allGather(opened.data(), n, table.data());
  bool link = false;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      link |= i != j && !(table[i * n + j] && table[j * n + i]);
  for (size_t rank = 0; rank < n; ++rank) {
    Peer &peer = peers[rank];
    peer.shares = rank != size_t(me) && table[size_t(me) * n + rank] &&
                  table[rank * n + size_t(me)];
    if (peer.shares)
      peer.page = reinterpret_cast<const ControlPage *>(peer.control.data());
  }
  peers[size_t(me)].page = own;
  // Every rank takes part, even one that shares memory with all others.
  if (link)
    hostLink = theWorld.linkHosts();
}

std::vector<int> Peers::shareOf(const std::vector<int> &processors) const {
  const auto shares = [&](const Peer &peer) {
    return peer.card.host == card(me).host &&
           peer.card.affinity == card(me).affinity;
  };
  const auto before = std::count_if(peers.begin(), peers.begin() + me, shares);
  const auto ranks = std::count_if(peers.begin(), peers.end(), shares);
  const auto each = static_cast<std::ptrdiff_t>(processors.size()) / ranks;
  const auto first = processors.begin() + before * each;
  return {first, first + each};
}

void Peers::raise(const Alarm &alarm, const std::string &text) {
  if (raised.exchange(true, std::memory_order_acq_rel))
    return;
  failureText = text;
  own->origin = alarm.origin;
  own->late = alarm.late;
  const size_t length = std::min(alarm.message.size(), sizeof own->message - 1);
  std::memcpy(own->message, alarm.message.data(), length);
  own->message[length] = '\0';
  // Peers are not woken: they read the state at every look of a wait.
  own->state.store(RankState::Failed, std::memory_order_release);
  theWorld.sendAlarm(alarm);
}

std::unique_ptr<PeerWait> Peers::waitFor(int peer, const char *what) {
  return std::make_unique<Patience>(*this, peer, what);
}
