//===- HostLink.h - Bytes between hosts -------------------------*- C++ -*-===//
//
// The transport copies between ranks of one host by itself; between hosts it
// asks the world for a link (MPI).  libzrt knows no more of MPI than this.
//
// A transfer is known by its slot: a small number that the caller chooses and
// uses again when the transfer is done.  Streams are independent of each other;
// those of one stream are started by one thread, and transfers between two
// ranks on one stream arrive in the order in which they were started.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

class HostLink {
public:
  virtual ~HostLink() = default;
  /// Once, on all ranks together, before any transfer: so many streams, and the
  /// slots of each, [0, slots).
  virtual void reserve(uint32_t streams, int slots) = 0;
  /// Starts sending; `data` stays as it is until `done`.
  virtual void send(zrt_stream stream, int slot, int to, const void *data,
                    size_t bytes) = 0;
  virtual void receive(zrt_stream stream, int slot, int from, void *data,
                       size_t bytes) = 0;
  /// Whether the transfer of `slot` is complete.  Never blocks.
  virtual bool done(zrt_stream stream, int slot) = 0;
};

} // namespace zrt
