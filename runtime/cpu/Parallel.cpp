//===- Parallel.cpp - Parallel regions on libgomp -------------------------===//
#include "runtime/cpu/Parallel.h"

// libgomp's ABI.  Declared here because <omp.h> may be another runtime's.
extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned num_threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_num_procs(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int);
}

using namespace zrt;

int zrt::availableThreads() {
  const int count = omp_get_num_procs();
  return count > 0 ? count : 1;
}

bool zrt::insideParallel() { return omp_in_parallel() != 0; }

SingleThreadedLibrary::SingleThreadedLibrary() : before(omp_get_max_threads()) {
  if (before != 1)
    omp_set_num_threads(1);
}

SingleThreadedLibrary::~SingleThreadedLibrary() {
  if (before != 1)
    omp_set_num_threads(before);
}

void zrt::runTeam(int threads, void (*body)(void *, int, int), void *data) {
  if (threads <= 1) {
    // A region of one thread does not count as parallel for oneDNN.
    SingleThreadedLibrary single;
    body(data, 0, 1);
    return;
  }
  struct Call {
    void (*body)(void *, int, int);
    void *data;
  } call{body, data};
  GOMP_parallel(
      [](void *argument) {
        const auto &call = *static_cast<Call *>(argument);
        // The team may be smaller than asked for (OMP_THREAD_LIMIT).
        const int team = omp_get_num_threads();
        if (team == 1) {
          SingleThreadedLibrary single;
          call.body(call.data, 0, 1);
          return;
        }
        call.body(call.data, omp_get_thread_num(), team);
      },
      &call, static_cast<unsigned>(threads), /*flags=*/0);
}
