//===- EmulatorTest.cpp - Runs right and wrong kernels --------------------===//
//
// Kernels as a compiler would emit them: they announce every access to memory
// that is not the thread's own.
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

constexpr uint64_t kSeeds = 50;

template <typename T>
T parameter(void **params, int i) {
  T value;
  std::memcpy(&value, params[i], sizeof(T));
  return value;
}
template <typename T>
T load(const T *at) {
  zge_read(at, sizeof(T));
  return *at;
}
template <typename T>
void store(T *at, T value) {
  zge_write(at, sizeof(T));
  *at = value;
}
float shuffle(float value, uint32_t distance, uint32_t width) {
  return std::bit_cast<float>(
      zge_shuffle_xor(std::bit_cast<uint32_t>(value), distance, width));
}

/// Blocks of 128 threads, inputs 0, 1, 2, ... and a result for each thread; the
/// memory after the results must not be accessed.
struct TestRun {
  uint32_t blocks = 3, threads = 128, shared = 1024;
  std::vector<float> in, out;

  TestRun() : in(blocks * threads), out(blocks * threads, -1.0f) {
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = float(i);
  }

  /// Returns the error found with `seed`, or "".
  std::string find(void (*kernel)(void **), uint64_t seed) {
    zge::Emulator emulator;
    emulator.memory.add(in.data(), in.size() * sizeof(float),
                        /*isWritable=*/false);
    emulator.memory.add(out.data(), out.size() * sizeof(float));
    const float *from = in.data();
    float *to = out.data();
    auto count = int64_t(in.size());
    void *params[] = {&from, &to, &count};
    return emulator.tryRun(
        {"k", kernel, params, blocks, threads, shared, seed});
  }

  /// Expects no error with any seed.
  void passes(void (*kernel)(void **)) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed)
      ASSERT_EQ(find(kernel, seed), "") << "seed " << seed;
  }
  /// Expects an error that contains `text` with every seed.
  void fails(void (*kernel)(void **), const std::string &text) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::string found = find(kernel, seed);
      ASSERT_NE(found.find(text), std::string::npos)
          << "seed " << seed << ": " << found;
      ASSERT_EQ(found.find("kernel k: block "), 0u) << found;
    }
  }
};

const float *input(void **params) {
  return parameter<const float *>(params, 0);
}
float *output(void **params) { return parameter<float *>(params, 1); }
uint32_t element() { return zge_block() * 128 + zge_thread(); }
float *shared() { return static_cast<float *>(zge_shared()); }

//===----------------------------------------------------------------------===//
// Correct kernels
//===----------------------------------------------------------------------===//

void twice(void **params) {
  const uint32_t i = element();
  store(output(params) + i, 2 * load(input(params) + i));
}

TEST(Emulator, EachThreadOfEachBlockRunsOnce) {
  TestRun run;
  run.passes(twice);
  for (size_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], 2 * float(i));
}

/// Sums of aligned groups of 8 lanes.
void sumsOfHalfWarps(void **params) {
  float sum = load(input(params) + element());
  for (uint32_t distance = 4; distance > 0; distance /= 2)
    sum += shuffle(sum, distance, 8);
  store(output(params) + element(), sum);
}

TEST(Emulator, LanesOfAGroupExchangeValues) {
  TestRun run;
  run.passes(sumsOfHalfWarps);
  for (size_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], 8 * float(i / 8 * 8) + 28);
}

/// Reverses each block through shared memory, twice; the second pass must not
/// overtake the first.
template <bool HasFirst, bool HasSecond>
void reverse(void **params) {
  const uint32_t i = zge_thread();
  float value = load(input(params) + element());
  for (int pass = 0; pass < 3; ++pass) {
    store(shared() + i, value);
    if (HasFirst)
      zge_barrier();
    value = load(shared() + 127 - i);
    if (HasSecond)
      zge_barrier();
  }
  store(output(params) + element(), value);
}

TEST(Emulator, BarriersOrderSharedMemory) {
  TestRun run;
  run.passes(reverse<true, true>);
  for (size_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], float(i / 128 * 128 + 127 - i % 128));
}

