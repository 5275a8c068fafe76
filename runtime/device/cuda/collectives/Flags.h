//===- Flags.h - Progress of the ranks of a host, for GPUs ------*- C++ -*-===//
//
// Each rank has a file of host memory with words for each of its streams and
// each peer.  The peer's GPU writes the words, and this rank's GPU waits for
// them:
//
//   arrived   the peer's source of this collective can be read
//   done      the peer no longer reads any source of this rank
//
// As in transport/ControlPage.h, both words count the collectives of a stream
// and only grow.  A rank can set its own words, to end waits for them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/SharedFile.h"
#include "runtime/device/cuda/driver/Streams.h"
#include "runtime/transport/ControlPage.h"
#include "runtime/world/World.h"

#include <memory>
#include <vector>

namespace zrt::cuda {

class Flags {
public:
  enum Kind { Arrived, Done };

  /// All ranks of `world` call it together.  Throws zrt::Error.
  Flags(const Gpu &gpu, World &world);

  int rank() const { return me; }
  int ranks() const { return int(pages.size()); }

  /// Return the stream operations that set the word of `peer` for this rank,
  /// and that wait for this rank's word of `peer`.
  CUstreamBatchMemOpParams tell(zrt_stream stream, Kind kind, int peer,
                                uint32_t number) const;
  CUstreamBatchMemOpParams await(zrt_stream stream, Kind kind, int peer,
                                 uint32_t number) const;

  /// Ends all waits on a stream for `number` or less.
  void release(zrt_stream stream, uint32_t number) const;

private:
  struct Page {
    Mapping memory;
    std::unique_ptr<PinnedMemory> pinned;
    CUdeviceptr onGpu = 0;
  };
  /// Returns the offset of the word of `writer` in a reader's file.
  uint64_t offsetOf(int writer, zrt_stream stream, Kind kind) const;
  CUdeviceptr onGpu(int reader, int writer, zrt_stream stream,
                    Kind kind) const {
    return pages[size_t(reader)].onGpu + offsetOf(writer, stream, kind);
  }
  void open(const Gpu &gpu, const std::vector<SharedFileCard> &cards);

  const int me;
  SharedFile file;
  std::vector<Page> pages; ///< by reader
};

} // namespace zrt::cuda
