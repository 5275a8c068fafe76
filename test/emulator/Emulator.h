//===- Emulator.h - Device kernels on the host's processor ------*- C++ -*-===//
//
// Runs a kernel that was compiled for a grid of blocks of threads, one fiber for
// each thread of a block, and finds what a device would not say.  An "emulated"
// image of a plan is an x86-64 shared object; its kernels are
//
//   void entry(void **params)      params[i] points to the value of parameter i
//
// and call what is declared at the end of this file.
//
//   blocks     one after another, in an order drawn from the seed
//   threads    whichever can go on, drawn from the seed, until it waits or ends
//   shared     filled with 0xff before each block
//
// Shadow memory has, for each word, who read and wrote it last, and when: times of
// a thread are counts of what it took part in, of each width.  Two threads of a
// block have met since if the smaller group that holds both, or one around it, has
// had a sync or barrier in between.  Threads of two blocks never meet.  So a race is
// found in any order in which threads happen to run.
//
// Warps multiply matrices of 16 bits (mma), and threads copy to shared memory while
// they go on (cp.async): such a copy is there when its thread has waited for it, and
// not before.
//
// What is found ends the launch with an error that names the kernel, the threads,
// the address and both accesses.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zge {

/// What a kernel did wrong.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Launch {
  const char *name;
  void (*entry)(void **params);
  void **params;
  uint32_t blocks, threads, sharedBytes;
  uint64_t seed;
};

constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kWarp = 32;

/// The memory that kernels may touch, by address.
class MemoryMap {
public:
  void add(const void *begin, uint64_t bytes, bool isWritable = true);
  void remove(const void *begin);
  /// Whether all of these bytes belong to one range.
  bool holds(uintptr_t address, uint64_t bytes, bool writes) const;

private:
  struct Range {
    uintptr_t end;
    bool isWritable;
  };
  std::map<uintptr_t, Range> ranges;
};

class Grid;

/// One device: kernels run one after another.  Keeps the fibers' stacks and the
/// shadow memory from launch to launch.
class Emulator {
public:
  Emulator();
  ~Emulator();
  Emulator(const Emulator &) = delete;
  Emulator &operator=(const Emulator &) = delete;

  MemoryMap memory;

  /// Runs all blocks of a kernel.  Throws KernelError.
  void run(const Launch &launch);
  /// The same for code without exceptions: what the kernel did wrong, or "".
  std::string tryRun(const Launch &launch);

private:
  std::unique_ptr<Grid> grid;
};

/// Names and addresses of what kernels call, for those who link them.
std::vector<std::pair<std::string_view, void *>> listCalls();

} // namespace zge

//===----------------------------------------------------------------------===//
// What emulated kernels call
//===----------------------------------------------------------------------===//

extern "C" {

/// threadIdx.x and blockIdx.x.
uint32_t zge_thread(void);
uint32_t zge_block(void);
/// What the lane whose number differs in `distance` has given.  All lanes of the
/// group of `width` aligned lanes take part; it orders no memory.
uint32_t zge_shuffle_xor(uint32_t value, uint32_t distance, uint32_t width);
/// What lane `from` of the group has given; each lane may take another's.
uint32_t zge_shuffle(uint32_t value, uint32_t from, uint32_t width);
/// Waits for the group of `width` aligned lanes, which see each other's memory
/// after it.
void zge_sync(uint32_t width);
/// The same for the block.
void zge_barrier(void);
/// The block's shared memory.
void *zge_shared(void);
/// Comes before each access to memory that is not the thread's own; of 0 bytes
/// where a lane of a vector is masked.
void zge_read(const void *address, uint64_t bytes);
void zge_write(const void *address, uint64_t bytes);

// What the 32 lanes of a warp do together (Warp.cpp), and copies (Copies.cpp).  `at`
// counts bytes of shared memory; `type` is that of numbers of 16 bits.

enum zge_type : uint32_t { ZGE_BF16, ZGE_F16 };
/// mma.m16n8k16: sums += a b, of a 16 x 16, b 16 x 8 and sums 16 x 8, which lie in
/// the lanes as PTX says.  Products are exact, and are added in f32 in the order
/// of k.
void zge_mma(uint32_t type, const uint32_t *a, const uint32_t *b, float *sums);
/// ldmatrix.x4: four matrices of 8 x 8 numbers of 16 bits.  Lane i gives where row
/// i % 8 of matrix i / 8 is, 16 bytes, and gets a word of each.
void zge_fragment(uint32_t at, uint32_t isTransposed, uint32_t *words);
/// Two numbers, rounded to 16 bits, in one word.
uint32_t zge_pack(uint32_t type, float low, float high);
/// 2^x, as near as f32 has it.
float zge_exp2(float x);
/// cp.async: `bytes` (16, or 0 for zeros) of global memory to 16 bytes of shared
/// memory, which are 0xff until the thread waits for the copy.
void zge_copy(uint32_t at, const void *from, uint32_t bytes);
/// cp.async.wait_all: the thread's copies are there.
void zge_wait_for_copies(void);
}
