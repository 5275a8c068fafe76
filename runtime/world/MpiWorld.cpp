//===- MpiWorld.cpp - Control plane of ranks started by MPI ---------------===//
#include "runtime/world/MpiWorld.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

using namespace zrt;
using Clock = std::chrono::steady_clock;

namespace {

/// The largest message: a power of two that fits into MPI's int count.
constexpr size_t kMaxBytes = size_t{1} << 30;

/// Throws if the MPI call returned an error; the message is `what` and MPI's
/// text.
void checkMpi(int result, const char *what) {
  if (result == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  fail("{}: {}", what, text);
}

/// Transfers slices between hosts.  Each stream has its own communicator, so
/// messages of two streams cannot mix.  Communicators are not freed: that is
/// collective, and this rank may be the only one left.
class MpiLink final : public HostLink {
public:
  void reserve(uint32_t streams, int slots) override {
    comms.resize(streams);
    for (MPI_Comm &comm : comms) {
      checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "cannot connect the hosts");
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    requests.resize(streams);
    for (auto &stream : requests)
      stream.assign(static_cast<size_t>(slots), MPI_REQUEST_NULL);
  }
  void send(zrt_stream stream, int slot, int to, const void *data,
            size_t bytes) override {
    checkMpi(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, 0,
                       comms[stream], &requests[stream][size_t(slot)]),
             "cannot send to another host");
  }
  void receive(zrt_stream stream, int slot, int from, void *data,
               size_t bytes) override {
    checkMpi(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, 0,
                       comms[stream], &requests[stream][size_t(slot)]),
             "cannot receive from another host");
  }
  bool done(zrt_stream stream, int slot) override {
    int done = 0;
    checkMpi(
        MPI_Test(&requests[stream][size_t(slot)], &done, MPI_STATUS_IGNORE),
        "an exchange with another host failed");
    return done != 0;
  }

private:
  std::vector<MPI_Comm> comms;
  std::vector<std::vector<MPI_Request>> requests;
};

} // namespace

MpiWorld::MpiWorld() {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &messages), "cannot connect the ranks");
  checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &alarms), "cannot connect the ranks");
  // Lets MPI return errors, which become exceptions, instead of aborting.
  for (const MPI_Comm comm : {MPI_COMM_WORLD, messages, alarms})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  exchangeCards();
}

MpiWorld::~MpiWorld() {
  // MPI_Finalize waits for all ranks, and would wait for ever for one that has
  // failed.  The launcher cleans up after a process that ends without it.
  if (hasAlarm())
    return;
  MPI_Comm_free(&messages);
  MPI_Comm_free(&alarms);
  MPI_Finalize();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void MpiWorld::await(MPI_Request &request, int peer, const char *what) {
  std::chrono::microseconds nap{10};
  auto lastLook = Clock::now();
  std::unique_ptr<PeerWait> wait;
  while (true) {
    int done = 0;
    checkMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done)
      return;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, std::chrono::microseconds(500));
    const auto now = Clock::now();
    if (now - lastLook < kLookEvery)
      continue;
    lastLook = now;
    // If look() throws, the request stays pending: this rank receives nothing
    // more.
    if (!wait)
      wait = waitFor(peer, what);
    wait->look();
  }
}

void MpiWorld::send(int to, const void *data, size_t bytes) {
  constexpr const char *what = "a message to it";
  const auto *from = static_cast<const char *>(data);
  do {
    const size_t size = std::min(bytes, kMaxBytes);
    MPI_Request request = MPI_REQUEST_NULL;
    checkMpi(MPI_Isend(from, static_cast<int>(size), MPI_BYTE, to, 0, messages,
                       &request),
             what);
    await(request, to, what);
    from += size;
    bytes -= size;
  } while (bytes > 0);
}

void MpiWorld::receive(int from, void *data, size_t bytes) {
  constexpr const char *what = "a message from it";
  auto *to = static_cast<char *>(data);
  do {
    const size_t size = std::min(bytes, kMaxBytes);
    MPI_Request request = MPI_REQUEST_NULL;
    checkMpi(MPI_Irecv(to, static_cast<int>(size), MPI_BYTE, from, 0, messages,
                       &request),
             what);
    await(request, from, what);
    to += size;
    bytes -= size;
  } while (bytes > 0);
}

void MpiWorld::allGather(const void *mine, size_t bytes, void *all) {
  // Uses pairwise messages, so that a wait knows which rank it waits for.
  constexpr const char *what = "a message between all ranks";
  if (bytes > kMaxBytes)
    fail("{}: {} are more than {}", what, shownBytes(bytes),
         shownBytes(kMaxBytes));
  auto *to = static_cast<char *>(all);
  std::copy_n(static_cast<const char *>(mine), bytes, to + size_t(me) * bytes);
  std::vector<MPI_Request> requests(size_t(count) * 2, MPI_REQUEST_NULL);
  const auto send = [&](int peer) { return size_t(count) + size_t(peer); };
  for (int peer = 0; peer < count; ++peer) {
    if (peer == me)
      continue;
    checkMpi(MPI_Irecv(to + size_t(peer) * bytes, static_cast<int>(bytes),
                       MPI_BYTE, peer, 1, messages, &requests[size_t(peer)]),
             what);
    checkMpi(MPI_Isend(mine, static_cast<int>(bytes), MPI_BYTE, peer, 1,
                       messages, &requests[send(peer)]),
             what);
  }
  for (int peer = 0; peer < count; ++peer) {
    await(requests[size_t(peer)], peer, what);
    await(requests[send(peer)], peer, what);
  }
}

std::unique_ptr<HostLink> MpiWorld::linkHosts() {
  return std::make_unique<MpiLink>();
}

//===----------------------------------------------------------------------===//
// Alarms
//===----------------------------------------------------------------------===//

void MpiWorld::sendToAll(const AlarmPacket &packet) {
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < count; ++peer) {
    if (peer == me)
      continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&packet, sizeof packet, MPI_BYTE, peer, 0, alarms,
                  &request) == MPI_SUCCESS)
      requests.push_back(request);
  }
  // Small messages leave at once, except on a connection that MPI is still
  // setting up.  Gives those 100 ms, and does not wait for ranks that are gone.
  const auto deadline = Clock::now() + std::chrono::milliseconds(100);
  int done = 0;
  while (!done && Clock::now() < deadline) {
    if (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                    MPI_STATUSES_IGNORE) != MPI_SUCCESS)
      return;
    if (!done)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::optional<AlarmPacket> MpiWorld::takePacket() {
  int there = 0;
  MPI_Status status;
  AlarmPacket packet;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, alarms, &there, &status) == MPI_SUCCESS &&
      there &&
      MPI_Recv(&packet, sizeof packet, MPI_BYTE, status.MPI_SOURCE, 0, alarms,
               MPI_STATUS_IGNORE) == MPI_SUCCESS)
    return packet;
  return std::nullopt;
}
