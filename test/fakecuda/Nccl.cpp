//===- Nccl.cpp - libnccl.so.2, for tests ---------------------------------===//
//
// The functions of NCCL that the runtime calls, between processes of one
// machine.  As in NCCL with `blocking` 0, a call returns before it is complete;
// it is in the stream once ncclCommGetAsyncError says so.  In the stream it is
// an operation that is ready when its peers have sent their messages.
//
// A GPU does one collective at a time, as if there were no room for more: in the
// order of their calls with NCCL_LAUNCH_ORDER_IMPLICIT=1 (from 2.26 on),
// otherwise in any order that streams allow.  The first call of a kind and of a
// size loads a kernel, and may connect, which synchronizes the GPU.  A new
// communicator sets the stack of all threads to what NCCL's kernels need, with
// NCCL_SET_STACK_SIZE=1.  It takes memory for its rings, and more when a GPU
// first sends to another, for NCCL_MAX_P2P_NCHANNELS (32) channels; a GPU
// without it fails.
//
// Misuse ends the process: ranks whose calls differ, or whose collectives have
// another order, buffers that overlap or are not device memory, use of a
// communicator before a call is complete, messages that were never received,
// two ranks on one GPU, and calls that synchronize a GPU while it waits.
//
//   FAKE_NCCL_VERSION   the library's version (22809)
//   FAKE_NCCL_FAILS     RANK:CALL: this call of this rank (from 1) fails later
//   FAKE_NCCL_FOLDER    the folder in which ranks meet (/dev/shm)
//
//===----------------------------------------------------------------------===//
#include "CollectiveOrder.h"
#include "Driver.h"
#include "Machine.h"
#include "NcclRanks.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <nccl.h>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

using namespace fakecuda;

namespace {

/// The GPU memory that a communicator takes for each of its GPUs, and for each
/// channel to a GPU that it sends to.
constexpr uint64_t kRings = 70 << 20, kChannel = 14 << 20;
/// The stack of its kernels.
constexpr uint64_t kStack = 512;

/// A message, with its bytes.
struct Part {
  int peer;
  MessageKind kind;
  char *buffer;
  uint64_t bytes;
};

/// The messages of one call, or of a group of calls.
struct Exchange {
  CUstream stream = nullptr;
  std::vector<Part> sends, receives;
  bool hasSent = false;
};

/// Outlives its handle, since operations may still be in streams.
struct Shared {
  Shared(const char *folder, int rank, int ranks)
      : ranks(folder, rank, ranks, currentDevice()) {}

  std::mutex mutex; ///< guards the following
  NcclRanks ranks;
  bool isConnected = false, isAborted = false, isFinal = false;
  std::unique_ptr<Exchange> begun; ///< not in its stream yet
  int polls = 0;                   ///< since then
  int calls = 0;
  std::set<std::pair<char, int>> connected; ///< kinds and sizes of calls
  std::set<int> reached;                    ///< peers that it has sent to
  std::atomic<uint64_t> memory{0};          ///< that it has taken
  ncclResult_t state = ncclInProgress;
};

} // namespace

struct ncclComm {
  std::shared_ptr<Shared> shared;
};

