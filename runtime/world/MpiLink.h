//===- MpiLink.h - Transfers slices between hosts by MPI --------*- C++ -*-===//
#pragma once

#include "runtime/world/HostLink.h"

#include <mpi.h>
#include <vector>

namespace zrt {

/// Each stream has its own communicator, so messages of two streams cannot mix.
class MpiLink final : public HostLink {
public:
  ~MpiLink() override;

  void reserve(uint32_t streams, int slots) override;
  void send(zrt_stream stream, int slot, int to, const void *data,
            size_t bytes) override;
  void receive(zrt_stream stream, int slot, int from, void *data,
               size_t bytes) override;
  bool done(zrt_stream stream, int slot) override;

private:
  std::vector<MPI_Comm> comms;
  std::vector<std::vector<MPI_Request>> requests;
};

} // namespace zrt
