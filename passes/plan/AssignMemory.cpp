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
//    size times lifetime, is tried as well; the smaller arena wins.  If it is
//    still larger than what is alive at once, search for a better one
//    (Placement.h).
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
#include "passes/plan/Layouts.h"
#include "passes/plan/Passes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-assign-memory"

namespace mlir::zero {
#define GEN_PASS_DEF_ASSIGNMEMORY
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// The alignment of workspaces that libraries for products require.
static constexpr int64_t kWorkspaceAlignment = 256;

namespace {

struct AssignMemory : zero::impl::AssignMemoryBase<AssignMemory> {
  using AssignMemoryBase::AssignMemoryBase;

  void runOnOperation() override;

private:
  using Sections = SmallVector<std::pair<Section, SmallVector<Layout>>>;
  int64_t placeWorkspace(int64_t end);
  std::optional<int64_t> moveBorder(SmallVectorImpl<Program> &programs,
                                    ArrayRef<Program> apart, Sections &sections,
                                    int64_t size);
};

} // namespace

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The stream that copies an operand: its reader's or, if the reader only names
/// bytes, that of the operation that made the operand.  A transfer's stream
/// computes nothing, so what was brought from another tier is copied on the
/// compute stream.
static Attribute getCopyStream(OpOperand &operand) {
  if (!movesNothing(operand.getOwner()))
    return operand.getOwner()->getAttr(kStreamAttr);
  Value value = operand.get();
  while (Operation *op = value.getDefiningOp()) {
    if (!movesNothing(op))
      return crossesTiers(op) ? Attribute() : op->getAttr(kStreamAttr);
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

/// If the device's `size` bytes are many more than are alive at once, looks for
/// a lower place of the exported bytes, with the private buffers laid out
/// across their border.  `apart` are the programs before buffers filled gaps.
/// Changes programs and sections, and returns the border, if there is one.
std::optional<int64_t>
AssignMemory::moveBorder(SmallVectorImpl<Program> &programs,
                         ArrayRef<Program> apart, Sections &sections,
                         int64_t size) {
  constexpr int64_t kTries = 3;
  SmallVector<Layout> pinned = pin(apart, {Tier::Device, false}),
                      exported = sections[0].second;
  int64_t begin = 0, least = 0, exportedSize = 0;
  for (const Layout &layout : pinned)
    begin = std::max(begin, layout.pinned);
  for (const Layout &layout : exported)
    exportedSize = std::max(exportedSize, layout.size);
  begin = placeWorkspace(begin);
  for (auto [program, layout, gathered] : llvm::zip(apart, pinned, exported)) {
    layout.pinned = begin;
    least = std::max(least,
                     getLeastBytes(program.storage, begin + gathered.pinned));
  }
  least = std::max(allowWaste(least), begin + exportedSize);
  for (int64_t i = 0; i != kTries; ++i) {
    const int64_t border = llvm::alignTo(
        least + i * (size - least) / kTries - exportedSize, kPage);
    if (border + exportedSize >= size)
      break;
    SmallVector<Layout> layouts;
    for (auto [program, layout, gathered] : llvm::zip(apart, pinned, exported))
      if (auto offsets = layOutAcross(program.storage, layout, gathered,
                                      exportedSize, border + exportedSize)) {
        layouts.push_back(layout);
        layouts.back().offsets = std::move(*offsets);
      }
    if (layouts.size() != programs.size())
      continue;
    programs.assign(apart.begin(), apart.end());
    // Their offsets are from the begin of the device's bytes.
    sections[0].second = sections[1].second = std::move(layouts);
    return border;
  }
  int64_t end = 0;
  for (const Layout &layout : sections[1].second)
    end = std::max(end, layout.size);
  placeWorkspace(end); // as it was
  return std::nullopt;
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
  Sections sections;
  SmallVector<int64_t> begins, sizes;
  const SmallVector<Program> apart = programs;
  for (Section section :
       {Section{Tier::Device, true}, Section{Tier::Device, false},
        Section{Tier::Host, false}, Section{Tier::Nvme, false}}) {
    SmallVector<Layout> layouts = pin(programs, section);
    int64_t &size = sizes.emplace_back(0);
    for (auto [program, layout] : llvm::zip(programs, layouts)) {
      layout = layOut(program.storage, section, layout);
      size = std::max(size, layout.size);
    }
    begins.push_back(0);
    sections.emplace_back(section, std::move(layouts));
    if (section.exported)
      for (auto [program, layout] : llvm::zip(programs, sections[0].second))
        fillGaps(program.storage, layout, size);
    LDBG() << stringifyTier(section.tier)
           << (section.exported ? ", read by peers: " : ": ") << size
           << " bytes";
    if (section.tier != Tier::Device)
      arena[static_cast<unsigned>(section.tier)] = size;
  }
  // Exported bytes come after the others, in separate pages.
  int64_t &device = arena[static_cast<unsigned>(Tier::Device)];
  device = placeWorkspace(sizes[1]);
  int64_t exported = device;
  if (sizes[0] > 0) {
    exported = begins[0] = llvm::alignTo(device, kPage);
    device = exported + sizes[0];
    if (auto border = moveBorder(programs, apart, sections, device)) {
      device = (exported = *border) + sizes[0];
      begins[0] = 0;
    }
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
