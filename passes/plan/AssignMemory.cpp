//===- AssignMemory.cpp - Assigns bytes to every value --------------------===//
//
// The step is a straight line of known sizes, so memory is a packing problem:
// each buffer is a rectangle, as wide as its lifetime and as high as its size,
// and rectangles that overlap in time must not overlap in space.
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
// 2. Lay out the buffers that live for the whole step: state in argument order,
//    then inputs, scalars and outputs.
// 3. Place temporaries, the largest first, each into the smallest gap that fits
//    among the placed ones that are alive at the same time.  A second order, by
//    size times lifetime, is tried as well; the smaller arena wins.
//
// The programs of a step share one arena: state, inputs, scalars and outputs
// have the same bytes in all of them, and the temporaries of different programs
// overlay each other.  Caches lie before the temporaries of the programs that
// take them, in the same bytes in both.  Buffers that peers read lie at the end
// of the device arena; other temporaries may lie in gaps there.  Before them
// lies the workspace that all products on the device share:
//
//   0            workspace   exported                end
//   +------------+-----------+-----------------------+
//   | private    | of        | state and buffers     |
//   |            | products  | that collectives read |
//   +------------+-----------+-----------------------+
//
// Lifetimes follow program order, which is issue order.  Streams run ahead of
// each other, so bytes that are free in program order may still be in use;
// InsertEvents makes the new owner wait.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "mlir/IR/Builders.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Occupancy.h"
#include "passes/plan/Passes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-assign-memory"

namespace mlir::zero {
#define GEN_PASS_DEF_ASSIGNMEMORY
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// Every buffer starts at a multiple of this: a cache line, and the widest
/// vector.
static constexpr int64_t kAlignment = 64;
/// Exported bytes are mapped separately.  On NVMe no block holds two buffers,
/// and host buffers are copied from and to such blocks.
static constexpr int64_t kPage = 4096;
/// The alignment of workspaces that libraries for products require.
static constexpr int64_t kWorkspaceAlignment = 256;

static int64_t align(const Buffer &buffer) {
  return llvm::alignTo(buffer.size,
                       buffer.tier == Tier::Device ? kAlignment : kPage);
}

namespace {

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
    return temporaries.findBestFit(buffer.birth, buffer.death, align(buffer),
                                   pinned);
  }
  void place(unsigned index, const Buffer &buffer, int64_t begin) {
    int64_t end = begin + align(buffer);
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

struct AssignMemory : zero::impl::AssignMemoryBase<AssignMemory> {
  using AssignMemoryBase::AssignMemoryBase;

  void runOnOperation() override;

private:
  int64_t placeWorkspace(int64_t end);
};

} // namespace

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Places the buffers in `order` above the pinned ones; stops when the layout
/// reaches `limit` bytes.
static void pack(const Storage &storage, ArrayRef<unsigned> order,
                 Layout &layout, int64_t limit) {
  for (unsigned i : order) {
    if (layout.size >= limit)
      return;
    const Buffer &buffer = storage.buffers[i];
    layout.place(i, buffer, layout.findPlace(buffer));
  }
}

/// The name of an output; outputs without a name (in hand-written plans) get
/// one from their program and value.
static std::string getOutputName(ProgramOp function, const Buffer &buffer) {
  for (OpOperand &operand : function.front().getTerminator()->getOpOperands())
    if (operand.get() == buffer.name)
      if (std::string key = getOutputKey(function, operand.getOperandNumber());
          !key.empty())
        return key;
  std::string text;
  llvm::raw_string_ostream(text) << function.getName() << buffer.name.getImpl();
  return text;
}

/// Gives buffers that outlive a program the same bytes in all programs:
/// arguments by position, outputs by name.  Returns one layout per program.
static SmallVector<Layout> pin(ArrayRef<Program> programs, Section section) {
  SmallVector<Layout> layouts;
  for (const Program &program : programs)
    layouts.emplace_back(program.storage);
  int64_t size = 0;
  ProgramOp first = programs.front().function;
  for (Buffer::Role role : {Buffer::State, Buffer::Input, Buffer::Scalar})
    for (BlockArgument argument : first.getArguments()) {
      int64_t bytes = 0;
      for (auto [program, layout] : llvm::zip(programs, layouts)) {
        Value mine = program.function.getArgument(argument.getArgNumber());
        auto place = program.storage.places.find(mine);
        if (place == program.storage.places.end())
          continue;
        const Buffer &buffer = program.storage.buffers[place->second.buffer];
        if (buffer.role != role || !section.holds(buffer))
          continue;
        layout.offsets[place->second.buffer] = size;
        bytes = align(buffer);
      }
      size += bytes;
    }
  llvm::StringMap<int64_t> outputs;
  for (auto [program, layout] : llvm::zip(programs, layouts))
    for (auto [i, buffer] : llvm::enumerate(program.storage.buffers)) {
      if (buffer.role != Buffer::Output || !section.holds(buffer))
        continue;
      auto [known, isNew] =
          outputs.try_emplace(getOutputName(program.function, buffer), size);
      if (isNew)
        size += align(buffer);
      layout.offsets[i] = known->second;
    }
  for (auto [program, layout] : llvm::zip(programs, layouts)) {
    layout.size = layout.pinned = size;
    for (const NextCache &cache : findNextCaches(program.function)) {
      const unsigned place =
          program.storage.places.lookup(cache.argument).buffer;
      const Buffer &buffer = program.storage.buffers[place];
      if (!section.holds(buffer))
        continue;
      layout.offsets[place] = layout.pinned;
      layout.size = layout.pinned += align(buffer);
    }
  }
  return layouts;
}

/// The temporaries of a section, the one of the largest weight first.  Equal
/// ones keep program order, so that plans are repeatable.
template <typename Weight>
static SmallVector<unsigned> orderBy(Weight weight, const Storage &storage,
                                     Section section) {
  SmallVector<unsigned> order;
  for (auto [i, buffer] : llvm::enumerate(storage.buffers))
    if (buffer.role == Buffer::Temporary && section.holds(buffer))
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return weight(storage.buffers[a]) > weight(storage.buffers[b]);
  });
  return order;
}

