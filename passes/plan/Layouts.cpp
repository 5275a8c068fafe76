//===- Layouts.cpp - Offsets of the buffers of programs -------------------===//

#include "passes/plan/Layouts.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "passes/plan/Placement.h"

using namespace mlir;
using namespace mlir::zero;

/// Every buffer starts at a multiple of this: a cache line, and the widest
/// vector.
static constexpr int64_t kAlignment = 64;

int64_t zero::alignedSize(const Buffer &buffer) {
  return llvm::alignTo(buffer.size,
                       buffer.tier == Tier::Device ? kAlignment : kPage);
}

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

SmallVector<Layout> zero::pin(ArrayRef<Program> programs, Section section) {
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
        bytes = alignedSize(buffer);
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
        size += alignedSize(buffer);
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
      layout.size = layout.pinned += alignedSize(buffer);
    }
  }
  return layouts;
}

static int64_t sizeOf(const Buffer &buffer) { return buffer.size; }
static double areaOf(const Buffer &buffer) {
  return static_cast<double>(buffer.size) * (buffer.death - buffer.birth + 1);
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

static std::vector<BufferShape> getShapes(const Storage &storage,
                                          ArrayRef<unsigned> buffers) {
  std::vector<BufferShape> shapes;
  for (unsigned i : buffers)
    shapes.push_back({storage.buffers[i].birth, storage.buffers[i].death,
                      alignedSize(storage.buffers[i])});
  return shapes;
}

Layout zero::layOut(const Storage &storage, Section section,
                    const Layout &pinned) {
  constexpr size_t kMostSearched = 1024;
  constexpr int64_t kMostNodes = 50'000;
  Layout bySize = pinned, byArea = pinned;
  const SmallVector<unsigned> order = orderBy(sizeOf, storage, section);
  pack(storage, order, bySize, std::numeric_limits<int64_t>::max());
  pack(storage, orderBy(areaOf, storage, section), byArea, bySize.size);
  Layout best =
      byArea.size < bySize.size ? std::move(byArea) : std::move(bySize);
  const std::vector<BufferShape> shapes = getShapes(storage, order);
  const int64_t limit = allowWaste(pinned.pinned + getLeastHeight(shapes));
  if (best.size <= limit || order.size() > kMostSearched)
    return best;
  auto offsets = packInto(shapes, limit - pinned.pinned, kMostNodes);
  if (!offsets)
    return best;
  Layout better = pinned;
  for (auto [i, offset] : llvm::zip_equal(order, *offsets))
    better.place(i, storage.buffers[i], pinned.pinned + offset);
  return better;
}

void zero::fillGaps(Storage &storage, Layout &layout, int64_t limit) {
  Section device{Tier::Device, /*exported=*/false};
  for (unsigned i : orderBy(sizeOf, storage, device)) {
    Buffer &buffer = storage.buffers[i];
    int64_t begin = layout.findPlace(buffer);
    if (begin + alignedSize(buffer) > limit)
      continue;
    layout.place(i, buffer, begin);
    buffer.exported = true;
  }
}

int64_t zero::getLeastBytes(const Storage &storage, int64_t pinned) {
  SmallVector<unsigned> buffers =
      orderBy(sizeOf, storage, {Tier::Device, true});
  buffers.append(orderBy(sizeOf, storage, {Tier::Device, false}));
  return pinned + getLeastHeight(getShapes(storage, buffers));
}

/// Places each of `shapes` into the smallest gap, in one of some orders: around
/// the low ones, whose offsets are `low` and which come first, or all together.
static std::optional<std::vector<int64_t>>
packInOrder(ArrayRef<BufferShape> shapes, ArrayRef<int64_t> low, int64_t height,
            int64_t limit) {
  unsigned points = 0;
  for (const BufferShape &shape : shapes)
    points = std::max(points, shape.death);
  auto tryOrder = [&](bool lowFirst,
                      auto weight) -> std::optional<std::vector<int64_t>> {
    const size_t known = lowFirst ? low.size() : 0;
    auto order = llvm::to_vector(llvm::seq<unsigned>(known, shapes.size()));
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return weight(shapes[a]) > weight(shapes[b]);
    });
    Occupancy taken(points);
    std::vector<int64_t> offsets(low.begin(), low.begin() + known);
    offsets.resize(shapes.size());
    for (size_t i = 0; i != known; ++i)
      taken.take(shapes[i].birth, shapes[i].death, low[i],
                 low[i] + shapes[i].size);
    for (unsigned i : order) {
      const auto &[birth, death, size, isLow] = shapes[i];
      offsets[i] = taken.findBestFit(birth, death, size, 0);
      if (offsets[i] + size > (isLow ? limit : height))
        return std::nullopt;
      taken.take(birth, death, offsets[i], offsets[i] + size);
    }
    return offsets;
  };
  auto length = [](const BufferShape &shape) {
    return shape.death - shape.birth + 1;
  };
  for (bool lowFirst : {true, false}) {
    if (auto found = tryOrder(lowFirst, [&](const BufferShape &shape) {
          return double(shape.size) * length(shape);
        }))
      return found;
    // What lives long is in the way of all others.
    for (unsigned part : {1, 2, 4, 8})
      if (auto found = tryOrder(lowFirst, [&](const BufferShape &shape) {
            return std::pair(length(shape) > points / part, shape.size);
          }))
        return found;
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>>
zero::layOutAcross(const Storage &storage, const Layout &pinned,
                   const Layout &exported, int64_t exportedSize, int64_t size) {
  constexpr size_t kMostSearched = 1024;
  constexpr int64_t kMostNodes = 20'000;
  SmallVector<unsigned> order = orderBy(sizeOf, storage, {Tier::Device, true});
  const size_t numExported = order.size();
  order.append(orderBy(sizeOf, storage, {Tier::Device, false}));
  // From the end, where exported buffers are, to the begin.
  std::vector<BufferShape> shapes = getShapes(storage, order);
  for (size_t i = 0; i != numExported; ++i)
    shapes[i].isLow = true;
  const int64_t end = size - exported.pinned, height = end - pinned.pinned,
                limit = exportedSize - exported.pinned;
  std::vector<int64_t> low;
  for (unsigned i : ArrayRef(order).take_front(numExported))
    low.push_back(exported.offsets[i] - exported.pinned);
  auto turned = packInOrder(shapes, low, height, limit);
  if (!turned && order.size() <= kMostSearched)
    turned = packInto(shapes, height, kMostNodes, limit);
  if (!turned)
    return std::nullopt;
  std::vector<int64_t> offsets = pinned.offsets;
  for (auto [i, buffer] : llvm::enumerate(storage.buffers))
    if (buffer.role != Buffer::Temporary && buffer.exported &&
        buffer.tier == Tier::Device)
      offsets[i] = size - exported.offsets[i] - alignedSize(buffer);
  for (auto [i, shape, offset] : llvm::zip_equal(order, shapes, *turned))
    offsets[i] = end - offset - shape.size;
  return offsets;
}
