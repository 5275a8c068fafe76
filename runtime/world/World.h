//===- World.h - Control plane between the ranks of a job -------*- C++ -*-===//
//
// Carries small, rare messages between ranks: addresses at start, votes,
// weights to save.  The data of a step goes through runtime/transport.
//
// SoloWorld is for one rank, SocketWorld for several ranks of one host,
// MpiWorld for ranks that mpirun or srun has started.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/system/Environment.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// The time between two looks at a peer, and the longest sleep in a wait.
constexpr std::chrono::milliseconds kLookEvery{20};

/// The times after which a wait gives up.
struct WaitLimits {
  /// A process whose heartbeat stands still for this time counts as stopped.
  std::chrono::milliseconds silence{5000};
  /// The limit for a process that runs but does not arrive;
  /// ZRT_TIMEOUT=seconds.
  std::chrono::milliseconds arrival{600'000};
};

/// Returns the time that a rank waits for a peer that runs but does not arrive:
/// ZRT_TIMEOUT, at most 30 years, which 64-bit nanoseconds can represent.
inline std::chrono::seconds timeOutOfArrival() {
  return std::chrono::seconds(
      environmentNumber("ZRT_TIMEOUT", 600, 1'000'000'000));
}

/// The message of a rank that fails.
struct Alarm {
  int origin = -1; ///< the rank that failed first, or -1 if the message names
                   ///< it
  std::string message;
  /// The rank that did not arrive in time, if the message is about that; it may
  /// itself be waiting for another rank.  Otherwise -1.
  int late = -1;
};

/// A wait for a rank.
class PeerWait {
public:
  virtual ~PeerWait() = default;
  /// Must be called whenever kLookEvery has passed and the awaited event has
  /// not happened.  Throws if it can no longer happen.
  virtual void look() = 0;
};

/// The state of all ranks that share memory: the transport's pages.
class PeerPages {
public:
  virtual ~PeerPages() = default;
  /// Fails this rank: every peer that waits for it gets an error.  Any thread
  /// may call it; only the first call counts.
  virtual void raise(const Alarm &alarm, const std::string &text) = 0;
  /// Returns a wait of this rank for `peer` in `what`, e.g. "a message to it".
  virtual std::unique_ptr<PeerWait> waitFor(int peer, const char *what) = 0;
};

/// Transfers bytes between hosts.  The transport copies between ranks of one
/// host by itself; for other hosts it asks the world for a link (MPI).  This
/// interface is all that libzrt knows of MPI.
///
/// A slot identifies a transfer: a small number that the caller chooses and
/// reuses once the transfer is done.  Streams are independent of each other.
/// One thread starts all transfers of a stream, and transfers between two ranks
/// on one stream arrive in the order in which they were started.
class HostLink {
public:
  virtual ~HostLink() = default;
  /// Reserves `slots` slots, [0, slots), for each of `streams` streams.  All
  /// ranks call it once, together, before any transfer.
  virtual void reserve(uint32_t streams, int slots) = 0;
  /// Starts sending; `data` must not change until `done`.
  virtual void send(zrt_stream stream, int slot, int to, const void *data,
                    size_t bytes) = 0;
  virtual void receive(zrt_stream stream, int slot, int from, void *data,
                       size_t bytes) = 0;
  /// Returns true if the transfer of `slot` is complete.  Never blocks.
  virtual bool done(zrt_stream stream, int slot) = 0;
};

/// All functions throw zrt::Error: when a peer has failed or gone, with its
/// rank and its message; when nothing moves for longer than the time-out.  One
/// thread per rank makes the collective calls, in the same order on all ranks.
class World {
public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Gathers `bytes` bytes of every rank into `all`, in rank order.
  virtual void allGather(const void *mine, size_t bytes, void *all) = 0;
  virtual void send(int to, const void *data, size_t bytes) = 0;
  virtual void receive(int from, void *data, size_t bytes) = 0;
  /// Gathers a value of every rank: plain bytes.
  template <typename T>
  std::vector<T> gather(const T &mine) {
    std::vector<T> all(static_cast<size_t>(size()));
    allGather(&mine, sizeof(mine), all.data());
    return all;
  }
  void barrier() { (void)gather(char()); }
  /// Returns rank 0's text on all ranks.
  std::string textOfRank0(std::string text);

  /// Reports that this rank cannot go on: every peer that waits for it, now or
  /// later, gets an error that names this rank and `message`.  Does not wait
  /// and calls nothing back.  Any thread may call it; only the first call
  /// counts.
  virtual void abort(const std::string &message);

  /// Notes that this rank cannot go on because a peer has failed, is gone or
  /// does not come.  Any thread may call it.
  void noteLostPeer() { lostPeer = true; }
  /// Whether that has happened: an error of this rank is then not its own.
  bool hasLostPeer() const { return lostPeer; }

  /// Ends the process after a failure, without waiting for peers, since some
  /// may be gone.  Flushes the standard streams; destructors do not run.
  [[noreturn]] virtual void leave(int status);

  /// The services of this world for the transport; the defaults are for ranks
  /// of one host that share pages.
  ///
  /// Returns a link to the ranks on other hosts.  All ranks call it together.
  virtual std::unique_ptr<HostLink> linkHosts();
  /// Sends `alarm` to all ranks, only once, without waiting for any of them.
  virtual void sendAlarm(const Alarm &) {}
  /// Returns an alarm that was received, or nullptr.  Any thread may call it.
  virtual const Alarm *receivedAlarm() { return nullptr; }

  /// Sets the transport's pages, which waits then look at, or nullptr at its
  /// end.
  void setPages(PeerPages *some) { pages = some; }

protected:
  PeerPages *pages = nullptr;

private:
  std::atomic<bool> lostPeer{false};
};

/// The processes that a launcher has started; 0 where it does not say how many.
struct Launched {
  uint32_t ranks = 0, rank = 0;
};
/// Returns what mpirun, srun or torchrun has started; nullopt if connectWorld
/// starts the ranks itself.  Throws zrt::Error for an environment that
/// contradicts itself.
std::optional<Launched> findLauncher();

/// Returns the world of this job.  Throws if it does not have `ranks` ranks;
/// the message says how to start or compile the program instead.  Where several
/// processes would print the same message, all but one throw an empty one,
/// which must not be printed.
std::unique_ptr<World> connectWorld(uint32_t ranks);

} // namespace zrt

/// The opaque handle of the C ABI.
struct zrt_world {
  zrt::World &world;
};

/// The entry point of zrt_mpi.so: returns the world of the ranks that MPI has
/// started, which the caller owns.  Throws as zrt::connectWorld does, also if
/// there are not `ranks` of them.
extern "C" zrt::World *zrt_connect_by_mpi(uint32_t ranks);
