//===- SocketWorld.cpp - Control plane of one host, without MPI -----------===//
#include "runtime/world/SocketWorld.h"

#include "runtime/hash/Hash.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace zrt;

namespace {

constexpr char kMagic[8] = {'z', 'r', 't', 'r', 'a', 'n', 'k', '1'};
/// After this time a note names the rank that is missing.
constexpr std::chrono::seconds kPatience{10};

std::string environment(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

/// Reads a number from `least` to 2^20; returns `otherwise` if it is not set.
int numberOf(const char *name, int least, int otherwise) {
  const std::string text = environment(name);
  if (text.empty())
    return otherwise;
  int value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      value < least || value > 1 << 20)
    fail("{} must be a whole number from {}, got {}", name, least, shown(text));
  return value;
}

/// Prints one note when a rank is late, and throws after the time-out.
class Coming {
public:
  Coming(const Launch &launch, std::chrono::seconds timeOut)
      : launch(launch), timeOut(timeOut) {}
  void look(int missing) {
    const auto waited = Clock::now() - start;
    if (waited > timeOut)
      fail("rank {} has not come for {} s while rank {} waited for it at the "
           "start; set ZRT_TIMEOUT to more seconds if it takes so long",
           missing, timeOut.count(), launch.rank);
    if (waited > kPatience && !std::exchange(told, true))
      fmt::print(stderr, "{}: note: rank {} has not come to rank {} for {} s\n",
                 program_invocation_short_name, missing, launch.rank,
                 kPatience.count());
  }

private:
  const Launch &launch;
  const std::chrono::seconds timeOut;
  const Clock::time_point start = Clock::now();
  bool told = false;
};

} // namespace

std::optional<Launch> zrt::launchFromEnvironment() {
  if (environment("RANK").empty() || environment("WORLD_SIZE").empty())
    return std::nullopt;
  Launch launch;
  launch.size = numberOf("WORLD_SIZE", 1, 1);
  launch.rank = numberOf("RANK", 0, 0);
  if (launch.rank >= launch.size)
    fail("RANK={} is not below WORLD_SIZE={}", launch.rank, launch.size);
  if (const int here = numberOf("LOCAL_WORLD_SIZE", 1, launch.size);
      here != launch.size)
    fail("{} of {} ranks are on this host; without MPI all must be on one: "
         "start with mpirun or srun",
         here, launch.size);
  for (const char *name : {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID",
                           "TORCHELASTIC_RESTART_COUNT"})
    launch.job += environment(name) + '\n';
  return launch;
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

SocketWorld::SocketWorld(const Launch &launch)
    : launch(launch), peers(size_t(launch.size)) {
  const SocketFolder folder;
  const Listener listener = listenHere(folder);
  Coming coming(launch, timeOut);
  std::chrono::milliseconds nap{1};
  for (int peer = missing(); peer >= 0; peer = missing()) {
    for (int lower = 0; lower < rank(); ++lower)
      for (const Channel channel : {Messages, Alarms})
        if (OpenFile &socket = peers[size_t(lower)].sockets[channel]; !socket)
          socket = reach(folder, lower, channel);
    pollfd waiting = {listener.number(), POLLIN, 0};
    if (poll(&waiting, 1, int(nap.count())) > 0)
      accept(listener);
    coming.look(peer);
    nap = std::min(2 * nap, kLookEvery);
  }
  exchangeCards();
}

std::string SocketWorld::nameOf(int rank) const {
  return fmt::format("zeroc-{:016x}-{}", Hash::of(launch.job), rank);
}

Listener SocketWorld::listenHere(const SocketFolder &folder) {
  try {
    if (std::optional<Listener> free =
            folder.listen(nameOf(rank()), 2 * size()))
      return std::move(*free);
  } catch (const Error &error) {
    tellOthers(folder, error.what());
    throw;
  }
  // The others are told nothing: they may be those of the other job.
  fail("rank {} of a job with this MASTER_PORT runs already; give each job a "
       "MASTER_PORT of its own",
       rank());
}

void SocketWorld::tellOthers(const SocketFolder &folder,
                             const std::string &reason) const {
  const AlarmPacket packet(Alarm{rank(), reason, -1});
  std::vector<bool> told(peers.size());
  told[size_t(rank())] = true;
  const auto end = Clock::now() + std::min(kPatience, timeOut);
  while (std::ranges::count(told, false) > 0 && Clock::now() < end) {
    for (int peer = 0; peer < size(); ++peer)
      if (!told[size_t(peer)])
        if (const OpenFile socket = reach(folder, peer, Failure); socket)
          told[size_t(peer)] = ::send(socket.number(), &packet, sizeof packet,
                                      MSG_NOSIGNAL) == sizeof packet;
    std::this_thread::sleep_for(kLookEvery);
  }
}

OpenFile SocketWorld::reach(const SocketFolder &folder, int peer,
                            Channel channel) const {
  OpenFile socket = makeSocket();
  if (folder.connect(socket, nameOf(peer))) {
    Hello hello = {{}, rank(), size(), channel};
    std::copy(std::begin(kMagic), std::end(kMagic), hello.magic);
    // A new socket has room for the hello.
    if (::send(socket.number(), &hello, sizeof hello, MSG_NOSIGNAL) ==
        sizeof hello)
      return socket;
  } else if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN &&
             errno != EINTR) {
    fail("cannot connect rank {} with rank {}: {}", rank(), peer, errnoText());
  }
  return OpenFile();
}

