//===- Device.h - What a plan runs on ---------------------------*- C++ -*-===//
//
// The seam below the core.  The core knows the plan: it checks every operation,
// keeps streams in order, holds events and the first error.  A device knows
// bytes: it has an arena per tier and works on what lies in them.
//
//     core                                  device
//     check, queue, wait for events   ->    launch, multiply, copy, ...
//
// Calls of one stream come one after another; those of different streams come
// together, from the streams' own threads.  Where the device is the host's
// processors, an operation is over when its call returns.  Else a call may only
// issue it: it runs after those issued to its stream before it, and is known to
// be over after `finish`, or where an event has been waited for.
//
// What a device is given has been checked: operands lie inside their arenas,
// descriptors fit them, and the device has said that it can do them.  What goes
// wrong is thrown as zrt::Error, by the call or by a later one.
//
// docs/runtime.md lists what every device does alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Segments.h"
#include "runtime/core/SharedFile.h"
#include "runtime/zrt.h"

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

  /// Bytes of the arena of `tier`, as the plan has them.
  virtual uint64_t arenaBytes(uint32_t tier) const = 0;
  /// Where collectives find `ref`; no other host code touches what is there.
  virtual std::byte *memory(const zrt_ref &ref) const = 0;
  /// Host access: copy all bytes of a ref, while no stream works on them.
  virtual void read(const zrt_ref &from, void *to) = 0;
  virtual void write(const zrt_ref &to, const void *from) = 0;
  virtual void fill(const zrt_ref &to, unsigned char byte) = 0;
  /// What makes a tier slower than it could be, a line each; "" when nothing
  /// does.
  virtual std::string note() const { return ""; }
  /// What peers on this host may read.
  virtual ExportedMemory exported() const = 0;

  /// Once, before any work: how many threads `compute` (0: one for each of
  /// `processors`) and each stream of class host have (0: as many).
  virtual void startThreads(const zrt_plan &plan, int threads,
                            std::vector<int> processors, int hostThreads) = 0;

  /// Host thread, between programs: flops by the second of large matrix products
  /// of this type.
  virtual double productRate(zrt_dtype dtype) = 0;
  /// How the device does a product that `check` has seen, for reports; "" where
  /// there is one way.
  virtual std::string howMultiplied(const zrt_matmul_desc & /*desc*/) const {
    return "";
  }
  /// Bytes of the device's own memory that are in use, by whomever; none where
  /// it has no memory of its own.
  virtual std::optional<uint64_t> bytesInUse() const { return std::nullopt; }

  /// Host thread: work is only asked for between these two.
  virtual void beginProgram() {}
  virtual void endProgram() {}
  /// Host thread, between them, before anything is issued: whether the device
  /// issues all of `program` by itself, as it was issued in an earlier run.
  virtual bool replay(uint32_t /*program*/) { return false; }
  /// Host thread: all of a program that is not replayed has been issued; or, where
  /// not `isWhole`, something has failed meanwhile.
  virtual void endIssue(bool /*isWhole*/) {}

  //===--------------------------------------------------------------------===//
  // Work, on the thread of `stream`
  //===--------------------------------------------------------------------===//

  /// Any thread: throws unless the device can do `op`, which is sound; the
  /// message names the operand and its type.
  virtual void check(const zrt_op &op) const = 0;
  /// How many threads `compute` has, and each stream of class host.
  virtual int threads() const = 0;
  virtual int hostThreads() const = 0;
  virtual void launch(zrt_stream stream, const zrt_launch_desc &desc) = 0;
  virtual void multiply(zrt_stream stream, const zrt_matmul_desc &desc) = 0;
  virtual void multiplyGroups(zrt_stream stream,
                              const zrt_grouped_desc &desc) = 0;
  virtual void dequantize(zrt_stream stream,
                          const zrt_dequantize_desc &desc) = 0;
  virtual void update(zrt_stream stream, const zrt_update_desc &desc,
                      const BucketPart &bucket) = 0;
  virtual void sumSquares(zrt_stream stream, const zrt_squares_desc &desc,
                          const BucketPart &bucket) = 0;
  /// Copies `from.bytes` bytes; the ranges do not overlap.  How many have
  /// arrived, as whoever moved them has counted.
  virtual uint64_t copy(zrt_stream stream, const zrt_ref &from,
                        const zrt_ref &to) = 0;

  //===--------------------------------------------------------------------===//
  // Where the device's work is over later than its call; else there is nothing
  // to do.  The core calls them all the same.
  //===--------------------------------------------------------------------===//

  /// Thread of `stream`: `event`, of the program that runs, marks what has been
  /// issued to it.
  virtual void record(zrt_stream /*stream*/, uint32_t /*event*/) {}
  /// Thread of `stream`: it goes on after `event`, which has been recorded.
  virtual void wait(zrt_stream /*stream*/, uint32_t /*event*/) {}
  /// Any thread, while nothing is issued to `stream`: returns when all of it is
  /// over.
  virtual void finish(zrt_stream /*stream*/) {}
  /// Thread of `stream`: brings the bytes of `ref`, as they are after what has
  /// been issued, to memory(ref), and back.
  virtual void bringToHost(zrt_stream /*stream*/, const zrt_ref & /*ref*/) {}
  virtual void bringBack(zrt_stream /*stream*/, const zrt_ref & /*ref*/) {}
};

} // namespace zrt
