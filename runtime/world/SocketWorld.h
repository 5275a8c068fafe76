//===- SocketWorld.h - Ranks of one host, without MPI -----------*- C++ -*-===//
//
// The control plane for launchers that only start processes and tell each its
// number, as torchrun does.  Each two ranks have two Unix sockets: one for
// messages, one for alarms.  Their names are abstract: nothing is left in a
// file system, whatever happens.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/ProcessWorld.h"

#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// What a launcher says in the environment.
struct Launch {
  int rank = 0, size = 1;
  std::string job; ///< the same for all ranks, and another for other jobs
};

/// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, if RANK and WORLD_SIZE are set.
/// Throws zrt::Error for numbers that contradict each other, and for ranks on
/// several hosts.
std::optional<Launch> launchFromEnvironment();

/// A socket that is closed when it ends.
class Socket {
public:
  explicit Socket(int fd = -1) : fd(fd) {}
  Socket(Socket &&other) noexcept : fd(other.fd) { other.fd = -1; }
  Socket &operator=(Socket &&other) noexcept;
  ~Socket();
  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd;
};

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
  enum Channel : uint32_t { Messages, Alarms };
  /// The first bytes of a connection.
  struct Hello {
    char magic[8];
    int32_t rank, size;
    Channel channel;
  };
  struct Peer {
    Socket sockets[2]; ///< by Channel
  };

  /// `what` this rank waits in if it must.
  void send(int to, const void *data, size_t bytes, const char *what);
  void receive(int from, void *data, size_t bytes, const char *what);

  std::string nameOf(int rank) const;
  Socket listenHere() const;
  void connectTo(int peer, Channel channel);
  void acceptOthers(const Socket &listener);
  /// A rank that is not connected yet, or -1.
  int missing() const;
  /// Calls `step(socket, done)`, a send or receive from byte `done` on, until
  /// `bytes` are done, and in between waits for `events`.
  template <typename Step>
  void transfer(int peer, size_t bytes, short events, const char *what,
                Step step);
  void sendToAll(const AlarmPacket &packet) override;
  std::optional<AlarmPacket> takePacket() override;

  const Launch launch;
  std::vector<Peer> peers; ///< by rank; its own has no sockets
};

} // namespace zrt