namespace {

using Lock = std::lock_guard<std::mutex>;

thread_local int depth = 0;
thread_local ncclComm *grouped = nullptr;
thread_local std::unique_ptr<Exchange> group;

bool overlaps(const Part &a, const Part &b) {
  return a.buffer < b.buffer + b.bytes && b.buffer < a.buffer + a.bytes;
}

void checkParts(const Exchange &exchange) {
  const auto check = [](const Part &part) {
    needDevice("a buffer of NCCL", part.buffer, part.bytes);
  };
  for (const Part &send : exchange.sends)
    check(send);
  for (const Part &receive : exchange.receives) {
    check(receive);
    for (const Part &send : exchange.sends)
      if (overlaps(receive, send))
        misuse("NCCL receives where it sends from");
    for (const Part &other : exchange.receives)
      if (&other != &receive && overlaps(receive, other))
        misuse("NCCL receives twice in the same bytes");
  }
}

int version() { return int(numberOf("FAKE_NCCL_VERSION", 22809)); }

bool isSet(const char *variable, std::string_view value) {
  const char *text = std::getenv(variable);
  return text && text == value;
}

/// Returns true if the rank's GPU does this collective, the first of its stream.
bool hasTurn(Shared &shared, const Exchange &exchange) {
  CollectiveOrder &order = CollectiveOrder::of(shared.ranks.user);
  if (order.isRunning(&exchange))
    return true;
  const bool isOrdered =
      version() >= 22600 && isSet("NCCL_LAUNCH_ORDER_IMPLICIT", "1");
  if (!order.tryStart(&exchange, isOrdered))
    return false;
  shared.ranks.goNext();
  return true;
}

/// Connects for a call of `exchange` if it is the first of its kind.
void connectFor(Shared &shared, const Exchange &exchange) {
  for (const std::vector<Part> *parts : {&exchange.sends, &exchange.receives})
    for (const Part &part : *parts) {
      const int size = part.bytes <= 65536 ? 0 : part.bytes <= 1048576 ? 1 : 2;
      if (shared.connected.insert({part.kind.call, size}).second &&
          !shared.ranks.isAmongThreads())
        needQuiet(fmt::format("the first nccl{} of {} bytes",
                              part.kind.call == 'G' ? "AllGather" : "Send",
                              part.bytes));
    }
}

/// Takes the memory of channels to peers that `exchange` is the first to send
/// to.  Returns false if there is not enough.
bool takeChannels(Shared &shared, const Exchange &exchange) {
  uint64_t peers = 0;
  {
    const Lock lock(shared.mutex);
    for (const Part &send : exchange.sends)
      if (send.kind.call == 'S')
        peers += shared.reached.insert(send.peer).second;
  }
  // Not under the lock, which operations take while they have the machine's.
  const uint64_t bytes =
      peers * numberOf("NCCL_MAX_P2P_NCHANNELS", 32) * kChannel;
  if (!takeMemory(bytes))
    return false;
  shared.memory += bytes;
  return true;
}

/// Returns true if a collective, the first of its stream, can be executed.
bool isReady(Shared &shared, Exchange &exchange) {
  const Lock lock(shared.mutex);
  if (shared.isAborted)
    return true;
  if (!hasTurn(shared, exchange))
    return false;
  if (!exchange.hasSent)
    for (const Part &send : exchange.sends)
      shared.ranks.send(send.peer, send.kind, send.buffer, send.bytes);
  exchange.hasSent = true;
  std::vector<uint64_t> ahead(size_t(shared.ranks.ranks));
  for (const Part &receive : exchange.receives)
    if (!shared.ranks.hasCome(receive.peer, ahead[size_t(receive.peer)]++))
      return false;
  return true;
}

void execute(Shared &shared, const Exchange &exchange) {
  const Lock lock(shared.mutex);
  CollectiveOrder::of(shared.ranks.user).end(&exchange);
  if (shared.isAborted)
    return;
  for (const Part &receive : exchange.receives)
    shared.ranks.receive(receive.peer, receive.kind, receive.buffer,
                         receive.bytes);
}

void issueBegun(const std::shared_ptr<Shared> &shared,
                std::unique_ptr<Exchange> begun) {
  const std::shared_ptr<Exchange> exchange = std::move(begun);
  CollectiveOrder::of(shared->ranks.user).issue(exchange.get());
  issue(
      exchange->stream, "a collective by NCCL",
      [shared, exchange] { execute(*shared, *exchange); },
      [shared, exchange] { return isReady(*shared, *exchange); });
}

ncclResult_t begin(ncclComm *comm, std::unique_ptr<Exchange> exchange) {
  checkParts(*exchange);
  delay();
  Shared &shared = *comm->shared;
  const bool hasMemory = takeChannels(shared, *exchange);
  const Lock lock(shared.mutex);
  if (shared.state != ncclSuccess || shared.begun)
    misuse("a communicator is used while a call of it has only begun, or has "
           "failed");
  int rank = -1, call = 0;
  const char *fails = std::getenv("FAKE_NCCL_FAILS");
  if (fails && std::sscanf(fails, "%d:%d", &rank, &call) != 2)
    misuse("FAKE_NCCL_FAILS is RANK:CALL");
  if (!hasMemory)
    return shared.state = ncclUnhandledCudaError;
  ++shared.calls;
  if (rank == shared.ranks.rank && call == shared.calls) {
    shared.state = ncclSystemError;
    return ncclInProgress;
  }
  connectFor(shared, *exchange);
  shared.begun = std::move(exchange);
  shared.polls = 0;
  shared.state = ncclInProgress;
  return ncclInProgress;
}

/// Adds messages to the open group of this thread, or makes a group of them.
ncclResult_t add(ncclComm *comm, CUstream stream,
                 const std::vector<Part> &sends,
                 const std::vector<Part> &receives) {
  auto mine =
      depth > 0 && group ? std::move(group) : std::make_unique<Exchange>();
  if (depth > 0 && grouped && grouped != comm)
    misuse("a group of two communicators, which the fake does not know");
  mine->stream = stream;
  mine->sends.insert(mine->sends.end(), sends.begin(), sends.end());
  mine->receives.insert(mine->receives.end(), receives.begin(), receives.end());
  if (depth == 0)
    return begin(comm, std::move(mine));
  grouped = comm;
  group = std::move(mine);
  return ncclSuccess;
}

uint64_t bytesOf(ncclDataType_t type, size_t count) {
  if (type != ncclUint8)
    misuse(fmt::format("NCCL moves elements of type {}", int(type)));
  return count;
}

void checkPeer(const ncclComm *comm, int peer) {
  const NcclRanks &ranks = comm->shared->ranks;
  if (peer < 0 || peer >= ranks.ranks || peer == ranks.rank)
    misuse(fmt::format("rank {} of {} sends to, or receives from, rank {}",
                       ranks.rank, ranks.ranks, peer));
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int *number) {
  *number = version();
  return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result) {
  return result == ncclSystemError ? "unhandled system error" : "another error";
}

const char *ncclGetLastError(ncclComm_t comm) {
  return comm ? "the fake's cable is out" : "";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  const std::string folder = NcclRanks::newFolder();
  if (folder.size() >= sizeof(id->internal))
    misuse(folder + " is too long a path");
  std::memset(id, 0, sizeof(*id));
  std::memcpy(id->internal, folder.data(), folder.size());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  if (!config || config->blocking != 0 || config->magic != 0xcafebeef)
    misuse("a communicator whose calls wait");
  if (rank < 0 || rank >= ranks)
    misuse(fmt::format("rank {} of {}", rank, ranks));
  // For buffers and proxies.
  if (!takeMemory(uint64_t(ranks) * kRings))
    return ncclUnhandledCudaError;
  if (isSet("NCCL_SET_STACK_SIZE", "1"))
    setStack(kStack);
  *comm = new ncclComm{std::make_shared<Shared>(id.internal, rank, ranks)};
  (*comm)->shared->memory = uint64_t(ranks) * kRings;
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *state) {
  const std::shared_ptr<Shared> shared = comm->shared;
  std::unique_ptr<Exchange> due;
  {
    const Lock lock(shared->mutex);
    if (!shared->isConnected && shared->ranks.areThere()) {
      shared->isConnected = true;
      shared->state = ncclSuccess;
    }
    // Not at the first poll, so that callers that do not poll again fail.
    if (shared->begun && ++shared->polls > 1)
      due = std::move(shared->begun);
    *state = shared->state;
  }
  if (!due)
    return ncclSuccess;
  issueBegun(shared, std::move(due));
  const Lock lock(shared->mutex);
  *state = shared->state = ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const Lock lock(comm->shared->mutex);
  comm->shared->isFinal = true;
  return comm->shared->state;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  Shared &shared = *comm->shared;
  {
    const Lock lock(shared.mutex);
    if (!shared.isFinal)
      misuse("ncclCommDestroy without ncclCommFinalize");
    if (const int left = shared.ranks.unread())
      misuse(fmt::format("rank {} has not received {} messages",
                         shared.ranks.rank, left));
    shared.ranks.leave();
    shared.isAborted = true;
  }
  giveBackMemory(shared.memory);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const Lock lock(comm->shared->mutex);
    comm->shared->isAborted = true;
    comm->shared->ranks.leave();
  }
  giveBackMemory(comm->shared->memory);
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (depth == 0)
    misuse("ncclGroupEnd without ncclGroupStart");
  if (--depth > 0 || !group)
    return ncclSuccess;
  return begin(std::exchange(grouped, nullptr), std::move(group));
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  checkPeer(comm, peer);
  return add(comm, stream,
             {{peer,
               {'S', {}, int(type), count},
               static_cast<char *>(const_cast<void *>(from)),
               bytesOf(type, count)}},
             {});
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  checkPeer(comm, peer);
  return add(comm, stream, {},
             {{peer,
               {'S', {}, int(type), count},
               static_cast<char *>(to),
               bytesOf(type, count)}});
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  const NcclRanks &ranks = comm->shared->ranks;
  const uint64_t bytes = bytesOf(type, count);
  auto *source = static_cast<char *>(const_cast<void *>(from)),
       *all = static_cast<char *>(to);
  std::vector<Part> sends, receives;
  for (int peer = 0; peer < ranks.ranks; ++peer) {
    if (peer == ranks.rank)
      continue;
    const MessageKind kind = {'G', {}, int(type), count};
    sends.push_back({peer, kind, source, bytes});
    receives.push_back({peer, kind, all + uint64_t(peer) * bytes, bytes});
  }
  char *mine = all + uint64_t(ranks.rank) * bytes;
  if (source != mine) {
    if (source < all + uint64_t(ranks.ranks) * bytes && all < source + bytes)
      misuse("ncclAllGather from a part of the result that is another rank's");
    needDevice("a result of NCCL", mine, bytes);
    issue(stream, "a copy by NCCL",
          [source, mine, bytes] { std::memcpy(mine, source, bytes); });
  }
  return add(comm, stream, sends, receives);
}

} // extern "C"