int SocketWorld::missing() const {
  for (int peer = 0; peer < size(); ++peer)
    if (peer != rank())
      for (const OpenFile &socket : peers[size_t(peer)].sockets)
        if (!socket)
          return peer;
  return -1;
}

/// Receives a whole value within a second.
template <typename Value>
static bool receiveSoon(const OpenFile &socket, Value &value) {
  pollfd speaking = {socket.number(), POLLIN, 0};
  return poll(&speaking, 1, 1000) > 0 &&
         recv(socket.number(), &value, sizeof value, 0) == sizeof value;
}

void SocketWorld::accept(const Listener &listener) {
  OpenFile socket(accept4(listener.number(), nullptr, nullptr,
                          SOCK_CLOEXEC | SOCK_NONBLOCK));
  Hello hello = {};
  if (!socket || !receiveSoon(socket, hello) ||
      !std::equal(std::begin(kMagic), std::end(kMagic), hello.magic))
    return; // a stranger
  if (AlarmPacket packet;
      hello.channel == Failure && receiveSoon(socket, packet))
    fail("rank {} failed: {}", hello.rank, packet.alarm().message);
  if (hello.size != size())
    fail("rank {} was started as one of {}, rank {} as one of {}; "
         "WORLD_SIZE must be the same for all",
         rank(), size(), hello.rank, hello.size);
  if (hello.rank > rank() && hello.rank < size() && hello.channel <= Alarms)
    peers[size_t(hello.rank)].sockets[hello.channel] = std::move(socket);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

template <typename Step>
void SocketWorld::transfer(int peer, size_t bytes, short events,
                           const char *what, Step step) {
  const auto wait = waitFor(peer, what);
  const int socket = peers[size_t(peer)].sockets[Messages].number();
  for (size_t all = 0; all < bytes;) {
    const ssize_t done = step(socket, all);
    if (done > 0) {
      all += size_t(done);
    } else if (done < 0 && (errno == EAGAIN || errno == EINTR)) {
      pollfd waiting = {socket, events, 0};
      if (poll(&waiting, 1, int(kLookEvery.count())) <= 0)
        wait->look();
    } else {
      wait->look(); // throws if an alarm gives the reason
      noteLostPeer();
      fail("rank {} is gone while rank {} waited for it in {}", peer, rank(),
           what);
    }
  }
}

void SocketWorld::send(int to, const void *data, size_t bytes,
                       const char *what) {
  transfer(to, bytes, POLLOUT, what, [&](int socket, size_t done) {
    return ::send(socket, static_cast<const char *>(data) + done, bytes - done,
                  MSG_NOSIGNAL);
  });
}

void SocketWorld::receive(int from, void *data, size_t bytes,
                          const char *what) {
  transfer(from, bytes, POLLIN, what, [&](int socket, size_t done) {
    return recv(socket, static_cast<char *>(data) + done, bytes - done, 0);
  });
}

void SocketWorld::allGather(const void *mine, size_t bytes, void *all) {
  // In round d, each rank sends to the rank at distance d and receives from the
  // one at distance -d, so every message is read in the round in which it is
  // sent.  A piece fits into a socket buffer.
  constexpr size_t kPiece = 1 << 15;
  constexpr const char *what = "a message between all ranks";
  auto *to = static_cast<char *>(all);
  std::copy_n(static_cast<const char *>(mine), bytes,
              to + size_t(rank()) * bytes);
  for (int distance = 1; distance < size(); ++distance) {
    const int next = (rank() + distance) % size(),
              last = (rank() + size() - distance) % size();
    for (size_t done = 0; done < bytes; done += kPiece) {
      const size_t size = std::min(kPiece, bytes - done);
      send(next, static_cast<const char *>(mine) + done, size, what);
      receive(last, to + size_t(last) * bytes + done, size, what);
    }
  }
}

//===----------------------------------------------------------------------===//
// Alarms
//===----------------------------------------------------------------------===//

void SocketWorld::sendToAll(const AlarmPacket &packet) {
  for (const Peer &peer : peers)
    if (peer.sockets[Alarms]) // has room: carries nothing else
      (void)!::send(peer.sockets[Alarms].number(), &packet, sizeof packet,
                    MSG_NOSIGNAL);
}

std::optional<AlarmPacket> SocketWorld::takePacket() {
  AlarmPacket packet;
  for (const Peer &peer : peers)
    if (peer.sockets[Alarms] &&
        recv(peer.sockets[Alarms].number(), &packet, sizeof packet, 0) ==
            sizeof packet) // sent in one call, so it arrives whole
      return packet;
  return std::nullopt;
}
