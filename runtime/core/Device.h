//===- Device.h - Interface of the device that runs a plan ------*- C++ -*-===//
//
// The interface below the core.  The core knows the plan: it checks every
// operation, keeps streams in order, holds events and the first error.  A
// device knows bytes: it has an arena per tier and works on the data in them.
//
//     core                                  device
//     check, queue, wait for events   ->    work, copy
//
// Calls for one stream come one after another; those for different streams may
// be concurrent, from the streams' own threads.  If the device is the host's
// processors, an operation is complete when its call returns.  Otherwise a call
// may only issue it: it runs after the operations issued to its stream before,
// and is known to be complete after `finish`, or after an event that follows it
// has been waited for.
//
// All arguments have been checked: operands lie inside their arenas,
// descriptors fit them, and the device has accepted them in `check`.  Errors
// are thrown as zrt::Error, by the call itself or by a later one.
//
// docs/runtime.md lists the guarantees that every device gives.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Digest.h"
#include "runtime/core/Segments.h"
#include "runtime/core/SharedFile.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

class Device {
public:
  virtual ~Device() = default;

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Returns the size of the arena of `tier`, as in the plan.
  virtual uint64_t arenaBytes(uint32_t tier) const = 0;
  /// Returns the address of `ref` for collectives; no other host code uses it.
  virtual std::byte *memory(const zrt_ref &ref) const = 0;
  /// Host access: copy or set all bytes of a ref, while no stream works on
  /// them.
  virtual void read(const zrt_ref &from, void *to) = 0;
  virtual void write(const zrt_ref &to, const void *from) = 0;
  virtual void fill(const zrt_ref &to, unsigned char byte) = 0;
  /// Why a tier is slower than possible, one line each; "" if none is.
  virtual std::string note() const = 0;
  /// The memory that peers on this host may read.
  virtual ExportedMemory exported() const = 0;

  /// Called once, before any work: sets the number of threads of `compute` (0:
  /// one for each of `processors`) and of each stream of class host (0: as
  /// many).
  virtual void startThreads(const zrt_plan &plan, int threads,
                            std::vector<int> processors, int hostThreads) = 0;

  /// Host thread, between programs: measures the flop/s of large matrix
  /// products of this type.
  virtual double matmulRate(zrt_dtype dtype) = 0;
  /// Describes how the device does a product that `check` has seen, for
  /// reports; "" if there is only one way.
  virtual std::string howMultiplied(const zrt_matmul_desc & /*desc*/) const {
    return "";
  }
  /// Host thread, before any data are written: chooses how each product is done
  /// that `chosen`, the result of an earlier call or "", does not have, by time
  /// among up to `most` ways.  Returns all choices; "" if there are none.
  virtual std::string chooseMatmuls(int /*most*/,
                                    const std::string & /*chosen*/) {
    return "";
  }
  /// Returns the used bytes of the device's own memory, by all processes;
  /// nullopt if it has no memory of its own.
  virtual std::optional<uint64_t> bytesInUse() const { return std::nullopt; }

  /// Called once, before any work: adds what launches and updates compute with
  /// to `digest`, which outlives the device.
  virtual void addTo(Digest & /*digest*/) {
    fail("there are no digests on this device; compile with --target=cpu");
  }

  /// Host thread: work is issued only between these two calls.
  virtual void beginProgram() = 0;
  virtual void endProgram() = 0;
  /// Host thread, between them, before anything is issued: returns true if the
  /// device itself issues all of `program`, as recorded in an earlier run.
  virtual bool replay(uint32_t /*program*/) { return false; }
  /// Host thread: called when all of a program that is not replayed has been
  /// issued; `isWhole` is false if something has failed meanwhile.
  virtual void endIssue(bool /*isWhole*/) {}

  //===--------------------------------------------------------------------===//
  // Work, on the thread of `stream`
  //===--------------------------------------------------------------------===//

  /// Any thread: throws unless the device can do `op`, which must be valid; the
  /// message names the operand and its type.
  virtual void check(const zrt_op &op) const = 0;
  /// The number of threads of `compute`, and of each stream of class host.
  virtual int threads() const = 0;
  virtual int hostThreads() const = 0;
  /// Does what a kind of `op` that is the device's work (OperationKinds.def)
  /// says.  `bucket` is this rank's part of its bucket, nullptr if it has none.
  virtual void work(const zrt_op &op, const BucketPart *bucket) = 0;
  /// Copies `from.bytes` bytes between ranges that do not overlap.  Returns the
  /// number of bytes that the copy itself counted.
  virtual uint64_t copy(zrt_stream stream, const zrt_ref &from,
                        const zrt_ref &to) = 0;

  //===--------------------------------------------------------------------===//
  // For devices whose work completes after its call.  On other devices these do
  // nothing; the core calls them all the same.
  //===--------------------------------------------------------------------===//

  /// Thread of `stream`: lets `event` of the running program mark the point
  /// after all work issued to the stream.
  virtual void record(zrt_stream /*stream*/, uint32_t /*event*/) {}
  /// Thread of `stream`: holds the stream until `event`, which was recorded
  /// before.
  virtual void wait(zrt_stream /*stream*/, uint32_t /*event*/) {}
  /// Any thread, while nothing is issued to `stream`: returns when all of its
  /// work is complete.
  virtual void finish(zrt_stream /*stream*/) {}
  /// Thread of `stream`: copy the bytes of `ref`, in the state after all issued
  /// work, to memory(ref), and back.
  virtual void bringToHost(zrt_stream /*stream*/, const zrt_ref & /*ref*/) {}
  virtual void bringBack(zrt_stream /*stream*/, const zrt_ref & /*ref*/) {}
};

/// Calls `run(descriptor)` for work of the device; for work on a bucket,
/// `run(descriptor, *bucket)`.
template <typename Run>
void visitDevice(const zrt_op &op, const BucketPart *bucket, Run run) {
  visitDevice(op, [&](const auto &desc) {
    if constexpr (hasBucket<decltype(desc)>)
      run(desc, *bucket);
    else
      run(desc);
  });
}

} // namespace zrt
