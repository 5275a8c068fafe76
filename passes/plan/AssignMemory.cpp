//===- AssignMemory.cpp - Give every value its bytes ----------------------===//
//
// The step is a straight line of known sizes, so memory is a packing problem:
// each buffer is a rectangle, as wide as its lifetime and as high as its size,
// and rectangles that meet in time must not overlap in space.
//
//   bytes
//     ^   +------+  +---------+        h: written by op 2, last read by op 4
//     |   |  h   |  |   dh    |        dh: may take the bytes of h
//     |   +------+--+---------+
//     |   |        x          |
//     +---+-------------------+---> program order
//
// 1. Insert a `zero.copy` for each operand that cannot share the bytes that its
//    operation ties it to (Lifetimes.cpp finds them).
// 2. Lay out what lives for the whole step: state in argument order, then
//    inputs, scalars and outputs.
// 3. Place temporaries, the largest first, each into the smallest gap that fits
//    among those already placed that are alive with it.  A second order, by
//    size times lifetime, is tried where the first does not reach the lower
//    bound; the smaller arena wins.
//
// Lifetimes follow program order, which is issue order.  Streams run ahead of
// each other, so bytes that are free in program order may still be in use;
// InsertEvents makes the new owner wait.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include <limits>

namespace mlir::zero {
#define GEN_PASS_DEF_ASSIGNMEMORY
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// Every buffer starts at a multiple of this: a cache line, and the widest
/// vector.
static constexpr int64_t kAlignment = 64;
static constexpr unsigned kNumTiers = 3;

static int64_t align(int64_t bytes) { return llvm::alignTo(bytes, kAlignment); }

namespace {

/// A rectangle with a place.
struct Placed {
  int64_t begin, end;
  unsigned birth, death;
};

/// Offsets of one tier's buffers, and the bytes they need.
struct Layout {
  std::vector<int64_t> offsets;
  int64_t size = 0;
};

struct AssignMemory : zero::impl::AssignMemoryBase<AssignMemory> {
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The smallest gap that holds `size` bytes between the placed buffers that are
/// alive with `buffer`; behind all of them if there is none.  `placed` is
/// sorted by offset.
static int64_t findBestFit(ArrayRef<Placed> placed, const Buffer &buffer,
                           int64_t size, int64_t base) {
  int64_t cursor = base, best = -1,
          bestGap = std::numeric_limits<int64_t>::max();
  for (const Placed &other : placed) {
    if (other.death < buffer.birth || buffer.death < other.birth)
      continue;
    int64_t gap = other.begin - cursor;
    if (gap >= size && gap < bestGap) {
      best = cursor;
      bestGap = gap;
    }
    cursor = std::max(cursor, other.end);
  }
  return best < 0 ? cursor : best;
}

/// Places `order` one after the other above `base`, into `layout`.
static void pack(const Storage &storage, ArrayRef<unsigned> order, int64_t base,
                 Layout &layout) {
  std::vector<Placed> placed;
  for (unsigned i : order) {
    const Buffer &buffer = storage.buffers[i];
    int64_t size = align(buffer.size);
    int64_t begin = findBestFit(placed, buffer, size, base);
    Placed mine{begin, begin + size, buffer.birth, buffer.death};
    placed.insert(llvm::upper_bound(placed, mine,
                                    [](const Placed &a, const Placed &b) {
                                      return a.begin < b.begin;
                                    }),
                  mine);
    layout.offsets[i] = begin;
    layout.size = std::max(layout.size, mine.end);
  }
}

/// The layout of one tier.
static Layout layOut(const Storage &storage, Tier tier) {
  Layout pinned{std::vector<int64_t>(storage.buffers.size(), 0)};
  for (Buffer::Kind kind :
       {Buffer::State, Buffer::Input, Buffer::Scalar, Buffer::Output})
    for (auto [i, buffer] : llvm::enumerate(storage.buffers))
      if (buffer.kind == kind && buffer.tier == tier) {
        pinned.offsets[i] = pinned.size;
        pinned.size += align(buffer.size);
      }

  SmallVector<unsigned> order;
  for (auto [i, buffer] : llvm::enumerate(storage.buffers))
    if (buffer.kind == Buffer::Temporary && buffer.tier == tier)
      order.push_back(i);
  auto packBy = [&](auto weight) {
    // Equal buffers keep program order, so that plans are repeatable.
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(-weight(storage.buffers[a]), a) <
             std::pair(-weight(storage.buffers[b]), b);
    });
    Layout layout = pinned;
    pack(storage, order, /*base=*/pinned.size, layout);
    return layout;
  };
  Layout bySize = packBy([](const Buffer &buffer) { return buffer.size; });
  if (bySize.size == align(getLivePeak(storage, tier).bytes))
    return bySize;
  Layout byArea = packBy([](const Buffer &buffer) {
    return static_cast<double>(buffer.size) * (buffer.death - buffer.birth + 1);
  });
  return byArea.size < bySize.size ? byArea : bySize;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The stream on which an operand is copied: its reader's, or for operations
/// that run nowhere that of the operation which made it.
static Attribute getCopyStream(OpOperand &operand) {
  if (!movesNothing(operand.getOwner()))
    return operand.getOwner()->getAttr(kStreamAttr);
  Value value = operand.get();
  while (Operation *op = value.getDefiningOp()) {
    if (!movesNothing(op))
      return op->getAttr(kStreamAttr);
    value = op->getOperand(0);
  }
  return {};
}

static void insertCopy(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  auto copy = CopyOp::create(builder, operand.get().getLoc(), operand.get());
  if (Attribute stream = getCopyStream(operand))
    copy->setAttr(kStreamAttr, stream);
  operand.set(copy.getResult());
}

static void clearBytes(func::FuncOp step) {
  for (Operation &op : step.front())
    op.removeAttr(kBytesAttr);
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    step.removeArgAttr(i, StringAttr::get(step.getContext(), kBytesAttr));
}

static void writeBytes(func::FuncOp step, const Storage &storage,
                       ArrayRef<Layout> layouts) {
  MLIRContext *context = step.getContext();
  auto getBytes = [&](Value value) -> Attribute {
    Place place = storage.places.lookup(value);
    Tier tier = storage.buffers[place.buffer].tier;
    int64_t base = layouts[static_cast<unsigned>(tier)].offsets[place.buffer];
    return BytesAttr::get(context, tier, base + place.offset,
                          getByteSize(value.getType()));
  };
  for (BlockArgument argument : step.getArguments())
    if (storage.places.contains(argument))
      step.setArgAttr(argument.getArgNumber(), kBytesAttr, getBytes(argument));
  for (Operation *op : storage.operations) {
    SmallVector<Attribute> bytes;
    for (Value result : op->getResults())
      if (storage.places.contains(result))
        bytes.push_back(getBytes(result));
    if (!bytes.empty())
      op->setAttr(kBytesAttr, ArrayAttr::get(context, bytes));
  }
}

void AssignMemory::runOnOperation() {
  ModuleOp module = getOperation();
  func::FuncOp step = getStep(module);
  if (!step)
    return signalPassFailure();
  clearBytes(step);

  FailureOr<Storage> storage = analyzeStorage(step);
  if (succeeded(storage) && !storage->copies.empty()) {
    for (OpOperand *operand : storage->copies)
      insertCopy(*operand);
    storage = analyzeStorage(step);
  }
  if (failed(storage))
    return signalPassFailure();
  assert(storage->copies.empty() &&
         "a copy shares its bytes with one operation only");

  SmallVector<Layout> layouts;
  SmallVector<int64_t> arena, peak;
  for (unsigned tier = 0; tier != kNumTiers; ++tier) {
    layouts.push_back(layOut(*storage, static_cast<Tier>(tier)));
    arena.push_back(layouts.back().size);
    peak.push_back(getLivePeak(*storage, static_cast<Tier>(tier)).bytes);
  }
  writeBytes(step, *storage, layouts);
  module->setAttr(kArenaAttr, DenseI64ArrayAttr::get(&getContext(), arena));
  module->setAttr(kLivePeakAttr, DenseI64ArrayAttr::get(&getContext(), peak));
}
