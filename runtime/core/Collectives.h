//===- Collectives.h - How ranks exchange what they hold --------*- C++ -*-===//
//
// The seam between core and transport: the core checks and queues collectives,
// the transport runs them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Trace.h"
#include "runtime/core/WireLedger.h"
#include "runtime/zrt.h"

#include <cstddef>
#include <string>

namespace zrt {

class Collectives {
public:
  virtual ~Collectives() = default;

  /// Throws unless `desc`, whose operands are sound, can be run: its kind, types
  /// and ranges.
  virtual void check(const zrt_collective_desc &desc) const = 0;

  /// Whether they take what is on the device where it is.  Then `run` may only
  /// issue them, as a Device does its work, and needs no addresses.
  virtual bool isOnDevice() const { return false; }

  /// Host thread: a program begins; all its streams have been finished.  The latter
  /// throws when a collective has failed since it was issued.
  virtual void begin() {}
  virtual void end() {}

  /// Stream thread: executes a checked `desc`, counts it in `row`, and writes
  /// down in `trace`, unless that is null, how it went.  Throws when a peer
  /// fails.
  virtual void run(zrt_stream stream, const zrt_collective_desc &desc,
                   const std::byte *source, std::byte *result, WireRow &row,
                   CollectiveTrace *trace) = 0;

  /// Any thread: fails this rank for its peers; see World::abort.
  virtual void abort(const std::string &message) = 0;

  /// Why ranks of this machine do not share memory; "" when they do.
  virtual std::string note() const = 0;
};

} // namespace zrt
