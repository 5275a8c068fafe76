//===- Parallel.h - Parallel regions on libgomp -----------------*- C++ -*-===//
//
// Through libgomp's entry point, because clang's own OpenMP code wants another
// runtime; a second thread pool would make more runnable threads than cores.
//
// libgomp keeps one pool per thread that opens regions: only the thread of
// `compute` does.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CPU_PARALLEL_H
#define ZRT_CPU_PARALLEL_H

#include <cstdint>

namespace zrt {

/// Threads that this process may use (its affinity mask).
int availableThreads();

/// Whether the caller runs inside a region of more than one thread.
bool insideParallel();

/// Runs `body(data, thread, threads)` on a team of at most `threads` threads.
void runTeam(int threads, void (*body)(void *data, int thread, int threads),
             void *data);

/// Deals `count` items out in equal runs of neighbours: calls
/// `body(begin, end)` once per thread that gets any.  Must not throw.
template <typename Body>
void parallelFor(int threads, int64_t count, Body &&body) {
  struct Job {
    Body &body;
    int64_t count;
  } job{body, count};
  if (count < threads)
    threads = static_cast<int>(count);
  runTeam(
      threads,
      [](void *data, int thread, int team) {
        auto &job = *static_cast<Job *>(data);
        // The first `rest` threads get one item more.
        const int64_t share = job.count / team, rest = job.count % team;
        const int64_t begin = share * thread + (thread < rest ? thread : rest);
        const int64_t end = begin + share + (thread < rest ? 1 : 0);
        if (begin < end)
          job.body(begin, end);
      },
      &job);
}

} // namespace zrt

#endif // ZRT_CPU_PARALLEL_H
