//===- Emulator.h - Device kernels on the host's processor ------*- C++ -*-===//
//
// Runs a kernel that was compiled for a grid of blocks of threads, with one
// fiber for each thread of a block, and finds errors that a device would not
// report.  An "emulated" image of a plan is an x86-64 shared object; its
// kernels are
//
//   void entry(void **params)      params[i] points to the value of parameter i
//
// and call the functions declared at the end of this file.
//
//   blocks     run sequentially, in an order drawn from the seed
//   threads    run until they wait or end; the seed draws the next runnable one
//   shared     is filled with 0xff before each block
//
// Shadow memory stores, for each word, the last accesses with their times.  A
// thread's time is a vector of counters: for each group width, the number of
// syncs or barriers it took part in.  An access is ordered after another
// thread's access in the same block if the smallest group that contains both
// threads, or a larger one, has had a sync or barrier in between.  Threads of
// different blocks are never ordered.  So a race is found in any order in which
// threads happen to run.
//
// Warps multiply matrices of 16 bits (mma), and threads copy to shared memory
// asynchronously (cp.async): the data of such a copy exist only after its
// thread has waited for it.
//
// An error ends the launch with a message that names the kernel, the threads,
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

/// An error of a kernel.
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

/// The memory that kernels may access, by address.
class MemoryMap {
public:
  void add(const void *begin, uint64_t bytes, bool isWritable = true);
  void remove(const void *begin);
  /// Returns true if all of these bytes belong to one range.
  bool holds(uintptr_t address, uint64_t bytes, bool writes) const;

private:
  struct Range {
    uintptr_t end;
    bool isWritable;
  };
  std::map<uintptr_t, Range> ranges;
};

class Grid;

/// One device: kernels run sequentially.  Keeps the fibers' stacks and the
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
  /// Same, without exceptions: returns the kernel's error, or "".
  std::string tryRun(const Launch &launch);

private:
  std::unique_ptr<Grid> grid;
};

/// Names and addresses of the functions that kernels call, for linking them.
std::vector<std::pair<std::string_view, void *>> listCalls();

} // namespace zge

//===----------------------------------------------------------------------===//
// Functions that emulated kernels call
//===----------------------------------------------------------------------===//

extern "C" {

/// threadIdx.x and blockIdx.x.
uint32_t zge_thread(void);
uint32_t zge_block(void);
/// Returns the value of the lane whose number differs by XOR with `distance`.
/// All lanes of the group of `width` aligned lanes take part; this does not
/// order memory.
uint32_t zge_shuffle_xor(uint32_t value, uint32_t distance, uint32_t width);
/// Returns the value of lane `from` of the group; each lane may choose another
/// one.
uint32_t zge_shuffle(uint32_t value, uint32_t from, uint32_t width);
/// Synchronizes the group of `width` aligned lanes, and orders their memory
/// accesses.
void zge_sync(uint32_t width);
/// Same, for the block.
void zge_barrier(void);
/// The block's shared memory.
void *zge_shared(void);
/// Announces each access to memory that is not the thread's own; 0 bytes where
/// a lane of a vector is masked.
void zge_read(const void *address, uint64_t bytes);
void zge_write(const void *address, uint64_t bytes);

// Operations of the 32 lanes of a warp together (Warp.cpp), and copies
// (Copies.cpp).  `at` counts bytes of shared memory; `type` is the 16-bit type.

enum zge_type : uint32_t { ZGE_BF16, ZGE_F16 };
/// mma.m16n8k16: sums += a b, with a 16 x 16, b 16 x 8 and sums 16 x 8,
/// distributed over the lanes as in PTX.  Products are exact, and are added in
/// f32 in the order of k.
void zge_mma(uint32_t type, const uint32_t *a, const uint32_t *b, float *sums);
/// ldmatrix.x4: four matrices of 8 x 8 numbers of 16 bits.  Lane i gives the
/// address of row i % 8 of matrix i / 8, 16 bytes, and gets a word of each
/// matrix.
void zge_fragment(uint32_t at, uint32_t isTransposed, uint32_t *words);
/// Rounds two numbers to 16 bits and packs them in a word.
uint32_t zge_pack(uint32_t type, float low, float high);
/// 2^x, as exactly as f32 can represent it.
float zge_exp2(float x);
/// cp.async: copies `bytes` (16, or 0 for zeros) of global memory to 16 bytes
/// of shared memory, which are 0xff until the thread waits for the copy.
void zge_copy(uint32_t at, const void *from, uint32_t bytes);
/// cp.async.commit_group: the copies since the last one are a group.
void zge_end_copies(void);
/// cp.async.wait_all: completes the thread's copies.
void zge_wait_for_copies(void);
/// cp.async.wait_group: completes those of all groups but the last `newer`.
void zge_wait_for_older_copies(uint32_t newer);
}