/// A lane writes, its neighbours in a group of `Width` read; then the same for
/// the other widths.
template <uint32_t Width>
void neighbours(void **params) {
  const uint32_t i = zge_thread();
  store(shared() + i, load(input(params) + element()));
  if (Width > 0)
    zge_sync(Width);
  store(output(params) + element(), load(shared() + (i ^ 9)));
}

TEST(Emulator, SyncsOrderTheMemoryOfTheirGroup) {
  TestRun run;
  run.passes(neighbours<16>);
  run.passes(neighbours<32>);
  for (size_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], float(i ^ 9));
}

/// A sync of 8 lanes, then a barrier, which also orders accesses before the
/// sync.
void inStages(void **params) {
  const uint32_t i = zge_thread();
  store(shared() + i, load(input(params) + element()));
  zge_sync(8);
  const float group = load(shared() + i / 8 * 8);
  zge_barrier();
  if (i == 0)
    store(shared() + 77, 5.0f);
  zge_barrier();
  store(output(params) + element(), group + load(shared() + 77));
}

TEST(Emulator, WhatASmallGroupHasSeenTheBlockHasSeen) {
  TestRun run;
  run.passes(inStages);
  EXPECT_EQ(run.out[1 * 128 + 13], 128 + 8 + 5);
}

/// Two threads write the halves of a word.
void halves(void **params) {
  auto *words = reinterpret_cast<uint16_t *>(output(params));
  for (uint32_t i = element(); i < 2 * 3 * 128; i += 3 * 128)
    store(words + i, uint16_t(i));
}

TEST(Emulator, BytesOfAWordAreToldApart) {
  TestRun run;
  run.passes(halves);
}

/// More threads read a word than the shadow memory has records for.
void broadcast(void **params) {
  float sum = 0;
  for (int i = 0; i < 5; ++i)
    sum += load(input(params) + i);
  store(output(params) + element(), sum);
}

TEST(Emulator, AllMayReadTheSame) {
  TestRun run;
  run.passes(broadcast);
  EXPECT_EQ(run.out[300], 10);
}

void unwritten(void **params) {
  store(output(params) + element(), load(shared() + zge_thread()));
}

TEST(Emulator, SharedMemoryIsPoisonedBeforeEachBlock) {
  TestRun run;
  run.passes(unwritten);
  for (const float value : run.out)
    EXPECT_TRUE(std::isnan(value));
}

//===----------------------------------------------------------------------===//
// Wrong kernels
//===----------------------------------------------------------------------===//

void sameWord(void **params) {
  store(output(params) + zge_block(), float(zge_thread()));
}

TEST(Emulator, FindsTwoThreadsThatWriteOneWord) {
  TestRun().fails(sameWord, "wrote, and no sync or barrier lies between");
}

/// Also writes the next block's first element.
void overlapping(void **params) {
  const uint32_t i = element();
  store(output(params) + i, 1.0f);
  if (zge_thread() == 127 && zge_block() < 2)
    store(output(params) + i + 1, 1.0f);
}

TEST(Emulator, FindsTwoBlocksThatWriteOneWord) {
  TestRun().fails(overlapping, "nothing orders blocks of one launch");
}

/// Reads an element that another block writes, whichever runs first.
void acrossBlocks(void **params) {
  const uint32_t i = element();
  if (zge_block() == 0)
    store(output(params) + i, 1.0f);
  else
    load(output(params) + i % 128);
}

TEST(Emulator, FindsABlockThatReadsWhatAnotherWrites) {
  TestRun().fails(acrossBlocks, "nothing orders blocks of one launch");
}

TEST(Emulator, FindsABarrierThatIsLeftOut) {
  TestRun().fails(reverse<false, true>, "no sync or barrier lies between");
  TestRun().fails(reverse<true, false>, "no sync or barrier lies between");
}

TEST(Emulator, FindsASyncThatIsLeftOutOrTooNarrow) {
  TestRun().fails(neighbours<0>, "no sync or barrier lies between");
  TestRun().fails(neighbours<8>, "no sync or barrier lies between");
}

