//===- Certificate.cpp - What a plan's memory is used for -----------------===//
//
// Groups the finished plan's values into buffers, finds the program point where
// the most bytes are alive, and counts each buffer that is alive there once:
// state by its slot, buffers that hold a `zero.pack` as gradients, every other
// temporary as activations.  What is left of the arena is unused.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/Certificate.h"

#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PRINTCERTIFICATE
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// Bytes of a flat value of `bucket` that belong to no member, on the rank that
/// has the most of them.
static int64_t getPaddingBytes(BucketOp bucket, Type type) {
  int64_t elements = bucket.getElements(), slice = elements;
  if (auto shard = dyn_cast<ShardType>(type))
    slice = shard.getSliceElements();
  int64_t most = 0;
  for (int64_t begin = 0; begin < elements; begin += slice) {
    int64_t padding = slice;
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
      int64_t from = std::max(begin, member.getOffset());
      int64_t to =
          std::min(begin + slice, member.getOffset() + member.getNumElements());
      padding -= std::max<int64_t>(0, to - from);
    }
    most = std::max(most, padding);
  }
  return most * (getByteSize(type) / slice);
}

/// The most bytes of gradients that are alive at one point, and their padding.
static std::pair<int64_t, int64_t> getMostGradients(const Storage &storage) {
  std::vector<std::pair<int64_t, int64_t>> change(storage.operations.size() +
                                                  2);
  for (const Buffer &buffer : storage.buffers) {
    if (!buffer.gradients)
      continue;
    int64_t padding = 0;
    if (auto pack = buffer.name.getDefiningOp<PackOp>())
      if (auto bucket = SymbolTable::lookupNearestSymbolFrom<BucketOp>(
              pack, pack.getBucketAttr()))
        padding = getPaddingBytes(bucket, pack.getType());
    change[buffer.birth].first += buffer.size;
    change[buffer.birth].second += padding;
    change[buffer.death + 1].first -= buffer.size;
    change[buffer.death + 1].second -= padding;
  }
  std::pair<int64_t, int64_t> live = {0, 0}, most = {0, 0};
  for (auto [bytes, padding] : change) {
    live = {live.first + bytes, live.second + padding};
    most = std::max(most, live);
  }
  return most;
}

static void countState(func::FuncOp step, Certificate &certificate) {
  for (BlockArgument argument : step.getArguments()) {
    auto state =
        step.getArgAttrOfType<StateAttr>(argument.getArgNumber(), kStateAttr);
    if (!state)
      continue;
    bool isParameter = state.getSlot() == "param";
    (isParameter ? certificate.parameters : certificate.optimizerState) +=
        getByteSize(argument.getType());
    auto bucket =
        SymbolTable::lookupNearestSymbolFrom<BucketOp>(step, state.getBucket());
    if (!bucket)
      continue;
    certificate.padding += getPaddingBytes(bucket, argument.getType());
    if (isParameter)
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        certificate.parameterCount += member.getNumElements();
  }
}

Certificate zero::certify(ModuleOp module) {
  Certificate certificate;
  func::FuncOp step = getStep(module);
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  if (!step || !arena || arena.size() != 3)
    return certificate;
  llvm::copy(arena.asArrayRef(), certificate.arena.begin());
  FailureOr<Storage> storage = analyzeStorage(step, /*asAssigned=*/true);
  if (failed(storage))
    return certificate;

  countState(step, certificate);
  LivePeak peak = getLivePeak(*storage, Tier::Device);
  SmallVector<const Buffer *> temporaries;
  for (const Buffer &buffer : storage->buffers) {
    if (buffer.tier != Tier::Device || buffer.birth > peak.point ||
        buffer.death < peak.point)
      continue;
    if (buffer.kind == Buffer::Temporary) {
      (buffer.gradients ? certificate.gradients : certificate.activations) +=
          buffer.size;
      temporaries.push_back(&buffer);
    } else if (buffer.kind != Buffer::State) {
      certificate.io += buffer.size;
    }
  }
  certificate.peak = peak.bytes;
  certificate.unused = certificate.arena[0] - peak.bytes;
  if (peak.point > 0) {
    Operation *op = storage->operations[peak.point - 1];
    certificate.peakAt = op->getNumResults()
                             ? getValueName(op->getResult(0))
                             : op->getName().getStringRef().str();
  }
  // Buffers lie in one vector: among equals the first created comes first.
  llvm::sort(temporaries, [](const Buffer *a, const Buffer *b) {
    return std::pair(-a->size, a) < std::pair(-b->size, b);
  });
  for (const Buffer *buffer : ArrayRef(temporaries).take_front(5))
    certificate.largest.push_back({getValueName(buffer->name), buffer->size});

  auto [gradients, gradientPadding] = getMostGradients(*storage);
  certificate.modelStatePadding = certificate.padding + gradientPadding;
  certificate.modelState = certificate.parameters + certificate.optimizerState +
                           gradients - certificate.modelStatePadding;
  return certificate;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// 1234567 as "1,234,567".
static std::string group(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3;
       i > (digits[0] == '-'); i -= 3)
    digits.insert(i, ",");
  return digits;
}

std::string Certificate::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](StringRef name, int64_t bytes) {
    os << "  " << llvm::left_justify(name, 24)
       << llvm::right_justify(group(bytes), 20) << " B"
       << llvm::format("%12.2f MiB\n", bytes / 1048576.0);
  };
  os << "memory certificate\n";
  line("parameters", parameters);
  line("gradients", gradients);
  line("optimizer state", optimizerState);
  line("activations", activations);
  line("workspace", workspace);
  line("inputs and outputs", io);
  line("unused", unused);
  line("device arena", arena[0]);
  for (auto [tier, name] :
       {std::pair(1, "host arena"), std::pair(2, "nvme arena")})
    if (arena[tier])
      line(name, arena[tier]);
  if (parameterCount)
    os << "  model state: "
       << llvm::format("%.2f", double(modelState) / double(parameterCount))
       << " bytes a parameter + " << group(modelStatePadding)
       << " bytes of padding, " << group(parameterCount) << " parameters\n";
  os << "  peak: " << group(peak) << " bytes live at "
     << (peakAt.empty() ? "the start" : peakAt) << '\n';
  if (!largest.empty())
    os << "  live at the peak:\n";
  for (const Live &live : largest)
    os << "    " << llvm::right_justify(group(live.bytes), 20) << " B  "
       << live.name << '\n';
  for (const std::string &what : outside)
    os << "  outside the arenas: " << what << '\n';
  return text;
}

namespace {
struct PrintCertificate : zero::impl::PrintCertificateBase<PrintCertificate> {
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation())))
      return signalPassFailure();
    llvm::outs() << certify(getOperation()).print();
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace
