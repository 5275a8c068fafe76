//===- MpiWorld.cpp - Control plane of ranks started by MPI ---------------===//
//
// The only file of zrt_mpi.so.  A program loads this library only if mpirun or
// srun has started it, so other programs do not need libmpi.
//
// The control plane on MPI: messages, and alarms of ranks that fail.  MPI can
// only be polled, so every wait tests, sleeps briefly, and checks whether the
// peer can still answer: by its pages once ranks share any (PeerPages), before
// that by its process.
//
//===----------------------------------------------------------------------===//
#include "abi/Counts.h"
#include "runtime/system/Clock.h"
#include "runtime/system/StartThread.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/ProcessWorld.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mpi.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace zrt;

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
        "a collective with another host failed");
    return done != 0;
  }

private:
  std::vector<MPI_Comm> comms;
  std::vector<std::vector<MPI_Request>> requests;
};

class MpiWorld final : public ProcessWorld {
public:
  /// Must be called after MPI_Init_thread.
  MpiWorld();
  ~MpiWorld() override;

  int rank() const override { return me; }
  int size() const override { return count; }
  void allGather(const void *mine, size_t bytes, void *all) override;
  void send(int to, const void *data, size_t bytes) override;
  void receive(int from, void *data, size_t bytes) override;

  std::unique_ptr<HostLink> linkHosts() override;

private:
  /// Returns when `request`, which depends on `peer`, is complete.
  void await(MPI_Request &request, int peer, const char *what);
  /// Transfers `bytes` bytes in messages that `start(done, size, request)`
  /// starts.
  template <typename Start>
  void transfer(int peer, size_t bytes, const char *what, Start start);
  void sendToAll(const AlarmPacket &packet) override;
  std::optional<AlarmPacket> takePacket() override;

  int me = 0, count = 1;
  MPI_Comm messages = MPI_COMM_NULL, alarms = MPI_COMM_NULL;
};

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

template <typename Start>
void MpiWorld::transfer(int peer, size_t bytes, const char *what, Start start) {
  size_t done = 0;
  do {
    const size_t size = std::min(bytes - done, kMaxBytes);
    MPI_Request request = MPI_REQUEST_NULL;
    checkMpi(start(done, static_cast<int>(size), &request), what);
    await(request, peer, what);
    done += size;
  } while (done < bytes);
}

void MpiWorld::send(int to, const void *data, size_t bytes) {
  transfer(to, bytes, "a message to it",
           [&](size_t done, int size, MPI_Request *request) {
             return MPI_Isend(static_cast<const char *>(data) + done, size,
                              MPI_BYTE, to, 0, messages, request);
           });
}

void MpiWorld::receive(int from, void *data, size_t bytes) {
  transfer(from, bytes, "a message from it",
           [&](size_t done, int size, MPI_Request *request) {
             return MPI_Irecv(static_cast<char *>(data) + done, size, MPI_BYTE,
                              from, 0, messages, request);
           });
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

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

/// Returns a thread that prints a note if it is not ended in time, because MPI
/// prints nothing while it waits for a process that does not arrive.
std::jthread noteIfLate() {
  return startThread<std::jthread>(
      "a thread beside the start of MPI", [](const std::stop_token &stop) {
        constexpr std::chrono::seconds kPatience{10};
        std::mutex mutex;
        std::condition_variable_any changed;
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait_for(lock, stop, kPatience, [] { return false; });
        if (!stop.stop_requested())
          fmt::print(stderr,
                     "{}: note: MPI has not connected all ranks for {} s; "
                     "one of them may be stopped, or its host not reachable\n",
                     program_invocation_short_name, kPatience.count());
      });
}

} // namespace

zrt::World *zrt_connect_by_mpi(uint32_t ranks) {
  std::jthread note = noteIfLate();
  int support = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &support) !=
      MPI_SUCCESS)
    fail(
        "MPI does not start; start with mpirun -n {}, or on one host without a "
        "launcher",
        ranks);
  int started = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string problem;
  if (static_cast<uint32_t>(started) != ranks)
    problem = fmt::format("compiled for {2}, started with {1}; run mpirun -n "
                          "{0} ... or compile with --world-size={1}",
                          ranks, started, plural(ranks, "rank"));
  else if (support < MPI_THREAD_MULTIPLE)
    problem = "this MPI cannot be used by several threads; install one with "
              "MPI_THREAD_MULTIPLE";
  if (!problem.empty()) {
    // Rank 0 prints one message for all ranks.  The barrier makes sure that it
    // is printed before any rank ends: mpirun kills the others when one has
    // failed.
    if (rank == 0)
      fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name,
                 problem);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    throw Error("");
  }
  auto world = std::make_unique<MpiWorld>();
  note = {};
  return world.release();
}
