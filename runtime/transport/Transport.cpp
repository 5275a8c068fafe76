//===- Transport.cpp - Common part of all collectives ---------------------===//
#include "runtime/transport/Transport.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/system/Clock.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/transport/Call.h"
#include "runtime/transport/Patience.h"
#include "runtime/world/World.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <ctime>
#include <immintrin.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace zrt;

namespace {

/// Spins this often for a peer that is nearly there, instead of sleeping.  Not
/// longer, because a spinning thread takes a core from `compute`.
constexpr int kSpins = 64;

// The futex is not private: other processes find the word by its page.
// Sleeping on it needs only a read mapping.

/// Sets a counter of this rank's page and wakes all that sleep on it.
void publish(SharedWord &word, uint32_t value) {
  word.value.store(value, std::memory_order_release);
  syscall(SYS_futex, &word.value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Sleeps until `word` is not `seen`, at most `milliseconds`; may return early.
void sleepOn(const SharedWord &word, uint32_t seen, int milliseconds) {
  const timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  syscall(SYS_futex, &word.value, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

bool overlap(const zrt_ref &a, const zrt_ref &b) {
  return a.tier == b.tier && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

/// Throws unless the operands hold what ranks exchange.
void checkExtents(const zrt_collective_desc &desc) {
  const auto need = [&](const char *what, const zrt_operand &one, bool holds) {
    if (!holds)
      fail("{}: it is {}, which is not what {}{} needs", what,
           extentName(one.extent), collectiveName(desc.kind),
           desc.over == ZRT_OVER_ALL
               ? ""
               : fmt::format(" over {}", overName(desc.over)));
  };
  const bool overGroups = desc.over == ZRT_OVER_GROUPS;
  const auto isWhole = [&](uint32_t extent) {
    return overGroups ? isPart(extent) : extent == ZRT_WHOLE;
  };
  const auto isOwn = [&](uint32_t extent) {
    return desc.over == ZRT_OVER_MEMBERS ? isPart(extent) : isSlice(extent);
  };
  const auto isSmall = [](uint32_t extent) {
    return extent == ZRT_SCALAR || extent == ZRT_MEMBERS;
  };
  const uint32_t from = desc.source.extent, to = desc.result.extent;
  switch (desc.kind) {
  case ZRT_ALL_GATHER:
    need("source", desc.source, isOwn(from));
    need("result", desc.result, isWhole(to));
    break;
  case ZRT_REDUCE_SCATTER:
    need("source", desc.source, isWhole(from));
    need("result", desc.result, isOwn(to));
    break;
  case ZRT_ALL_REDUCE:
    need("source", desc.source, isSmall(from));
    need("result", desc.result, isSmall(to));
    break;
  case ZRT_ALL_TO_ALL:
    need("source", desc.source, from == ZRT_MEMBERS);
    need("result", desc.result, to == ZRT_MEMBERS);
    break;
  default:
    fail("collective {} does not exist", desc.kind);
  }
}

/// Throws unless ranks can exchange operands of these types.
void checkTypes(const zrt_collective_desc &desc) {
  const zrt_dtype from = desc.source.dtype, to = desc.result.dtype;
  if (desc.kind == ZRT_ALL_REDUCE) {
    for (const auto &[what, dtype] :
         {std::pair("source", from), {"result", to}})
      if (dtype != ZRT_F32 && dtype != ZRT_F64)
        fail("{}: it is {}, and an all_reduce adds f32 or f64", what,
             dtypeName(dtype));
    return;
  }
  const bool isHalf = is16Bits(from), adds = desc.kind == ZRT_REDUCE_SCATTER;
  if (adds && numbersIn(from) > 1) {
    if (!isConvertible(to) || desc.order != ZRT_IN_RANK_ORDER)
      fail("result: it is {}, and a sum of {} is f32, bf16 or f16, in rank "
           "order",
           dtypeName(to), dtypeName(from));
    return;
  }
  if (adds && from != ZRT_F32 && !isHalf)
    fail("source: it is {}, and a reduce_scatter adds f32, bf16 or f16",
         dtypeName(from));
  if (to != from && !(adds && isHalf && to == ZRT_F32))
    fail("result: it is {}, and {} of {} is {}", dtypeName(to),
         adds ? "a sum" : "a copy", dtypeName(from),
         adds && isHalf ? "that or f32" : "the same");
}

} // namespace

Transport::Transport(const zrt_plan &plan, const ExportedMemory &exported,
                     World *world, ChaosDelays &chaos)
    : exportedBegin(plan.exported_begin), groups(plan), chaos(chaos),
      sequence(plan.stream_count), staging(plan.stream_count) {
  if (world && world->size() > 1)
    peers = std::make_unique<Peers>(*world, plan, exported);
  for (uint32_t over = 0; over < parties.size(); ++over)
    parties[over] = partyOver(over);
  const bool hosts = peers && peers->link();
  for (auto &one : staging)
    one = std::make_unique<Staging>(ranks(), hosts ? ranks() : 0);
  if (hosts)
    // Two parities, each with one slot for sending and one for receiving.
    peers->link()->reserve(plan.stream_count, 4 * ranks());
}

Transport::~Transport() = default;

Transport::Party Transport::partyOver(uint32_t over) const {
  Party party = {groups.partyOver(over, uint32_t(rank())), {}};
  for (size_t place = 0; place < party.size(); ++place)
    if (place != party.own && !peers->local(party.ranks[place]))
      party.remote.push_back(place);
  return party;
}

void Transport::abort(const std::string &message) {
  if (peers)
    peers->raise({peers->rank(), message}, message);
}

void Transport::check(const zrt_collective_desc &desc) const {
  const zrt_operand &source = desc.source, &result = desc.result;
  const uint64_t n = uint64_t(ranks());
  checkExtents(desc);
  checkTypes(desc);
  const bool inPlace = source.ref.tier == result.ref.tier &&
                       source.ref.offset == result.ref.offset &&
                       source.ref.bytes == result.ref.bytes &&
                       source.dtype == result.dtype;
  if (!inPlace && overlap(source.ref, result.ref))
    fail("source and result share bytes; let both hold the whole, or none");
  if (inPlace && desc.accumulate)
    fail("it cannot accumulate in place");
  const uint32_t between = groups.countOver(desc.over);
  if (desc.order > ZRT_IN_TREE_OF_SLICES ||
      (desc.order != ZRT_IN_RANK_ORDER &&
       (!std::has_single_bit(between) || desc.accumulate ||
        desc.kind == ZRT_ALL_GATHER || desc.kind == ZRT_ALL_TO_ALL)) ||
      (desc.order == ZRT_IN_TREE_OF_SLICES && desc.kind != ZRT_ALL_REDUCE))
    fail("it adds in order {} over {} ranks; a tree has a power of two of them",
         desc.order, between);
  if (desc.kind == ZRT_ALL_REDUCE) {
    if (source.ref.bytes > ZRT_SMALL_BYTES)
      fail("an all_reduce is of at most {}, got {}",
           shownBytes(ZRT_SMALL_BYTES), shownBytes(source.ref.bytes));
    if (source.dtype != result.dtype || elementsIn(source) != desc.elements ||
        elementsIn(result) != desc.elements)
      fail("{} elements, but its source has {} of {} and its result {} of {}",
           desc.elements, elementsIn(source), dtypeName(source.dtype),
           elementsIn(result), dtypeName(result.dtype));
    return;
  }
  if (desc.kind == ZRT_ALL_TO_ALL) {
    if (inPlace || elementsIn(source) != desc.elements ||
        elementsIn(result) != desc.elements || desc.elements % between != 0)
      fail("{} elements for {} ranks, apart from its source of {} and its "
           "result of {}",
           desc.elements, between, elementsIn(source), elementsIn(result));
  } else if (desc.elements % n != 0) {
    fail("{} elements cannot be dealt out to {} ranks; pad the bucket",
         desc.elements, n);
  }
  if (n > 1 &&
      (source.ref.tier != ZRT_DEVICE || source.ref.offset < exportedBegin))
    fail("peers cannot read its source at offset {} of tier {}; the plan "
         "exports the device arena from {} on",
         source.ref.offset, tierName(source.ref.tier), exportedBegin);
}

void Transport::run(zrt_stream stream, const zrt_collective_desc &desc,
                    const std::byte *source, std::byte *result, TrafficRow &row,
                    CollectiveTrace *trace) {
  const auto first = [&](const zrt_operand &one) {
    return refOf(one, uint32_t(rank()), groups).offset - one.ref.offset;
  };
  Call call = {stream,
               desc,
               parties[desc.over],
               source + first(desc.source),
               result + first(desc.result),
               row,
               ++sequence[stream],
               trace};
  if (trace)
    trace->number = call.number;
  ++call.row.calls;
  const Stopwatch watch(call.row.seconds);
  switch (desc.kind) {
#define ZRT_COLLECTIVE_KIND(NUMBER, NAME, SPELLING, STEM, OF_BUCKET)           \
  case NUMBER:                                                                 \
    return run##STEM(call);
#include "abi/CollectiveKinds.def"
  default:
    fail("collective {} does not exist", desc.kind);
  }
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

template <typename Done, typename Sleep>
void Transport::awaitUntil(Call &call, int peer, Done done, Sleep sleep) {
  if (done())
    return;
  const Stopwatch watch(call.row.waiting);
  for (int spin = 0; spin < kSpins; ++spin) {
    _mm_pause();
    if (done())
      return;
  }
  Patience patience(*peers, peer, call.name());
  auto nextLook = Clock::now() + kLookEvery;
  while (true) {
    sleep();
    if (done())
      return;
    if (Clock::now() >= nextLook) {
      patience.look();
      nextLook = Clock::now() + kLookEvery;
    }
  }
}

void Transport::await(Call &call, int peer, const SharedWord &word) {
  uint32_t seen = 0;
  awaitUntil(
      call, peer,
      [&] {
        seen = word.value.load(std::memory_order_acquire);
        return hasReached(seen, call.number);
      },
      [&] { sleepOn(word, seen, static_cast<int>(kLookEvery.count())); });
}

void Transport::awaitLink(Call &call, int slot, int peer) {
  // MPI moves bytes only while it is polled, and has no wait that sleeps.
  std::chrono::microseconds nap{20};
  awaitUntil(
      call, peer, [&] { return peers->link()->done(call.stream, slot); },
      [&] {
        std::this_thread::sleep_for(nap);
        nap = std::min(2 * nap, std::chrono::microseconds(500));
      });
}

void Transport::arrive(Call &call) {
  if (call.trace)
    call.trace->arrived = traceTime();
  if (peers)
    publish(peers->ownPage().streams[call.stream].arrived, call.number);
}

void Transport::awaitArrival(Call &call, int peer) {
  await(call, peer, peers->page(peer).streams[call.stream].arrived);
}

void Transport::hasRead(Call &call) {
  if (call.trace)
    call.trace->read = traceTime();
}

void Transport::finish(Call &call) {
  hasRead(call);
  if (!peers)
    return;
  chaos.delay(call.stream);
  publish(peers->ownPage().streams[call.stream].done, call.number);
  for (const int peer : call.party.ranks)
    if (peers->local(peer))
      await(call, peer, peers->page(peer).streams[call.stream].done);
}
