//===- Flags.h - How far the ranks of a host are, for GPUs ------*- C++ -*-===//
//
// Each rank has a file of host memory with a word for each of its streams and each
// peer, which that peer's GPU writes and this rank's waits for:
//
//   arrived   the peer's source of this collective can be read
//   done      the peer reads no source of this rank any more
//
// As in transport/ControlPage.h both count the collectives of a stream and only
// grow.  A rank's own words it can set itself: that ends what waits there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/SharedFile.h"
#include "runtime/device/cuda/Streams.h"
#include "runtime/transport/ControlPage.h"
#include "runtime/world/World.h"

#include <memory>
#include <vector>

namespace zrt::cuda {

class Flags {
public:
  enum Kind { Arrived, Done };

  /// All ranks of `world` together.  Throws zrt::Error.
  Flags(const Gpu &gpu, World &world);

  int rank() const { return me; }
  int ranks() const { return int(pages.size()); }

  /// The operations of CUDA's streams that set the words of all peers for this
  /// rank, and that wait for this rank's word of `peer`.
  std::vector<CUstreamBatchMemOpParams> tell(zrt_stream stream, Kind kind,
                                             uint32_t number) const;
  CUstreamBatchMemOpParams await(zrt_stream stream, Kind kind, int peer,
                                 uint32_t number) const;

  /// Ends what waits for `number` on a stream, or for less.
  void release(zrt_stream stream, uint32_t number) const;

private:
  struct Page {
    Mapping memory;
    std::unique_ptr<PinnedMemory> pinned;
    CUdeviceptr onGpu = 0;
  };
  /// Where `reader` has the word of `writer`.
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
