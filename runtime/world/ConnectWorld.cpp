//===- ConnectWorld.cpp - Chooses the way in which ranks connect ----------===//
//
//   mpirun, srun       MPI, on any number of hosts
//   torchrun           RANK and WORLD_SIZE identify the ranks, on one host
//   no launcher        the program starts its ranks itself, on this host
//
// A program that was compiled for one rank and is started several times would
// train the same model several times; it fails with a message instead.
//
// Unit tests define their own connectWorld, so this file contains nothing else
// that they need.
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Attachments.h"
#include "runtime/text/Error.h"
#include "runtime/world/SocketWorld.h"

#include <cstdlib>
#include <cstring>
#include <optional>

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

/// The environment variables in which a launcher gives the number of processes
/// that it has started, and the number of this process.
struct Launcher {
  const char *size, *rank;
};

/// Open MPI; MPICH and its relatives; Slurm.  Slurm's SLURM_STEP_NUM_TASKS is
/// set only inside srun, where a step exists; a batch script has no step and
/// may start this program once.
constexpr Launcher kLaunchersOfMpi[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
constexpr Launcher kTorchrun = {"WORLD_SIZE", "RANK"};

/// Returns true if an MPI launcher has started this process.  A Slurm step of
/// one process does not count: an interactive shell in Slurm has its variables
/// as well.
bool isOfMpi() {
  bool isSaid = false;
  for (const Launcher &launcher : kLaunchersOfMpi)
    if (const char *size = std::getenv(launcher.size)) {
      isSaid = true;
      if (std::strtol(size, nullptr, 10) != 1 ||
          &launcher == &kLaunchersOfMpi[0])
        return true;
    }
  return !isSaid && std::getenv("PMIX_RANK");
}

uint32_t numberIn(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? uint32_t(std::strtoul(text, nullptr, 10)) : 0;
}

void checkAlone() {
  const auto check = [](const Launcher &launcher) {
    const char *size = std::getenv(launcher.size);
    const long started = size ? std::strtol(size, nullptr, 10) : 1;
    if (started > 1 && std::getenv(launcher.rank))
      fail("compiled for 1 rank, started with {0}; start it without mpirun, "
           "srun or torchrun, or compile with --world-size={0}",
           started);
  };
  check(kTorchrun);
  for (const Launcher &launcher : kLaunchersOfMpi)
    check(launcher);
  if (const uint32_t rank = numberIn("PMIX_RANK")) // without a size
    fail("compiled for 1 rank, and this is rank {} of a launcher; start it "
         "without one, or compile with --world-size=N",
         rank);
}

std::unique_ptr<World> connectByMpi(uint32_t ranks) {
  constexpr const char *kEntry = "zrt_connect_by_mpi";
  try {
    if (!findSymbol(kEntry) && !loadAttachment(kMpiAttachment))
      fail("the zeroc that made this program was built without MPI");
  } catch (const Error &error) {
    fail("started by mpirun or srun, but {}; start it without them on one "
         "host, or install Open MPI (and its headers where zeroc is built)",
         error.what());
  }
  const auto connect =
      reinterpret_cast<decltype(&zrt_connect_by_mpi)>(findSymbol(kEntry));
  return std::unique_ptr<World>(connect(ranks));
}

} // namespace

std::optional<Launched> zrt::findLauncher() {
  if (isOfMpi()) {
    for (const Launcher &launcher : kLaunchersOfMpi)
      if (const uint32_t ranks = numberIn(launcher.size))
        return Launched{ranks, numberIn(launcher.rank)};
    return Launched{0, numberIn("PMIX_RANK")};
  }
  const std::optional<Launch> launch = launchFromEnvironment();
  if (!launch || launch->size == 1)
    return std::nullopt;
  return Launched{uint32_t(launch->size), uint32_t(launch->rank)};
}

std::unique_ptr<World> zrt::connectWorld(uint32_t ranks) {
  if (ranks == 1) {
    checkAlone();
    return std::make_unique<SoloWorld>();
  }
  if (isOfMpi())
    return connectByMpi(ranks);
  std::optional<Launch> launch = launchFromEnvironment();
  if (!launch || launch->size == 1)
    launch = startRanks(static_cast<int>(ranks));
  if (static_cast<uint32_t>(launch->size) == ranks)
    return std::make_unique<SocketWorld>(*launch);
  // Only rank 0 prints the message.
  if (launch->rank != 0)
    throw Error("");
  fail("compiled for {0} ranks, started with {1}; start {0} or compile with "
       "--world-size={1}",
       ranks, launch->size);
}
