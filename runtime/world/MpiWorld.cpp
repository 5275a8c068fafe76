//===- MpiWorld.cpp - Ranks that mpirun or srun started -------------------===//
#include "runtime/world/MpiWorld.h"

#include "runtime/Error.h"
#include "runtime/transport/HostLink.h"
#include "runtime/transport/Patience.h"
#include "runtime/world/MpiLink.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

using namespace zrt;
using Clock = std::chrono::steady_clock;

namespace {

/// What an MPI count can say, rounded down to something round.
constexpr size_t kMostBytes = size_t{1} << 30;

/// An alarm as it travels.
struct Packet {
  int32_t origin = -1;
  char message[1024] = {};
};

} // namespace

void zrt::checkMpi(int result, const char *what) {
  if (result == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(result, text, &length);
  fail("{}: {}", what, text);
}

MpiWorld::MpiWorld() : timeOut(timeOutOfArrival()) {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &messages), "cannot connect the ranks");
  checkMpi(MPI_Comm_dup(MPI_COMM_WORLD, &alarms), "cannot connect the ranks");
  // An error is an exception that names the operation, not the end.
  for (const MPI_Comm comm : {MPI_COMM_WORLD, messages, alarms})
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

MpiWorld::~MpiWorld() {
  // MPI_Finalize waits for all ranks, and would wait for ever for one that has
  // failed.  The launcher cleans up after a process that ends without it.
  if (sent || received)
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
  auto nextLook = Clock::now() + kLookEvery;
  std::optional<Patience> patience;
  const auto start = Clock::now();
  while (true) {
    int done = 0;
    checkMpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done)
      return;
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, std::chrono::microseconds(500));
    if (Clock::now() < nextLook)
      continue;
    nextLook = Clock::now() + kLookEvery;
    // On the way out the request stays as it is: nothing is received any more.
    if (peers) {
      if (!patience)
        patience.emplace(*peers, peer, what);
      patience->look();
    } else if (const Alarm *alarm = receivedAlarm()) {
      // Before ranks share pages, alarms are all there is.  Passed on as it was
      // first raised: who hears of this rank first names the origin, too.
      sendAlarm(*alarm);
      if (alarm->origin < 0)
        fail("{}", alarm->message);
      fail("rank {} failed: {}", alarm->origin, alarm->message);
    } else if (Clock::now() - start > timeOut) {
      fail("rank {} has not come for {} s while rank {} waited for it in {}; "
           "set ZRT_TIMEOUT to more seconds if it takes so long",
           peer, timeOut.count(), me, what);
    }
  }
}

void MpiWorld::send(int to, const void *data, size_t bytes) {
  constexpr const char *what = "a message to it";
  const auto *from = static_cast<const char *>(data);
  do {
    const size_t size = std::min(bytes, kMostBytes);
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
    const size_t size = std::min(bytes, kMostBytes);
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
  // Between each two ranks, so that a wait knows for whom it waits.
  constexpr const char *what = "a message between all ranks";
  if (bytes > kMostBytes)
    fail("{}: {} bytes are more than {}", what, bytes, kMostBytes);
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

void MpiWorld::sendAlarm(const Alarm &alarm) {
  if (sent.exchange(true))
    return;
  // Static: MPI may read it until the process ends.
  static Packet packet;
  packet.origin = alarm.origin;
  alarm.message.copy(packet.message, sizeof packet.message - 1);
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < count; ++peer) {
    if (peer == me)
      continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&packet, sizeof packet, MPI_BYTE, peer, 0, alarms,
                  &request) == MPI_SUCCESS)
      requests.push_back(request);
  }
  // Small messages leave at once, except through a connection that is only
  // being made: a moment for those, but no waiting for the dead.
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

const Alarm *MpiWorld::receivedAlarm() {
  if (received.load(std::memory_order_acquire))
    return &first;
  const std::lock_guard<std::mutex> lock(mutex);
  int there = 0;
  MPI_Status status;
  if (!received.load(std::memory_order_relaxed) &&
      MPI_Iprobe(MPI_ANY_SOURCE, 0, alarms, &there, &status) == MPI_SUCCESS &&
      there) {
    Packet packet;
    if (MPI_Recv(&packet, sizeof packet, MPI_BYTE, status.MPI_SOURCE, 0, alarms,
                 MPI_STATUS_IGNORE) == MPI_SUCCESS) {
      packet.message[sizeof packet.message - 1] = '\0';
      first = {packet.origin, packet.message};
      received.store(true, std::memory_order_release);
    }
  }
  return received.load(std::memory_order_relaxed) ? &first : nullptr;
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  int support = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &support) !=
      MPI_SUCCESS)
    fail("MPI does not start; start with mpirun -n {}", ranks);
  int started = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string problem;
  if (static_cast<uint32_t>(started) != ranks)
    problem = fmt::format("compiled for {0} rank{2}, started with {1}; run "
                          "mpirun -n {0} ... or compile with --world-size={1}",
                          ranks, started, ranks == 1 ? "" : "s");
  else if (support < MPI_THREAD_MULTIPLE)
    problem = "this MPI cannot be used by several threads; install one with "
              "MPI_THREAD_MULTIPLE";
  if (!problem.empty()) {
    // One message for all ranks, and out before any of them ends: mpirun kills
    // the others when one has failed.
    if (rank == 0)
      fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name,
                 problem);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    throw Error("");
  }
  return std::make_unique<MpiWorld>();
}
