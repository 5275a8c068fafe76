//===- HostLink.h - Transfers bytes between hosts ---------------*- C++ -*-===//
//
// The transport copies between ranks of one host by itself; for other hosts it
// asks the world for a link (MPI).  This interface is all that libzrt knows of
// MPI.
//
// A slot identifies a transfer: a small number that the caller chooses and
// reuses once the transfer is done.  Streams are independent of each other.
// One thread starts all transfers of a stream, and transfers between two ranks
// on one stream arrive in the order in which they were started.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>

namespace zrt {

class HostLink {
public:
  virtual ~HostLink() = default;
  /// Reserves `slots` slots, [0, slots), for each of `streams` streams.  All
  /// ranks call it once, together, before any transfer.
  virtual void reserve(uint32_t streams, int slots) = 0;
  /// Starts sending; `data` must not change until `done`.
  virtual void send(zrt_stream stream, int slot, int to, const void *data,
                    size_t bytes) = 0;
  virtual void receive(zrt_stream stream, int slot, int from, void *data,
                       size_t bytes) = 0;
  /// Returns true if the transfer of `slot` is complete.  Never blocks.
  virtual bool done(zrt_stream stream, int slot) = 0;
};

} // namespace zrt
