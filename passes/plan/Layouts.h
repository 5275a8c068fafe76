//===- Layouts.h - Offsets of the buffers of programs -----------*- C++ -*-===//
//
// Buffers that outlive a program are pinned: they have the same bytes in all
// programs.  Temporaries of a program lie above them, and overlay those of the
// others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/plan/Lifetimes.h"
#include "passes/plan/Occupancy.h"
#include <optional>

namespace mlir::zero {

/// Exported bytes are mapped separately.  On NVMe no block holds two buffers,
/// and host buffers are copied from and to such blocks.
constexpr int64_t kPage = 4096;

/// A buffer's bytes with those that make the next one start aligned.
int64_t alignedSize(const Buffer &buffer);

/// A part of an arena that is laid out by itself.
struct Section {
  Tier tier;
  bool exported;
  bool holds(const Buffer &buffer) const {
    return buffer.tier == tier && buffer.exported == exported;
  }
};

/// Offsets of one program's buffers in a section, and the bytes they need.
struct Layout {
  explicit Layout(const Storage &storage)
      : offsets(storage.buffers.size()),
        temporaries(storage.operations.size()) {}

  std::vector<int64_t> offsets;
  int64_t size = 0;
  /// The bytes of pinned buffers; temporaries lie above them.
  int64_t pinned = 0;
  Occupancy temporaries;

  int64_t findPlace(const Buffer &buffer) {
    return temporaries.findBestFit(buffer.birth, buffer.death,
                                   alignedSize(buffer), pinned);
  }
  void place(unsigned index, const Buffer &buffer, int64_t begin) {
    int64_t end = begin + alignedSize(buffer);
    temporaries.take(buffer.birth, buffer.death, begin, end);
    offsets[index] = begin;
    size = std::max(size, end);
  }
};

/// A program and its buffers.
struct Program {
  mutable ProgramOp function;
  Storage storage;
};

/// Gives buffers that outlive a program the same bytes in all programs:
/// arguments by position, outputs by name.  Returns one layout per program.
SmallVector<Layout> pin(ArrayRef<Program> programs, Section section);

/// Lays out the temporaries of one program above the pinned buffers.
Layout layOut(const Storage &storage, Section section, const Layout &pinned);

/// Moves private temporaries into the exported section wherever they fit below
/// `limit`, the largest first; the buffers that peers read leave gaps there.
void fillGaps(Storage &storage, Layout &layout, int64_t limit);

/// A layout may be so much larger than what is alive at once.
inline int64_t allowWaste(int64_t bytes) {
  return bytes + std::max<int64_t>(bytes / 128, 64 << 10);
}

/// The bytes of the device that are alive at once, of pinned and other buffers.
int64_t getLeastBytes(const Storage &storage, int64_t pinned);

/// Lays out the device's temporaries of both sections at once: exported ones in
/// the last `exportedSize` bytes of `size`, private ones anywhere above those
/// of `pinned`, also in the gaps of the others and across their border.  Pinned
/// exported buffers come last.  Returns offsets from 0, or nothing if a search
/// finds no layout.
std::optional<std::vector<int64_t>>
layOutAcross(const Storage &storage, const Layout &pinned,
             const Layout &exported, int64_t exportedSize, int64_t size);

} // namespace mlir::zero
