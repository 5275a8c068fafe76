//===- Flags.cpp - Progress of the ranks of a host, for GPUs --------------===//
#include "runtime/device/cuda/collectives/Flags.h"

#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"

using namespace zrt;
using namespace zrt::cuda;

// The GPU accesses the word at the address of a SharedWord.
static_assert(std::is_standard_layout_v<SharedWord>);

Flags::Flags(const Gpu &gpu, World &world)
    : me(world.rank()), pages(size_t(world.size())) {
  const size_t words = size_t(2) * ZRT_MAX_STREAMS * pages.size();
  together(world, [&] {
    file.create("zeroc-flags", words * sizeof(SharedWord));
    pages[size_t(me)].memory.mapOwn(file);
  });
  const std::vector<SharedFileCard> cards = world.gather(file.card());
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
    page.onGpu = page.pinned->onGpu();
  }
}

uint64_t Flags::offsetOf(int writer, zrt_stream stream, Kind kind) const {
  const uint64_t word =
      (uint64_t(stream) * pages.size() + uint64_t(writer)) * 2 + uint64_t(kind);
  return word * sizeof(SharedWord);
}

CUstreamBatchMemOpParams Flags::tell(zrt_stream stream, Kind kind, int peer,
                                     uint32_t number) const {
  CUstreamBatchMemOpParams one = {};
  one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  one.writeValue.address = onGpu(peer, me, stream, kind);
  one.writeValue.value = number;
  // Earlier writes of the stream become visible before the word.
  one.writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  return one;
}

CUstreamBatchMemOpParams Flags::await(zrt_stream stream, Kind kind, int peer,
                                      uint32_t number) const {
  CUstreamBatchMemOpParams one = {};
  one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = onGpu(me, peer, stream, kind);
  one.waitValue.value = number;
  one.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  return one;
}

void Flags::release(zrt_stream stream, uint32_t number) const {
  // Comparisons are correct across the wrap, and so is this.
  constexpr uint32_t kBeyond = uint32_t{1} << 30;
  std::byte *const mine = pages[size_t(me)].memory.data();
  for (int peer = 0; peer < ranks(); ++peer)
    for (const Kind kind : {Arrived, Done})
      reinterpret_cast<SharedWord *>(mine + offsetOf(peer, stream, kind))
          ->value.store(number + kBeyond, std::memory_order_release);
}
