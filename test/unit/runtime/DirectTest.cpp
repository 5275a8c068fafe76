//===- DirectTest.cpp - Direct access between GPUs ------------------------===//
//
// Ranks are threads of this process.  test/e2e/test_cuda.py compares the
// results of several ranks with those of CPUs.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/collectives/FilePort.h"
#include "runtime/device/cuda/collectives/Flags.h"
#include "runtime/device/cuda/driver/Gpu.h"
#include "runtime/text/Error.h"

#include "TestFiles.h"
#include "ThreadWorld.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace zrt;
using namespace zrt::cuda;
using namespace zrt::test;

namespace {

TEST(FilePort, EachRankGetsTheFilesOfAllOthers) {
  constexpr int kRanks = 24; // more than a socket buffers messages
  runRanks(kRanks, [](World &world) {
    const OpenFile mine(memfd_create("a test", MFD_CLOEXEC));
    const int rank = world.rank();
    ASSERT_EQ(pwrite(mine.number(), &rank, sizeof(rank), 0),
              ssize_t(sizeof(rank)));
    const std::vector<OpenFile> files = exchangeFiles(world, mine);
    ASSERT_EQ(files.size(), size_t(kRanks));
    for (int peer = 0; peer < kRanks; ++peer) {
      if (peer == rank) {
        EXPECT_EQ(files[size_t(peer)].number(), -1);
        continue;
      }
      int written = -1;
      EXPECT_EQ(
          pread(files[size_t(peer)].number(), &written, sizeof(written), 0),
          ssize_t(sizeof(written)));
      EXPECT_EQ(written, peer);
    }
  });
}

TEST(GpuMemory, RanksMapEachOthersMemory) {
  runRanks(3, [](World &world) {
    const Gpu gpu(0);
    const int rank = world.rank(), ranks = world.size();
    GpuMemory memory(gpu, 4096, "a test", {rank, ranks});
    EXPECT_EQ(memory.at(5), memory.atRank(rank, 5));
    const std::vector<OpenFile> files =
        exchangeFiles(world, OpenFile(memory.share()));
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank)
        memory.mapPeer(peer, files[size_t(peer)].number());
    const auto mine = uint8_t(rank + 1);
    gpu.MemcpyHtoD(memory.at(7), &mine, 1);
    gpu.StreamSynchronize(nullptr);
    world.barrier();
    for (int peer = 0; peer < ranks; ++peer) {
      uint8_t byte = 0;
      gpu.MemcpyDtoH(&byte, memory.atRank(peer, 7), 1);
      EXPECT_EQ(byte, peer + 1);
    }
    world.barrier();
  });
}

TEST(GpuMemory, AFileThatIsNoMemory) {
  const Gpu gpu(0);
  GpuMemory memory(gpu, 4096, "a test", {0, 2});
  try {
    memory.mapPeer(1, -1);
    FAIL() << "it is mapped";
  } catch (const Error &error) {
    EXPECT_HAS(std::string(error.what()),
               "Fake GPU (sm_90) cannot reach the memory of rank 1: "
               "cuMemImportFromShareableHandle: ")
        << error.what();
  }
}

/// A stream of a rank, and the flags it waits for.
struct Waiter {
  explicit Waiter(World &world) : flags(gpu, world) {
    gpu.StreamCreateWithPriority(&queue, CU_STREAM_NON_BLOCKING, 0);
  }
  ~Waiter() { gpu.driver().StreamDestroy(queue); }
  void issue(std::vector<CUstreamBatchMemOpParams> operations) const {
    gpu.StreamBatchMemOp(queue, unsigned(operations.size()), operations.data(),
                         0);
  }
  void finish() const { gpu.StreamSynchronize(queue); }
  const Gpu gpu{0};
  Flags flags;
  CUstream queue = nullptr;
};

TEST(Flags, AStreamWaitsUntilThePeerHasCome) {
  std::atomic<bool> hasCome{false};
  runRanks(2, [&](World &world) {
    const Waiter me(world);
    // Across the wrap at 2^32, in steps of less than half of it.
    for (const uint32_t number :
         {1U, 2U, 1U << 30, 2U << 30, 3U << 30, 0U, 1U}) {
      if (me.flags.rank() == 0) {
        me.issue({me.flags.await(3, Flags::Arrived, 1, number)});
        me.finish();
        EXPECT_TRUE(hasCome.exchange(false));
      } else {
        // Other words neither block nor release a wait.
        me.issue({me.flags.tell(3, Flags::Done, 0, number)});
        me.issue({me.flags.tell(2, Flags::Arrived, 0, number)});
        me.issue({me.flags.tell(3, Flags::Arrived, 0, number - 1)});
        me.finish();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        hasCome = true;
        me.issue({me.flags.tell(3, Flags::Arrived, 0, number)});
        me.finish();
      }
      world.barrier();
    }
  });
}

TEST(Flags, ReleaseEndsWaitsForAPeerThatDoesNotCome) {
  runRanks(3, [](World &world) {
    const Waiter me(world);
    constexpr zrt_stream kStream = 1;
    for (int peer = 0; peer < 3; ++peer)
      if (peer != me.flags.rank())
        for (const Flags::Kind kind : {Flags::Arrived, Flags::Done})
          me.issue({me.flags.await(kStream, kind, peer, 9)});
    std::thread other([&] { me.flags.release(kStream, 9); });
    me.finish(); // would not end without the abort
    other.join();
    world.barrier();
  });
}

} // namespace
