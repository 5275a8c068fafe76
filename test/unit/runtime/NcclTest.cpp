//===- NcclTest.cpp - NCCL's functions, communicators, and fake -----------===//
//
// Two ranks are two threads of this process.  test/e2e/test_cuda.py compares
// the results of several ranks with those of CPUs.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/collectives/Communicator.h"
#include "runtime/device/cuda/driver/Gpu.h"

#include "Collectives.h"
#include "TestFiles.h"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace zrt;
using namespace zrt::cuda;
using namespace zrt::test;

namespace {

constexpr uint64_t kNcclBytes = 1024;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

TEST(Nccl, ALibraryThatIsNotThereOrTooOld) {
  EXPECT_EQ(errorOf([] { const Nccl nccl("libnccl-none.so.2"); }),
            "this program was compiled with --target=cuda and needs NVIDIA's "
            "NCCL (--collectives=nccl): libnccl-none.so.2: cannot open shared "
            "object file: No such file or directory; install it, or name its "
            "folder in LD_LIBRARY_PATH");
  const Environment version("FAKE_NCCL_VERSION", "21701");
  EXPECT_EQ(errorOf([] { const Nccl nccl; }),
            "libnccl.so.2 is NCCL 2.17.1, and this program needs 2.18.1 or "
            "later; install a newer one, or compile with --collectives=host");
}

TEST(Nccl, ItsVersion) { EXPECT_EQ(Nccl().version(), "2.28.9"); }

TEST(Nccl, OnlyNewVersionsKeepTheOrderOfCalls) {
  EXPECT_TRUE(Nccl().keepsOrder());
  const Environment version("FAKE_NCCL_VERSION", "22505");
  EXPECT_FALSE(Nccl().keepsOrder());
}

TEST(Nccl, VariablesThatWouldMakeItWaitInAStep) {
  const auto error = [](const char *name) {
    const Environment variable(name, "2");
    return errorOf([] { const Nccl nccl; });
  };
  EXPECT_EQ(error("NCCL_RUNTIME_CONNECT"),
            "NCCL_RUNTIME_CONNECT is 2, and this program needs 0, as NCCL "
            "would else connect in a step, and wait for the GPU; unset it");
  EXPECT_EQ(error("NCCL_LAUNCH_ORDER_IMPLICIT"),
            "NCCL_LAUNCH_ORDER_IMPLICIT is 2, and this program needs 1, as "
            "GPUs may else wait for each other; unset it");
  EXPECT_HAS(error("NCCL_SET_STACK_SIZE"),
             "NCCL_SET_STACK_SIZE is 2, and this program needs 1");
  // Older versions do not know it.
  const Environment version("FAKE_NCCL_VERSION", "22505");
  EXPECT_EQ(error("NCCL_LAUNCH_ORDER_IMPLICIT"), "");
}

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

/// A rank that is connected to another one.
struct Rank {
  Rank(const Nccl &nccl, const ncclUniqueId &id, int rank)
      : nccl(nccl), rank(rank), ranks(nccl) {
    gpu.StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
    ranks.connect(id, rank, 2);
    gpu.driver().MemsetD8Async(memory.at(0), uint8_t(rank + 1), kNcclBytes,
                               stream);
  }
  ~Rank() { gpu.driver().StreamDestroy(stream); } // its operations are over

  void *at(uint64_t offset) const {
    return reinterpret_cast<void *>(memory.at(offset));
  }
  /// Reads byte `offset` of the memory, after the issued operations.
  int read(uint64_t offset) const {
    gpu.driver().StreamSynchronize(stream);
    uint8_t byte = 0;
    gpu.driver().MemcpyDtoH(&byte, memory.at(offset), 1);
    return byte;
  }
  ncclResult_t gather(ncclComm_t all, uint64_t from, uint64_t to,
                      uint64_t bytes = 256) const {
    return nccl.AllGather(at(from), at(to), bytes, ncclUint8, all, stream);
  }
  /// Sends `from` to the other rank, and receives at `to`.
  ncclResult_t swap(ncclComm_t all, uint64_t from, uint64_t to) const {
    nccl.GroupStart();
    nccl.Send(at(from), 256, ncclUint8, 1 - rank, all, stream);
    nccl.Recv(at(to), 256, ncclUint8, 1 - rank, all, stream);
    return nccl.GroupEnd();
  }

  const Nccl &nccl;
  const int rank;
  const Gpu gpu{0};
  const GpuMemory memory{gpu, kNcclBytes, "a test"};
  CUstream stream = nullptr;
  Communicator ranks;
};

/// Calls `body` for two ranks, each in its own thread.
template <typename Body>
void onTwoRanks(Body body) {
  const Nccl nccl;
  ncclUniqueId id = {};
  nccl.GetUniqueId(&id);
  const auto run = [&](int number) {
    Rank rank(nccl, id, number);
    body(rank);
  };
  std::thread other([&] { run(1); });
  run(0);
  other.join();
}

TEST(Communicators, MoveWhatStreamsHaveWritten) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
    onTwoRanks([](Rank &me) {
      me.ranks.issue("gather", [&](ncclComm_t all) {
        return me.gather(all, uint64_t(me.rank) * 256, 0);
      });
      me.ranks.issue("swap", [&](ncclComm_t all) {
        return me.swap(all, uint64_t(me.rank) * 256, 512);
      });
      EXPECT_EQ(me.read(0), 1);
      EXPECT_EQ(me.read(511), 2);
      EXPECT_EQ(me.read(512), 2 - me.rank);
      EXPECT_EQ(me.read(768), me.rank + 1);
    });
  }
}