/// A shuffle synchronizes lanes, but does not order memory.
void shuffleForSync(void **params) {
  const uint32_t i = zge_thread();
  store(shared() + i, 1.0f);
  zge_shuffle_xor(0, 16, 32);
  store(output(params) + element(), load(shared() + (i ^ 9)));
}

TEST(Emulator, FindsAShuffleInThePlaceOfASync) {
  TestRun().fails(shuffleForSync, "no sync or barrier lies between");
}

void someShuffle(void **params) {
  float sum = load(input(params) + element());
  if (zge_thread() % 8 != 3)
    sum += shuffle(sum, 1, 8);
  store(output(params) + element(), sum);
}
void otherDistance(void **params) {
  store(output(params) + element(),
        shuffle(1, zge_thread() % 32 == 5 ? 2 : 4, 32));
}
void otherWidth(void **params) {
  store(output(params) + element(),
        shuffle(1, 1, zge_thread() % 32 < 16 ? 16 : 32));
}
void tooFar(void **) { zge_shuffle_xor(0, 8, 8); }
void noHalfWarp(void **) { zge_shuffle_xor(0, 1, 12); }

TEST(Emulator, FindsWrongShuffles) {
  TestRun().fails(someShuffle, "has ended");
  TestRun().fails(otherDistance, "shuffle_xor(distance 2, width 32)");
  TestRun().fails(otherWidth,
                  "waits in shuffle_xor(distance 1, width 32), but");
  TestRun().fails(tooFar, "over a distance of 8 in a group of 8");
  TestRun().fails(noHalfWarp, "shuffle_xor of width 12");
  TestRun narrow;
  narrow.threads = 100;
  narrow.fails([](void **) { zge_shuffle_xor(0, 1, 32); },
               "the block has 100 threads");
}

void someBarrier(void **) {
  if (zge_thread() < 100)
    zge_barrier();
}
void barrierAndSync(void **) {
  if (zge_thread() < 96)
    zge_barrier();
  else
    zge_sync(32);
}

TEST(Emulator, FindsBarriersThatNotAllReach) {
  TestRun().fails(someBarrier, "waits in barrier, but thread 100 has ended");
  TestRun().fails(barrierAndSync, "waits in barrier, but thread");
}

void beyond(void **params) {
  // One element beyond the end.
  store(output(params) + element() + 1, 1.0f);
}
void toInput(void **params) {
  store(const_cast<float *>(input(params)) + element(), 1.0f);
}
void beyondShared(void **) { store(shared() + zge_thread() * 4, 1.0f); }
void unaligned(void **params) { zge_read(input(params) + 1, 16); }

TEST(Emulator, FindsAccessesOutOfBounds) {
  TestRun one;
  one.blocks = 1;
  one.threads = 1;
  one.out.resize(1);
  one.fails(beyond, "no memory of the device");
  TestRun().fails(toInput, "for reading only");
  TestRun().fails(beyondShared, "no memory of the device");
  TestRun().fails(unaligned, "not aligned");
}

TEST(Emulator, SaysWhoAndWhere) {
  TestRun run;
  run.blocks = 1;
  run.threads = 2;
  const std::string found =
      run.find([](void **) { store(shared() + 3, 1.0f); }, 0);
  EXPECT_TRUE(
      found == "kernel k: block 0, thread 1: a race: it writes 4 bytes at "
               "byte 12 of shared memory, which block 0, thread 0 wrote, "
               "and no sync or barrier lies between" ||
      found == "kernel k: block 0, thread 0: a race: it writes 4 bytes at "
               "byte 12 of shared memory, which block 0, thread 1 wrote, "
               "and no sync or barrier lies between")
      << found;
}

/// The number of threads that have run so far.
int calls;

void orders(void **params) {
  // Records the order of threads; each has its own element.
  store(output(params) + element(), float(calls++));
}

TEST(Emulator, SeedsDrawTheOrderAndRepeatIt) {
  const auto order = [](uint64_t seed) {
    TestRun run;
    run.blocks = 1;
    calls = 0;
    EXPECT_EQ(run.find(orders, seed), "");
    return run.out;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

} // namespace
