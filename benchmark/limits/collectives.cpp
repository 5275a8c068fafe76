//===- collectives.cpp - Measures collectives of two ranks ------------------===//
//
//   collectives SECONDS BYTES
//
// Two processes, each on its own processor, read each other's memory directly.
// BYTES is the size of the whole exchanged buffer:
//
//   reduce_scatter   each rank adds the half that it owns, in place
//   gather_in_place  each copies the half that it lacks
//   gather_apart     each copies both halves, its own from another place
//
// Prints a line `name seconds` for each, for the faster of plain and
// non-temporal copies; the time is that of the slower rank.
//
//===----------------------------------------------------------------------===//
#include "timing.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Control {
  std::atomic<int> arrived{0}, round{0};
  std::atomic<bool> goOn{true};
};

void *shared(size_t bytes) {
  void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    std::perror("collectives: error: mmap");
    std::exit(1);
  }
  return at;
}

void meet(Control &control) {
  const int round = control.round;
  if (control.arrived.fetch_add(1) == 1) {
    control.arrived = 0;
    ++control.round;
    return;
  }
  while (control.round == round)
    _mm_pause();
}

/// Pins this process to the `rank`-th processor that it may use.
void pin(int rank) {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  CPU_ZERO(&one);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && seen++ == rank)
      CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

void add(float *own, const float *peer, size_t count) {
  for (size_t i = 0; i < count; ++i)
    own[i] = 0.5f * (own[i] + peer[i]);
}

void copyPlain(float *to, const float *from, size_t count) {
  std::memcpy(to, from, count * sizeof(float));
}

void copyStreamed(float *to, const float *from, size_t count) {
  for (size_t i = 0; i < count; i += 4)
    _mm_stream_ps(to + i, _mm_load_ps(from + i));
  _mm_sfence();
}

/// Median seconds from a common start until both ranks are done.  Rank 0
/// decides the number of repetitions.
template <typename Work>
double measure(Control &control, int rank, double budget, const Work &work) {
  std::vector<double> seconds;
  const double start = now();
  for (int run = 0;; ++run) {
    if (rank == 0)
      control.goOn = run < 4 || now() - start < budget;
    meet(control);
    const bool goOn = control.goOn;
    meet(control); // both have read it before rank 0 sets it again
    if (!goOn)
      return median(std::move(seconds));
    const double before = now();
    work();
    meet(control);
    if (run > 0)
      seconds.push_back(now() - before);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const double budget = std::atof(argv[1]);
  const size_t half = std::atol(argv[2]) / 128 * 16, count = 2 * half;
  auto &control = *new (shared(sizeof(Control))) Control;
  float *values[2], *shards[2];
  for (int r = 0; r < 2; ++r) {
    values[r] = static_cast<float *>(shared(count * sizeof(float)));
    shards[r] = static_cast<float *>(shared(half * sizeof(float)));
  }
  const int rank = fork() == 0 ? 1 : 0, peer = 1 - rank;
  pin(rank);
  float *mine = values[rank];
  std::fill_n(mine, count, 1.0f);
  std::fill_n(shards[rank], half, 1.0f);

  const auto seconds = [&](const auto &work) {
    return measure(control, rank, budget, work);
  };
  const auto gather = [&](bool apart, auto copy) {
    return seconds([&, copy] {
      copy(mine + peer * half, shards[peer], half);
      if (apart)
        copy(mine + rank * half, shards[rank], half);
    });
  };
  const double reduced = seconds(
      [&] { add(mine + rank * half, values[peer] + rank * half, half); });
  const double inPlace =
      std::min(gather(false, copyPlain), gather(false, copyStreamed));
  const double apart =
      std::min(gather(true, copyPlain), gather(true, copyStreamed));
  if (rank != 0)
    return 0;
  std::printf("reduce_scatter %.9f\ngather_in_place %.9f\ngather_apart %.9f\n",
              reduced, inPlace, apart);
  int status = 0;
  wait(&status);
  return status != 0;
}
