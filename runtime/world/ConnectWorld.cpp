//===- ConnectWorld.cpp - How ranks find each other -----------------------===//
//
// mpirun and srun start MPI; torchrun and its like only say in the environment
// who is who, and then ranks of one host connect by themselves.
//
//===----------------------------------------------------------------------===//
#include "runtime/Error.h"
#include "runtime/StartThread.h"
#include "runtime/world/MpiWorld.h"
#include "runtime/world/SocketWorld.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

using namespace zrt;

namespace {

/// Says that the start takes long, for MPI says nothing while it waits for a
/// process that does not come.
class StartNote {
public:
  StartNote()
      : thread(startThread("a thread beside the start of MPI", [this] {
          std::unique_lock<std::mutex> lock(mutex);
          if (!changed.wait_for(lock, kPatience, [&] { return started; }))
            fmt::print(
                stderr,
                "{}: note: MPI has not connected all ranks for {} s; "
                "one of them may be stopped, or its host not reachable\n",
                program_invocation_short_name, kPatience.count());
        })) {}
  ~StartNote() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      started = true;
    }
    changed.notify_all();
    thread.join();
  }
  StartNote(const StartNote &) = delete;
  StartNote &operator=(const StartNote &) = delete;

private:
  static constexpr std::chrono::seconds kPatience{10};
  std::mutex mutex;
  std::condition_variable changed;
  bool started = false;
  std::thread thread;
};

} // namespace

static std::unique_ptr<World> connectByMpi(uint32_t ranks) {
  std::optional<StartNote> note(std::in_place);
  int support = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &support) !=
      MPI_SUCCESS)
    fail("MPI does not start; start with mpirun -n {}", ranks);
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
    // One message for all ranks, and out before any of them ends: mpirun kills
    // the others when one has failed.
    if (rank == 0)
      fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name,
                 problem);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    throw Error("");
  }
  auto world = std::make_unique<MpiWorld>();
  note.reset();
  return world;
}

/// Whether a launcher of MPI has started this process.
static bool isOfMpi() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                           "SLURM_STEP_NUM_TASKS"})
    if (std::getenv(name))
      return true;
  return false;
}

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  const std::optional<Launch> launch =
      isOfMpi() ? std::nullopt : launchFromEnvironment();
  if (!launch)
    return connectByMpi(ranks);
  if (static_cast<uint32_t>(launch->size) == ranks)
    return std::make_unique<SocketWorld>(*launch);
  // One message for all ranks.
  if (launch->rank != 0)
    throw Error("");
  fail("compiled for {0} rank{2}, started with {1}; start {0} or compile with "
       "--world-size={1}",
       ranks, launch->size, ranks == 1 ? "" : "s");
}