TEST(Communicators, AbortEndsAWaitForAPeerThatDoesNotCome) {
  onTwoRanks([](Rank &me) {
    // Rank 0 may send before this rank aborts.
    if (me.rank == 1)
      return me.ranks.abort();
    me.ranks.issue("gather",
                   [&](ncclComm_t all) { return me.gather(all, 0, 0); });
    std::thread other([&] {
      (void)me.gpu.tryEnter();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      me.ranks.abort();
    });
    // Would not end without the abort.
    EXPECT_EQ(me.gpu.driver().StreamSynchronize(me.stream), CUDA_SUCCESS);
    other.join();
    EXPECT_EQ(errorOf([&] {
                me.ranks.issue("all_gather of b0", [](ncclComm_t) {
                  ADD_FAILURE() << "it is gone";
                  return ncclSuccess;
                });
              }),
              "all_gather of b0: it was given up, as something has failed");
  });
}

TEST(Communicators, AFailureIsSeenByWhoLooks) {
  const Environment fails("FAKE_NCCL_FAILS", "0:1");
  onTwoRanks([](Rank &me) {
    if (me.rank == 1)
      return;
    const std::string text = errorOf([&] {
      me.ranks.issue("gather",
                     [&](ncclComm_t all) { return me.gather(all, 0, 0); });
    });
    EXPECT_EQ(text, "gather: NCCL: unhandled system error: the fake's cable is "
                    "out; NCCL_DEBUG=WARN says more");
    EXPECT_EQ("gather: " + me.ranks.failure(), text);
  });
}

//===----------------------------------------------------------------------===//
// Misuse that ends the process
//===----------------------------------------------------------------------===//

/// Ranks that end so leave messages behind; these go to a folder that is
/// removed.
class FakeNcclDeathTest : public testing::Test {
  const TestFolder folder;
  const Environment where{"FAKE_NCCL_FOLDER", folder / ""};
};

TEST_F(FakeNcclDeathTest, MisuseIsNamed) {
  const auto expect = [](const char *text, auto calls) {
    EXPECT_DEATH(onTwoRanks([&](Rank &me) {
                   me.ranks.issue("a test", [&](ncclComm_t all) {
                     return calls(me, all);
                   });
                   (void)me.read(0);
                 }),
                 text);
  };
  expect("rank . is in ncclAllGather of ... elements of type 1, and rank . in "
         "ncclAllGather of",
         [](Rank &me, ncclComm_t all) {
           const uint64_t bytes = me.rank == 0 ? 256 : 128;
           return me.gather(all, uint64_t(me.rank) * bytes, 0, bytes);
         });
  expect("rank . is in nccl.* of 256 elements of type 1, and rank . in nccl",
         [](Rank &me, ncclComm_t all) {
           return me.rank == 0 ? me.gather(all, 0, 0) : me.swap(all, 0, 512);
         });
  expect("ncclAllGather from a part of the result that is another rank's",
         [](Rank &me, ncclComm_t all) {
           return me.gather(all, uint64_t(1 - me.rank) * 256, 0);
         });
  expect("NCCL receives where it sends from",
         [](Rank &me, ncclComm_t all) { return me.swap(all, 0, 128); });
  expect("a buffer of NCCL", [](Rank &me, ncclComm_t all) {
    static std::array<char, 2 * 256> host;
    return me.nccl.AllGather(host.data() + me.rank * 256, host.data(), 256,
                             ncclUint8, all, me.stream);
  });
  expect("a communicator is used while a call of it has only begun",
         [](Rank &me, ncclComm_t all) {
           (void)me.swap(all, 0, 512);
           return me.swap(all, 0, 512);
         });
}

/// Two communicators that ranks call in another order.
TEST_F(FakeNcclDeathTest, RanksThatExchangeInAnotherOrder) {
  const Environment order("NCCL_LAUNCH_ORDER_IMPLICIT", "1");
  EXPECT_DEATH(
      {
        ncclUniqueId second = {};
        Nccl().GetUniqueId(&second);
        onTwoRanks([&](Rank &me) {
          Communicator others(me.nccl);
          others.connect(second, me.rank, 2);
          CUstream stream = nullptr;
          me.gpu.StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
          const auto first = [&] {
            me.ranks.issue("first", [&](ncclComm_t all) {
              return me.gather(all, uint64_t(me.rank) * 256, 0);
            });
          };
          const auto second = [&] {
            others.issue("second", [&](ncclComm_t all) {
              return me.nccl.AllGather(me.at(512 + uint64_t(me.rank) * 256),
                                       me.at(512), 256, ncclUint8, all, stream);
            });
          };
          me.rank == 0 ? first() : second();
          me.rank == 0 ? second() : first();
          (void)me.read(0);
        });
      },
      "collective 0 of rank . is of communicator ., and that of rank . of "
      "communicator .: each GPU may wait for the other");
}

TEST_F(FakeNcclDeathTest, AMessageThatNobodyReceives) {
  EXPECT_DEATH(onTwoRanks([](Rank &me) {
                 me.ranks.issue("a test", [&](ncclComm_t all) {
                   return me.rank == 0 ? me.nccl.Send(me.at(0), 256, ncclUint8,
                                                      1, all, me.stream)
                                       : ncclSuccess;
                 });
                 if (me.rank == 0)
                   (void)me.read(0);
                 else
                   std::this_thread::sleep_for(std::chrono::milliseconds(200));
               }),
               "rank 1 has not received 1 messages");
}

} // namespace
