//===- Flags.cpp - How far the ranks of a host are, for GPUs --------------===//
#include "runtime/device/cuda/exchange/Flags.h"

#include "runtime/Error.h"
#include "runtime/world/Agree.h"

using namespace zrt;
using namespace zrt::cuda;

namespace {

CUdeviceptr addressOf(SharedWord &word) {
  return reinterpret_cast<CUdeviceptr>(&word.value);
}

} // namespace

Flags::Flags(const Gpu &gpu, World &world)
    : me(world.rank()), pages(size_t(world.size())) {
  const size_t words = size_t(2) * ZRT_MAX_STREAMS * pages.size();
  together(world, [&] {
    file.create("zeroc-flags", words * sizeof(SharedWord));
    pages[size_t(me)].memory.mapOwn(file);
  });
  const SharedFileCard mine = file.card();
  std::vector<SharedFileCard> cards(pages.size());
  world.allGather(&mine, sizeof(mine), cards.data());
  together(world, [&] { open(gpu, cards); });
}

void Flags::open(const Gpu &gpu, const std::vector<SharedFileCard> &cards) {
  gpu.enter();
  for (int rank = 0; rank < ranks(); ++rank) {
    Page &page = pages[size_t(rank)];
    const SharedFileCard &card = cards[size_t(rank)];
    if (rank != me)
      if (const std::string problem =
              page.memory.mapPeers(card, Mapping::Access::Write);
          !problem.empty())
        fail("--collectives=direct: {}", problem);
    page.pinned = std::make_unique<PinnedMemory>(
        gpu, page.memory.data(), card.bytes, "how far the ranks are");
  }
}

SharedWord &Flags::word(int reader, int writer, zrt_stream stream,
                        Kind kind) const {
  auto *words =
      reinterpret_cast<SharedWord *>(pages[size_t(reader)].memory.data());
  return words[(size_t(stream) * pages.size() + size_t(writer)) * 2 +
               size_t(kind)];
}

std::vector<CUstreamBatchMemOpParams> Flags::tell(zrt_stream stream, Kind kind,
                                                  uint32_t number) const {
  std::vector<CUstreamBatchMemOpParams> all;
  for (int peer = 0; peer < ranks(); ++peer) {
    if (peer == me)
      continue;
    CUstreamBatchMemOpParams one = {};
    one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    one.writeValue.address = addressOf(word(peer, me, stream, kind));
    one.writeValue.value = number;
    // What the stream has written comes before the word.
    one.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
    all.push_back(one);
  }
  return all;
}

CUstreamBatchMemOpParams Flags::await(zrt_stream stream, Kind kind, int peer,
                                      uint32_t number) const {
  CUstreamBatchMemOpParams one = {};
  one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = addressOf(word(me, peer, stream, kind));
  one.waitValue.value = number;
  one.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  return one;
}

void Flags::release(zrt_stream stream, uint32_t number) const {
  // Comparisons are right across the wrap: so is this.
  constexpr uint32_t kBeyond = uint32_t{1} << 30;
  for (int peer = 0; peer < ranks(); ++peer)
    for (const Kind kind : {Arrived, Done})
      word(me, peer, stream, kind)
          .value.store(number + kBeyond, std::memory_order_release);
}
