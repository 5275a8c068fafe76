//===- World.h - The ranks of a job: control plane --------------*- C++ -*-===//
//
// Small, rare messages between ranks: addresses at start, votes, weights that
// are saved.  The data of a step goes through runtime/transport.
//
// One rank needs no launcher: SoloWorld.  Several are started by mpirun or
// srun: MpiWorld.  A training binary is linked with the one that it needs.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_WORLD_WORLD_H
#define ZRT_WORLD_WORLD_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// All functions throw zrt::Error: when a peer has failed or gone, with its
/// rank and its message; when nothing moves for longer than the time-out.
/// Collective calls are made by one thread per rank, in the same order on all.
class World {
public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// `bytes` bytes of every rank, in rank order.
  virtual void allGather(const void *mine, size_t bytes, void *all) = 0;
  virtual void send(int to, const void *data, size_t bytes) = 0;
  virtual void receive(int from, void *data, size_t bytes) = 0;
  /// This rank cannot go on: wakes every peer that waits for it, or will, with
  /// an error that names this rank and `message`.  Calls nobody back and does
  /// not wait.  A world of one rank has nobody to wake.
  virtual void abort(const std::string &message) { (void)message; }
  void barrier() {
    const char mine = 0;
    std::vector<char> all(static_cast<size_t>(size()));
    allGather(&mine, 1, all.data());
  }
};

/// The ranks of this job.  Throws unless they are `ranks`, with a message that
/// says how to start or to compile instead.
std::unique_ptr<World> connectWorld(uint32_t ranks);

} // namespace zrt

/// The opaque handle of the C ABI.
struct zrt_world {
  zrt::World &world;
};

#endif // ZRT_WORLD_WORLD_H