static int64_t sizeOf(const Buffer &buffer) { return buffer.size; }
static double areaOf(const Buffer &buffer) {
  return static_cast<double>(buffer.size) * (buffer.death - buffer.birth + 1);
}

/// Lays out the temporaries of one program above the pinned buffers.
static Layout layOut(const Storage &storage, Section section,
                     const Layout &pinned) {
  Layout bySize = pinned, byArea = pinned;
  pack(storage, orderBy(sizeOf, storage, section), bySize,
       std::numeric_limits<int64_t>::max());
  pack(storage, orderBy(areaOf, storage, section), byArea, bySize.size);
  return byArea.size < bySize.size ? std::move(byArea) : std::move(bySize);
}

/// Moves private temporaries into the exported section wherever they fit below
/// `limit`, the largest first; the buffers that peers read leave gaps there.
static void fillGaps(Storage &storage, Layout &layout, int64_t limit) {
  Section device{Tier::Device, /*exported=*/false};
  for (unsigned i : orderBy(sizeOf, storage, device)) {
    Buffer &buffer = storage.buffers[i];
    int64_t begin = layout.findPlace(buffer);
    if (begin + align(buffer) > limit)
      continue;
    layout.place(i, buffer, begin);
    buffer.exported = true;
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The stream that copies an operand: its reader's or, if the reader only names
/// bytes, that of the operation that made the operand.
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

/// Gives each argument the bytes that `getBytes` returns, or none.  Sets all of
/// them together, because the attributes of a function are one array.
static void
setArgumentBytes(ProgramOp function,
                 llvm::function_ref<Attribute(BlockArgument)> getBytes) {
  SmallVector<DictionaryAttr> attrs;
  for (BlockArgument argument : function.getArguments()) {
    NamedAttrList mine(function.getArgAttrDict(argument.getArgNumber()));
    mine.erase(kBytesAttr);
    if (Attribute bytes = getBytes(argument))
      mine.set(kBytesAttr, bytes);
    attrs.push_back(mine.getDictionary(function.getContext()));
  }
  function.setAllArgAttrs(attrs);
}

static void clearBytes(ProgramOp step) {
  for (Operation &op : step.front())
    op.removeAttr(kBytesAttr);
  setArgumentBytes(step, [](BlockArgument) { return Attribute(); });
}

static void writeBytes(const Program &program,
                       llvm::function_ref<int64_t(unsigned)> getOffset) {
  ProgramOp function = program.function;
  const Storage &storage = program.storage;
  MLIRContext *context = function.getContext();
  auto getBytes = [&](Value value) -> Attribute {
    Place place = storage.places.lookup(value);
    return BytesAttr::get(context, storage.buffers[place.buffer].tier,
                          getOffset(place.buffer) + place.offset,
                          getByteSize(value.getType()));
  };
  setArgumentBytes(function, [&](BlockArgument argument) {
    return storage.places.contains(argument) ? getBytes(argument) : Attribute();
  });
  for (Operation *op : storage.operations) {
    SmallVector<Attribute> bytes;
    for (Value result : op->getResults())
      if (storage.places.contains(result))
        bytes.push_back(getBytes(result));
    if (!bytes.empty())
      op->setAttr(kBytesAttr, ArrayAttr::get(context, bytes));
  }
}

/// The buffers of `function`, with a copy wherever values cannot share bytes.
static FailureOr<Storage> prepare(ProgramOp function) {
  clearBytes(function);
  FailureOr<Storage> storage = analyzeStorage(function);
  if (succeeded(storage) && !storage->copies.empty()) {
    for (OpOperand *operand : storage->copies)
      insertCopy(*operand);
    storage = analyzeStorage(function);
  }
  if (succeeded(storage) && !storage->copies.empty())
    return storage->copies.front()->getOwner()->emitOpError(
        "needs copies of copies; this is a mistake of zero-assign-memory");
  return storage;
}

/// An argument that peers read in one program is exported in all.
static void agreeOnExports(MutableArrayRef<Program> programs) {
  for (BlockArgument argument : programs.front().function.getArguments()) {
    bool exported = false;
    auto visit = [&](auto action) {
      for (Program &program : programs) {
        Value mine = program.function.getArgument(argument.getArgNumber());
        auto place = program.storage.places.find(mine);
        if (place != program.storage.places.end())
          action(program.storage.buffers[place->second.buffer]);
      }
    };
    visit([&](Buffer &buffer) { exported |= buffer.exported; });
    visit([&](Buffer &buffer) { buffer.exported = exported; });
  }
}

/// Places the workspace of products after `end`, where the other private bytes
/// end; returns the end of the workspace.
int64_t AssignMemory::placeWorkspace(int64_t end) {
  ModuleOp module = getOperation();
  module->removeAttr(kWorkspaceAttr);
  const int64_t workspace = getWorkspace(module);
  if (workspace == 0)
    return end;
  const auto begin =
      static_cast<int64_t>(llvm::alignTo(end, kWorkspaceAlignment));
  module->setAttr(kWorkspaceAttr, BytesAttr::get(&getContext(), Tier::Device,
                                                 begin, workspace));
  return begin + workspace;
}

void AssignMemory::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<Program> programs;
  for (ProgramOp function : getPrograms(module)) {
    FailureOr<Storage> storage = prepare(function);
    if (failed(storage))
      return signalPassFailure();
    programs.push_back({function, std::move(*storage)});
  }
  if (programs.empty())
    return signalPassFailure();
  agreeOnExports(programs);

  // Exported buffers first, since the others fill their gaps.
  SmallVector<int64_t> arena(kNumTiers), peak(kNumTiers);
  SmallVector<std::pair<Section, SmallVector<Layout>>> sections;
  SmallVector<int64_t> begins, sizes;
  for (Section section :
       {Section{Tier::Device, true}, Section{Tier::Device, false},
        Section{Tier::Host, false}, Section{Tier::Nvme, false}}) {
    SmallVector<Layout> layouts = pin(programs, section);
    int64_t &size = sizes.emplace_back(0);
    for (auto [program, layout] : llvm::zip(programs, layouts)) {
      layout = layOut(program.storage, section, layout);
      size = std::max(size, layout.size);
    }
    if (section.exported)
      for (auto [program, layout] : llvm::zip(programs, layouts))
        fillGaps(program.storage, layout, size);
    LDBG() << stringifyTier(section.tier)
           << (section.exported ? ", read by peers: " : ": ") << size
           << " bytes";
    arena[static_cast<unsigned>(section.tier)] += size;
    begins.push_back(0);
    sections.emplace_back(section, std::move(layouts));
  }
  // ... and after the others, in separate pages.
  int64_t &device = arena[static_cast<unsigned>(Tier::Device)];
  const int64_t end = placeWorkspace(sizes[1]);
  device += end - sizes[1];
  int64_t exported = device;
  if (sizes[0] > 0) {
    exported = llvm::alignTo(end, kPage);
    begins[0] = exported;
    device = exported + sizes[0];
  }
  for (auto [p, program] : llvm::enumerate(programs)) {
    writeBytes(program, [&, p = p](unsigned buffer) {
      for (auto [section, begin] : llvm::zip(sections, begins))
        if (section.first.holds(programs[p].storage.buffers[buffer]))
          return begin + section.second[p].offsets[buffer];
      llvm_unreachable("every buffer has a section");
    });
    for (unsigned tier = 0; tier != kNumTiers; ++tier)
      peak[tier] =
          std::max(peak[tier],
                   getLivePeak(program.storage, static_cast<Tier>(tier)).bytes);
  }
  Builder attrs(&getContext());
  module->setAttr(kArenaAttr, attrs.getDenseI64ArrayAttr(arena));
  module->setAttr(kExportedAttr, attrs.getI64IntegerAttr(exported));
  module->setAttr(kLivePeakAttr, attrs.getDenseI64ArrayAttr(peak));
}
