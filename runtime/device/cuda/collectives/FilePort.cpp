//===- FilePort.cpp - Sends open files between processes ------------------===//
#include "runtime/device/cuda/collectives/FilePort.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// A rank that has not sent its file after this time counts as failed.
constexpr int kPatience = 20; // seconds

/// Known to the ranks of a job, but not to other processes of the host.
using Secret = std::array<uint32_t, 8>;

Secret newSecret() {
  std::random_device random;
  Secret secret;
  for (uint32_t &word : secret)
    word = random();
  return secret;
}

/// The message that accompanies a file: the receiver's secret and the sender's
/// rank.
struct Letter {
  Secret secret;
  int32_t rank;
};

/// Room for one file beside a message.
union Enclosure {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr aligned;
};

/// A socket of this host with an address of its own.
class Port {
public:
  Port() : file(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    // With an empty address, the kernel chooses one that is not in use.
    sockaddr_un any = {};
    any.sun_family = AF_UNIX;
    if (!file ||
        bind(file.number(), asAddress(any), sizeof(any.sun_family)) != 0)
      fail("cannot make a socket for other ranks: {}", errnoText());
    const timeval patience = {kPatience, 0};
    setsockopt(file.number(), SOL_SOCKET, SO_SNDTIMEO, &patience,
               sizeof(patience));
    setsockopt(file.number(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof(patience));
    socklen_t length = sizeof(card.address);
    getsockname(file.number(), asAddress(card.address), &length);
    card.length = length;
    card.secret = newSecret();
  }

  /// The data that others need to send to this port; plain bytes.
  struct Card {
    sockaddr_un address = {};
    uint32_t length = 0;
    Secret secret = {};
  };
  Card card;

  void send(const Card &to, int toRank, int fromRank,
            const OpenFile &what) const {
    Letter letter = {to.secret, fromRank};
    Card target = to;
    iovec text = {&letter, sizeof(letter)};
    Enclosure enclosure = {};
    msghdr message = {};
    message.msg_name = &target.address;
    message.msg_namelen = target.length;
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = enclosure.bytes;
    message.msg_controllen = sizeof(enclosure.bytes);
    cmsghdr *const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = what.number();
    std::memcpy(CMSG_DATA(header), &number, sizeof(number));
    if (sendmsg(file.number(), &message, 0) < 0)
      fail("cannot send a handle of memory to rank {}: {}; ranks that exchange "
           "directly must be in one container",
           toRank, errnoText());
  }

  /// Waits for one file.
  void receive(std::vector<OpenFile> &files) const {
    while (true) {
      Letter letter = {};
      iovec text = {&letter, sizeof(letter)};
      Enclosure enclosure = {};
      msghdr message = {};
      message.msg_iov = &text;
      message.msg_iovlen = 1;
      message.msg_control = enclosure.bytes;
      message.msg_controllen = sizeof(enclosure.bytes);
      const ssize_t bytes = recvmsg(file.number(), &message, MSG_CMSG_CLOEXEC);
      if (bytes < 0 && errno != EINTR)
        fail("no handle of memory has come from another rank in {} s",
             kPatience);
      const cmsghdr *const header = CMSG_FIRSTHDR(&message);
      if (bytes < 0 || !header || header->cmsg_type != SCM_RIGHTS)
        continue; // a signal, or a stranger
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header), sizeof(number));
      OpenFile came(number);
      if (bytes != sizeof(letter) || letter.secret != card.secret ||
          letter.rank < 0 || size_t(letter.rank) >= files.size())
        continue;
      files[size_t(letter.rank)] = std::move(came);
      return;
    }
  }

private:
  static sockaddr *asAddress(sockaddr_un &address) {
    return reinterpret_cast<sockaddr *>(&address);
  }
  const OpenFile file;
};

} // namespace

std::vector<OpenFile> cuda::exchangeFiles(World &world, const OpenFile &mine) {
  const int rank = world.rank(), ranks = world.size();
  std::unique_ptr<Port> port;
  together(world, [&] { port = std::make_unique<Port>(); });
  const std::vector<Port::Card> cards = world.gather(port->card);
  std::vector<OpenFile> files(static_cast<size_t>(ranks));
  together(world, [&] {
    // A socket queues only a few messages, so this sends and receives in turn.
    for (int i = 1; i < ranks; ++i) {
      const int peer = (rank + i) % ranks;
      port->send(cards[size_t(peer)], peer, rank, mine);
      port->receive(files);
    }
  });
  return files;
}
