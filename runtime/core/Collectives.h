//===- Collectives.h - Interface of collective operations -------*- C++ -*-===//
//
// The interface between core and transport: the core checks and queues
// collectives, the transport runs them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Trace.h"
#include "runtime/core/TrafficLedger.h"

#include <cstddef>
#include <string>

namespace zrt {

class Collectives {
public:
  virtual ~Collectives() = default;

  /// Throws unless `desc` can be run; its kind, types and ranges are checked.
  /// Its operands must be valid.
  virtual void check(const zrt_collective_desc &desc) const = 0;

  /// Returns true if collectives access device memory directly.  Then `run` may
  /// only issue them, as a Device issues its work, and needs no addresses.
  virtual bool isOnDevice() const { return false; }

  /// Host thread: called before `program` begins and after all of its streams
  /// are finished.  `end` throws if a collective has failed since it was
  /// issued.
  virtual void begin(uint32_t /*program*/) {}
  virtual void end() {}

  /// Stream thread: executes a checked `desc`, counts it in `row`, and records
  /// its times in `trace` unless that is null.  Throws if a peer fails.
  virtual void run(zrt_stream stream, const zrt_collective_desc &desc,
                   const std::byte *source, std::byte *result, TrafficRow &row,
                   CollectiveTrace *trace) = 0;

  /// Any thread: fails this rank for its peers; see World::abort.
  virtual void abort(const std::string &message) = 0;

  /// Why ranks of this machine do not share memory; "" if they do.
  virtual std::string note() const = 0;
};

} // namespace zrt
