//===- Calls.cpp - Functions that emulated kernels call -------------------===//
#include "Grid.h"

#include <cmath>

using zge::Grid;

uint32_t zge_thread(void) { return Grid::running->thread(); }
uint32_t zge_block(void) { return Grid::running->block(); }
uint32_t zge_shuffle_xor(uint32_t value, uint32_t distance, uint32_t width) {
  return Grid::running->shuffle(value, distance, width);
}
uint32_t zge_shuffle(uint32_t value, uint32_t from, uint32_t width) {
  return Grid::running->shuffleFrom(value, from, width);
}
void zge_sync(uint32_t width) { Grid::running->sync(width); }
void zge_barrier(void) { Grid::running->barrier(); }
void *zge_shared(void) { return Grid::running->shared(); }
void zge_read(const void *address, uint64_t bytes) {
  Grid::running->access(address, bytes, /*writes=*/false);
}
void zge_write(const void *address, uint64_t bytes) {
  Grid::running->access(address, bytes, /*writes=*/true);
}
void zge_mma(uint32_t type, const uint32_t *a, const uint32_t *b, float *sums) {
  Grid::running->multiply(type, a, b, sums);
}
void zge_fragment(uint32_t at, uint32_t isTransposed, uint32_t *words) {
  Grid::running->loadFragment(at, isTransposed != 0, words);
}
void zge_copy(uint32_t at, const void *from, uint32_t bytes) {
  Grid::running->copy(at, from, bytes);
}
void zge_end_copies(void) { Grid::running->endCopies(); }
void zge_wait_for_copies(void) { Grid::running->waitForCopies(); }
void zge_wait_for_older_copies(uint32_t newer) {
  Grid::running->waitForOlderCopies(newer);
}
uint32_t zge_pack(uint32_t type, float low, float high) {
  return zge::round16(type, low) | uint32_t(zge::round16(type, high)) << 16;
}
float zge_exp2(float x) { return float(std::exp2(double(x))); }

template <typename Function>
static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

std::vector<std::pair<std::string_view, void *>> zge::listCalls() {
#define ZGE_CALL(name)                                                         \
  {                                                                            \
    #name, addressOf(name)                                                     \
  }
  return {ZGE_CALL(zge_thread),
          ZGE_CALL(zge_block),
          ZGE_CALL(zge_shuffle),
          ZGE_CALL(zge_shuffle_xor),
          ZGE_CALL(zge_sync),
          ZGE_CALL(zge_barrier),
          ZGE_CALL(zge_shared),
          ZGE_CALL(zge_read),
          ZGE_CALL(zge_write),
          ZGE_CALL(zge_mma),
          ZGE_CALL(zge_fragment),
          ZGE_CALL(zge_pack),
          ZGE_CALL(zge_exp2),
          ZGE_CALL(zge_copy),
          ZGE_CALL(zge_wait_for_copies),
          ZGE_CALL(zge_end_copies),
          ZGE_CALL(zge_wait_for_older_copies)};
#undef ZGE_CALL
}
