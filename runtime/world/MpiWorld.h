//===- MpiWorld.h - Control plane of ranks started by MPI -------*- C++ -*-===//
//
// The control plane on MPI: messages, and alarms of ranks that fail.  MPI can
// only be polled, so every wait tests, sleeps briefly, and checks whether the
// peer can still answer: by its pages once ranks share any (PeerPages), before
// that by its process.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/ProcessWorld.h"

#include <mpi.h>

namespace zrt {

class MpiWorld final : public ProcessWorld {
public:
  /// Must be called after MPI_Init_thread.
  MpiWorld();
  ~MpiWorld() override;

  int rank() const override { return me; }
  int size() const override { return count; }
  void allGather(const void *mine, size_t bytes, void *all) override;
  void send(int to, const void *data, size_t bytes) override;
  void receive(int from, void *data, size_t bytes) override;

  std::unique_ptr<HostLink> linkHosts() override;

private:
  /// Returns when `request`, which depends on `peer`, is complete.
  void await(MPI_Request &request, int peer, const char *what);
  void sendToAll(const AlarmPacket &packet) override;
  std::optional<AlarmPacket> takePacket() override;

  int me = 0, count = 1;
  MPI_Comm messages = MPI_COMM_NULL, alarms = MPI_COMM_NULL;
};

} // namespace zrt
