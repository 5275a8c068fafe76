//===- SoloWorld.cpp - A job of one rank ----------------------------------===//
//
// No launcher, no MPI.  A binary that was compiled for one rank and is started
// by mpirun nevertheless would train the same model several times: it says so
// instead.
//
//===----------------------------------------------------------------------===//
#include "runtime/world/World.h"

#include "runtime/Error.h"

#include <cstdlib>
#include <cstring>

using namespace zrt;

namespace {

class SoloWorld final : public World {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void allGather(const void *mine, size_t bytes, void *all) override {
    std::memcpy(all, mine, bytes);
  }
  void send(int to, const void *, size_t) override {
    fail("there is no rank {} to send to", to);
  }
  void receive(int from, void *, size_t) override {
    fail("there is no rank {} to receive from", from);
  }
};

/// A number that a launcher has set, or `otherwise`.
long launcherValue(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtol(text, nullptr, 10) : otherwise;
}

} // namespace

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  if (ranks != 1)
    fail("compiled for {} ranks, but linked without MPI; compile the model "
         "again",
         ranks);
  // torchrun; Open MPI; MPICH and its relatives; Slurm's own number counts only inside
  // srun, where a step exists (a batch script has none and may run us alone).
  struct Launcher {
    const char *size, *rank;
  };
  for (const Launcher &launcher :
       {Launcher{"WORLD_SIZE", "RANK"},
        Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
        Launcher{"PMI_SIZE", "PMI_RANK"},
        Launcher{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}) {
    const long started = launcherValue(launcher.size, 1);
    if (started <= 1 || !std::getenv(launcher.rank))
      continue;
    fail("compiled for 1 rank, started with {0}; start it without mpirun, srun "
         "or torchrun, or compile with --world-size={0}",
         started);
  }
  return std::make_unique<SoloWorld>();
}
