//===- SocketWorld.h - Control plane of one host, without MPI ---*- C++ -*-===//
//
// The control plane for launchers such as torchrun, which only start processes
// and give each its number.  Two Unix sockets connect each pair of ranks: one
// for messages, one for alarms.  A rank of a lower number is found by its name
// in a folder of the user, until all are connected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "runtime/world/ProcessWorld.h"
#include "runtime/world/SocketFolder.h"

#include <csignal>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace zrt {

/// The data that a launcher passes in the environment.
struct Launch {
  int rank = 0, size = 1;
  std::string job; ///< the same for all ranks of a job, different between jobs
};

/// Reads RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; nullopt if RANK or
/// WORLD_SIZE is not set.  Throws zrt::Error for numbers that contradict each
/// other, and for ranks on several hosts.
std::optional<Launch> launchFromEnvironment();

/// Starts `ranks` processes on this host.  Each of them returns from this call
/// with its own launch.  The calling process does not return: it forwards
/// signals to the ranks, waits for them, and ends with the status of the first
/// rank that failed, or with 0.  When a rank is missing (status 1 or a signal),
/// the others have ten seconds to report it before they are killed; when the
/// calling process is killed, so are the ranks.  Must be called before there
/// are threads.  Throws zrt::Error if the system cannot create a process.
Launch startRanks(int ranks);

/// The status of a rank of an elastic job that ends because of another rank.
constexpr int kPeerLost = 76;
/// To the starter of an elastic job: all of its ranks can be used again.
constexpr int kGrowSignal = SIGUSR2;

/// How all ranks of an elastic job have ended.
struct RanksEnd {
  int status = 0;       ///< of the rank that failed first; 0 if none
  int failed = 0;       ///< how many failed by themselves
  bool isAsked = false; ///< a user's signal ended them
  bool grows = false;   ///< they have ended because of kGrowSignal
  std::string what;     ///< "rank 3 was ended by signal 9 (Killed)"
};

/// The same for an elastic job: the calling process returns once all ranks have
/// ended.  When one has failed the others are asked to end after a second.  In
/// ranks kGrowSignal is blocked; it reaches them once, if `canGrow`.
std::variant<Launch, RanksEnd> startElasticRanks(int ranks, bool canGrow);

class SocketWorld final : public ProcessWorld {
public:
  /// Returns when all ranks are connected.
  explicit SocketWorld(const Launch &launch);

  int rank() const override { return launch.rank; }
  int size() const override { return launch.size; }
  void allGather(const void *mine, size_t bytes, void *all) override;
  void send(int to, const void *data, size_t bytes) override {
    send(to, data, bytes, "a message to it");
  }
  void receive(int from, void *data, size_t bytes) override {
    receive(from, data, bytes, "a message from it");
  }

private:
  /// An alarm follows the hello of Failure, from a rank that cannot listen.
  enum Channel : uint32_t { Messages, Alarms, Failure };
  /// The first bytes of a connection.
  struct Hello {
    char magic[8];
    int32_t rank, size;
    Channel channel;
  };
  struct Peer {
    OpenFile sockets[2]; ///< by Channel
  };

  /// `what` names the operation in errors if this rank must wait.
  void send(int to, const void *data, size_t bytes, const char *what);
  void receive(int from, void *data, size_t bytes, const char *what);

  std::string nameOf(int rank) const;
  Listener listenHere(const SocketFolder &folder);
  /// Sends the reason to all others, as long as some may still come.
  void tellOthers(const SocketFolder &folder, const std::string &reason) const;
  /// Returns the socket once the peer listens and was told who comes.
  OpenFile reach(const SocketFolder &folder, int peer, Channel channel) const;
  void accept(const Listener &listener);
  /// A rank that is not connected yet, or -1.
  int missing() const;
  /// Calls `step(socket, done)`, which sends or receives from byte `done` on,
  /// until `bytes` are done; waits for `events` in between.
  template <typename Step>
  void transfer(int peer, size_t bytes, short events, const char *what,
                Step step);
  void sendToAll(const AlarmPacket &packet) override;
  std::optional<AlarmPacket> takePacket() override;

  const Launch launch;
  std::vector<Peer> peers; ///< by rank; this rank's own entry has no sockets
};

} // namespace zrt
