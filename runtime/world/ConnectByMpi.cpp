//===- ConnectByMpi.cpp - Connects ranks that mpirun or srun started ------===//
//
// The entry point of zrt_mpi.so.  A program loads this library only if such a
// launcher has started it, so other programs do not need libmpi.
//
//===----------------------------------------------------------------------===//
#include "runtime/world/World.h"

#include "runtime/Error.h"
#include "runtime/StartThread.h"
#include "runtime/world/MpiWorld.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace zrt;

namespace {

/// Returns a thread that prints a note if it is not ended in time, because MPI
/// prints nothing while it waits for a process that does not arrive.
std::jthread noteIfLate() {
  return startThread<std::jthread>(
      "a thread beside the start of MPI", [](const std::stop_token &stop) {
        constexpr std::chrono::seconds kPatience{10};
        std::mutex mutex;
        std::condition_variable_any changed;
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait_for(lock, stop, kPatience, [] { return false; });
        if (!stop.stop_requested())
          fmt::print(stderr,
                     "{}: note: MPI has not connected all ranks for {} s; "
                     "one of them may be stopped, or its host not reachable\n",
                     program_invocation_short_name, kPatience.count());
      });
}

} // namespace

zrt::World *zrt_connect_by_mpi(uint32_t ranks) {
  std::jthread note = noteIfLate();
  int support = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &support) !=
      MPI_SUCCESS)
    fail(
        "MPI does not start; start with mpirun -n {}, or on one host without a "
        "launcher",
        ranks);
  int started = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string problem;
  if (static_cast<uint32_t>(started) != ranks)
    problem = fmt::format("compiled for {0} rank{2}, started with {1}; run "
                          "mpirun -n {0} ... or compile with --world-size={1}",
                          ranks, started, ranks == 1 ? "" : "s");
  else if (support < MPI_THREAD_MULTIPLE)
    problem = "this MPI cannot be used by several threads; install one with "
              "MPI_THREAD_MULTIPLE";
  if (!problem.empty()) {
    // Rank 0 prints one message for all ranks.  The barrier makes sure that it
    // is printed before any rank ends: mpirun kills the others when one has
    // failed.
    if (rank == 0)
      fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name,
                 problem);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    throw Error("");
  }
  auto world = std::make_unique<MpiWorld>();
  note = {};
  return world.release();
}
