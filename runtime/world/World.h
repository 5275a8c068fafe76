//===- World.h - The ranks of a job: control plane --------------*- C++ -*-===//
//
// Small, rare messages between ranks: addresses at start, votes, weights that
// are saved.  The data of a step goes through runtime/transport.
//
// SoloWorld is for one rank, SocketWorld for several of one host, MpiWorld for
// those that mpirun or srun has started.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

class HostLink;

/// A rank's last message.
struct Alarm {
  int origin = -1; ///< the rank that failed first, or -1: the message says it
  std::string message;
  /// The rank that did not come in time, where that is the message; it may be
  /// one that waits as well.  Otherwise -1.
  int late = -1;
};

/// A wait for a rank.
class PeerWait {
public:
  virtual ~PeerWait() = default;
  /// To be called when kLookEvery has passed and what is waited for has not
  /// happened.  Throws when it never will.
  virtual void look() = 0;
};

/// What ranks see of each other once they share memory: the transport's pages.
class PeerPages {
public:
  virtual ~PeerPages() = default;
  /// Fails this rank: everything that peers wait for ends with an error.  Any
  /// thread; only the first call counts.
  virtual void raise(const Alarm &alarm, const std::string &text) = 0;
  /// This rank waits for `peer` in `what`, e.g. "a message to it".
  virtual std::unique_ptr<PeerWait> waitFor(int peer, const char *what) = 0;
};

/// All functions throw zrt::Error: when a peer has failed or gone, with its
/// rank and its message; when nothing moves for longer than the time-out.
/// Collective calls are made by one thread per rank, in the same order on all.
class World {
public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// `bytes` bytes of every rank, in rank order.
  virtual void allGather(const void *mine, size_t bytes, void *all) = 0;
  virtual void send(int to, const void *data, size_t bytes) = 0;
  virtual void receive(int from, void *data, size_t bytes) = 0;
  void barrier() {
    const char mine = 0;
    std::vector<char> all(static_cast<size_t>(size()));
    allGather(&mine, 1, all.data());
  }

  /// This rank cannot go on: wakes every peer that waits for it, or will, with
  /// an error that names this rank and `message`.  Calls nobody back and does
  /// not wait.  Any thread may call it; only the first call counts.
  virtual void abort(const std::string &message);

  /// Ends the process after a failure; does not wait for peers, of which some
  /// may be gone.  Standard streams are flushed, destructors do not run.
  [[noreturn]] virtual void leave(int status);

  /// What this world adds to the transport; the defaults serve ranks of one
  /// host that share pages.
  ///
  /// A way to ranks on other hosts.  All ranks call it together.
  virtual std::unique_ptr<HostLink> linkHosts();
  /// Sends `alarm` to all ranks, once, not waiting for any of them.
  virtual void sendAlarm(const Alarm &) {}
  /// An alarm that has come in, or nullptr.  Any thread.
  virtual const Alarm *receivedAlarm() { return nullptr; }

  /// The transport's pages, as long as it has any: waits look at them.
  void setPages(PeerPages *some) { pages = some; }

protected:
  PeerPages *pages = nullptr;
};

/// The ranks of this job.  Throws unless they are `ranks`, with a message that
/// says how to start or to compile instead; where several processes would say
/// the same, all but one throw an empty message, which is not to be printed.
std::unique_ptr<World> connectWorld(uint32_t ranks);

} // namespace zrt

/// The opaque handle of the C ABI.
struct zrt_world {
  zrt::World &world;
};
