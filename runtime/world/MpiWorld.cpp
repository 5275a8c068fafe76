//===- MpiWorld.cpp - Ranks that mpirun or srun started -------------------===//
#include "runtime/world/MpiWorld.h"

#include "runtime/Error.h"
#include "runtime/StartThread.h"
#include "runtime/world/HostLink.h"
#include "runtime/world/MpiLink.h"
#include "runtime/world/Process.h"
#include "runtime/world/Waiting.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace zrt;
using Clock = std::chrono::steady_clock;

namespace {

/// What an MPI count can say, rounded down to something round.
constexpr size_t kMaxBytes = size_t{1} << 30;

/// An alarm as it travels.
struct Packet {
  int32_t origin = -1;
  int32_t late = -1;
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
  const ProcessCard mine = {hostIdentity(), processSpace(),
                            static_cast<int32_t>(getpid())};
  std::vector<ProcessCard> all(static_cast<size_t>(count));
  allGather(&mine, sizeof mine, all.data());
  cards = std::move(all);
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
  const auto start = Clock::now();
  auto lastLook = start;
  std::chrono::nanoseconds still{0};
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
    // Time in which this process was stopped itself does not count.
    still += std::min<std::chrono::nanoseconds>(now - lastLook, 2 * kLookEvery);
    lastLook = now;
    // On the way out the request stays as it is: nothing is received any more.
    if (!pages) {
      lookAt(peer, what, now - start, still);
      continue;
    }
    if (!wait)
      wait = pages->waitFor(peer, what);
    wait->look();
  }
}

void MpiWorld::lookAt(int peer, const char *what,
                      std::chrono::nanoseconds waited,
                      std::chrono::nanoseconds &still) {
  if (const Alarm *alarm = receivedAlarm()) {
    // Passed on as it was first raised: who hears of this rank first names the
    // origin, too.
    sendAlarm(*alarm);
    if (alarm->origin < 0)
      fail("{}", alarm->message);
    fail("rank {} failed: {}", alarm->origin, alarm->message);
  }
  const std::string waits =
      fmt::format("while rank {} waited for it in {}", me, what);
  if (waited > timeOut)
    fail("rank {} has not come for {} s {}; set ZRT_TIMEOUT to more seconds if "
         "it takes so long",
         peer, timeOut.count(), waits);
  if (cards.empty())
    return;
  const ProcessCard &mine = cards[size_t(me)], &its = cards[size_t(peer)];
  if (its.host != mine.host || its.space != mine.space ||
      !isStopped(its.process))
    still = std::chrono::nanoseconds(0);
  if (still >= WaitLimits().silence)
    fail("rank {} (process {}) has not moved for {} s (it is stopped) {}", peer,
         its.process, WaitLimits().silence.count() / 1000.0, waits);
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
  // Between each two ranks, so that a wait knows for whom it waits.
  constexpr const char *what = "a message between all ranks";
  if (bytes > kMaxBytes)
    fail("{}: {} bytes are more than {}", what, bytes, kMaxBytes);
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
  packet.late = alarm.late;
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
      first = {packet.origin, packet.message, packet.late};
      received.store(true, std::memory_order_release);
    }
  }
  return received.load(std::memory_order_relaxed) ? &first : nullptr;
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

namespace {

/// Says that the start takes long, for MPI says nothing while it waits for a
/// process that does not come.
class StartNote {
public:
  StartNote()
      : thread(startThread("a thread beside the start of MPI", [this] {
          std::unique_lock<std::mutex> lock(mutex);
          if (!changed.wait_for(lock, kPatience, [&] { return started; }))
            fmt::print(
                stderr,
                "{}: note: MPI has not connected all ranks for {} s; "
                "one of them may be stopped, or its host not reachable\n",
                program_invocation_short_name, kPatience.count());
        })) {}
  ~StartNote() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      started = true;
    }
    changed.notify_all();
    thread.join();
  }
  StartNote(const StartNote &) = delete;
  StartNote &operator=(const StartNote &) = delete;

private:
  static constexpr std::chrono::seconds kPatience{10};
  std::mutex mutex;
  std::condition_variable changed;
  bool started = false;
  std::thread thread;
};

} // namespace

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  std::optional<StartNote> note(std::in_place);
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
  auto world = std::make_unique<MpiWorld>();
  note.reset();
  return world;
}
