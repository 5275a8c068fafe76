//===- Parallel.cpp - Parallel regions on libgomp -------------------------===//
#include "runtime/cpu/Parallel.h"

// libgomp's ABI.  Declared here because <omp.h> may be another runtime's.
extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
}

using namespace zrt;

int zrt::availableThreads() {
  const int count = omp_get_num_procs();
  return count > 0 ? count : 1;
}

bool zrt::insideParallel() { return omp_in_parallel() != 0; }

void zrt::runTeam(int threads, void (*body)(void *, int, int), void *data) {
  if (threads <= 1)
    return body(data, 0, 1);
  struct Call {
    void (*body)(void *, int, int);
    void *data;
  } call{body, data};
  GOMP_parallel(
      [](void *argument) {
        const auto &call = *static_cast<Call *>(argument);
        // The team may be smaller than asked for (OMP_THREAD_LIMIT).
        call.body(call.data, omp_get_thread_num(), omp_get_num_threads());
      },
      &call, static_cast<unsigned>(threads), /*flags=*/0);
}
