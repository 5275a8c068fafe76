//===- Certificate.cpp - Memory use and traffic of a plan -----------------===//
//
// Groups the finished plan's values into buffers, finds the program point where
// the most bytes are alive, and counts each buffer that is alive there once:
// state by its slot, temporaries by their use (Buffer::Use).  The rest of the
// arena is unused.
//
//===----------------------------------------------------------------------===//

#include "passes/certify/Certificate.h"

#include "dialect/zero/Cost.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "passes/certify/Passes.h"
#include "passes/plan/Lifetimes.h"
#include "passes/verify/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PRINTCERTIFICATE
#include "passes/certify/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// A program, its buffers, and where most of their bytes are alive, by tier.
struct CertifiedProgram {
  ProgramOp function;
  int64_t runs; ///< in a step
  Storage storage;
  std::array<LivePeak, kNumTiers> peaks;
};

/// Bytes of all members of `bucket`, in elements as wide as those of `type`.
int64_t getMemberBytes(BucketOp bucket, Type type) {
  auto shard = dyn_cast<ShardType>(type);
  int64_t held = shard ? shard.getSliceElements()
                       : cast<RankedTensorType>(type).getNumElements();
  return (static_cast<int64_t>(bucket.getElements()) - bucket.getPadding()) *
         (getByteSize(type) / held);
}

/// The bucket that a gradient's buffer belongs to.
BucketOp getBucket(Value value) {
  Operation *def = value.getDefiningOp();
  auto name = def ? getBucketRef(def) : FlatSymbolRefAttr();
  return name ? SymbolTable::lookupNearestSymbolFrom<BucketOp>(def, name)
              : BucketOp();
}

/// The field of `term` that counts the bytes of values of `type`: whole,
/// sharded or grouped.
int64_t &termOf(Certificate::Term &term, Type type) {
  switch (getTypeExtent(type, /*ofBucket=*/true)) {
  case Extent::Slice:
    return term.sharded;
  case Extent::Part:
    return term.grouped;
  default:
    return term.whole;
  }
}

/// The most bytes of gradients that are alive at one point.
Certificate::Term getPeakGradients(const CertifiedProgram &program) {
  struct Change : Certificate::Term {
    void add(const Change &other, int64_t sign = 1) {
      for (auto of :
           {&Term::held, &Term::whole, &Term::sharded, &Term::grouped})
        this->*of += sign * other.*of;
    }
  };
  std::vector<Change> changes(program.storage.operations.size() + 2);
  for (const Buffer &buffer : program.storage.buffers) {
    if (buffer.role != Buffer::Temporary || buffer.use != BytesUse::Gradients)
      continue;
    BucketOp bucket = getBucket(buffer.name);
    Type type = buffer.name.getType();
    int64_t members = bucket ? getMemberBytes(bucket, type) : buffer.size;
    Change change;
    change.held = buffer.size;
    termOf(change, type) = members;
    changes[buffer.birth].add(change);
    changes[buffer.death + 1].add(change, -1);
  }
  Certificate::Term most{"gradients"};
  Change live;
  for (const Change &change : changes) {
    live.add(change);
    if (live.held > most.held)
      most = {"gradients", live.held, live.whole, live.sharded, live.grouped};
  }
  return most;
}

void countState(ProgramOp step, Certificate &certificate) {
  struct Kind {
    Certificate::Term term;
    int64_t Certificate::Arena::*inArena;
  };
  using Arena = Certificate::Arena;
  Kind parameters{{"parameters"}, &Arena::parameters},
      masters{{"master parameters"}, &Arena::masters},
      gradients{{"gradients"}, &Arena::gradients},
      optimizer{{"optimizer state"}, &Arena::optimizerState};
  for (auto &[argument, state, next] : findNextStates(step)) {
    StringRef slot = state.getSlot();
    Kind &kind = slot == "param"    ? parameters
                 : slot == "master" ? masters
                 : isSumSlot(slot)  ? gradients
                                    : optimizer;
    Type type = argument.getType();
    int64_t held = getByteSize(type);
    kind.term.held += held;
    certificate.arenas[static_cast<unsigned>(getTier(type))].*kind.inArena +=
        held;
    auto bucket =
        SymbolTable::lookupNearestSymbolFrom<BucketOp>(step, state.getBucket());
    termOf(kind.term, type) += bucket ? getMemberBytes(bucket, type) : held;
    if (slot == "param" && bucket)
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        certificate.parameterCount += member.getNumElements();
  }
  certificate.modelState = {parameters.term, gradients.term, optimizer.term};
  if (masters.term.held)
    certificate.modelState.push_back(masters.term);
}

/// Counts the bytes of a checkpoint: masters instead of the parameters that are
/// rounded from them, the optimizer's state, and pending gradients if updates
/// are delayed.  State that all ranks hold is divided among them.
Certificate::Checkpoint countCheckpoint(ProgramOp step,
                                        const Certificate &certificate,
                                        bool withFrozen) {
  Certificate::Checkpoint checkpoint;
  std::array<int64_t, kNumTiers> own = {}, shared = {};
  llvm::SmallDenseSet<Attribute> withMaster;
  SmallVector<NextState> states = findNextStates(step);
  for (auto &[argument, state, next] : states)
    if (state.getSlot() == "master")
      withMaster.insert(state.getBucket());
  for (auto &[argument, state, next] : states) {
    if ((state.getSlot() == "param" &&
         withMaster.contains(state.getBucket())) ||
        (isSumSlot(state.getSlot()) &&
         !isDelayed(step->getParentOfType<ModuleOp>())))
      continue;
    auto bucket =
        SymbolTable::lookupNearestSymbolFrom<BucketOp>(step, state.getBucket());
    if (!withFrozen && bucket && bucket.getFrozen())
      continue;
    unsigned tier = static_cast<unsigned>(getTier(argument.getType()));
    const int64_t bytes = getByteSize(argument.getType());
    switch (getTypeExtent(argument.getType(), /*ofBucket=*/true)) {
    case Extent::Slice:
      own[tier] += bytes;
      break;
    case Extent::Part: // a rank writes its slice of it
      own[tier] += bytes * certificate.group / certificate.ranks;
      break;
    default:
      shared[tier] += bytes;
    }
  }
  for (auto [tier, bytes] : llvm::enumerate(own)) {
    // A share ends at an element boundary.
    int64_t all = bytes + llvm::divideCeil(shared[tier], certificate.ranks) +
                  (shared[tier] ? sizeof(double) : 0);
    (static_cast<Tier>(tier) == Tier::Nvme ? checkpoint.onNvme
                                           : checkpoint.inMemory) += all;
  }
  return checkpoint;
}

void countWire(ArrayRef<CertifiedProgram> programs, Certificate &certificate) {
  SmallVector<Certificate::Wire> wires;
  SmallVector<size_t> firstOf; // by kind
  for (const CollectiveFacts &kind : kCollectives) {
    firstOf.push_back(wires.size());
    if (certificate.group && kind.ofBucket)
      for (Over over : {Over::Members, Over::Groups})
        wires.push_back(
            {std::string(kind.name) + " over " + stringifyOver(over).str()});
    else
      wires.push_back({kind.name});
  }
  SymbolTableCollection symbols;
  for (const CertifiedProgram &program : programs) {
    for (Operation *op : program.storage.operations) {
      auto collective = dyn_cast<CollectiveOpInterface>(op);
      if (!collective)
        continue;
      auto &wire = wires[firstOf[static_cast<size_t>(collective.getKind())] +
                         (collective.getRanksOver() == Over::Groups ? 1 : 0)];
      wire.calls += program.runs;
      wire.bytes += program.runs * getCost(op, symbols).wire;
    }
  }
  // Only ranks that share sequences have these.
  if (certificate.context == 1)
    wires.erase(wires.begin() +
                firstOf[static_cast<size_t>(CollectiveKind::AllToAll)]);
  certificate.wire = wires;
}

void countLinks(ArrayRef<CertifiedProgram> programs, Certificate &certificate) {
  for (Stream stream :
       {Stream::H2D, Stream::D2H, Stream::NvmeRead, Stream::NvmeWrite}) {
    int64_t bytes = 0;
    for (const CertifiedProgram &program : programs)
      for (Operation *op : program.storage.operations)
        if (crossesTiers(op) && getStream(op) == stream)
          bytes += program.runs * bytesOf(op->getOperand(0)).getSize();
    certificate.links.push_back({stringifyStream(stream), bytes});
  }
}

/// "@b2 (h.0.attn.weight and 11 more)"
std::string describeBucket(BucketOp bucket) {
  auto members = bucket.getMembers().getAsRange<MemberAttr>();
  std::string text = ("@" + bucket.getSymName()).str();
  if (members.empty())
    return text;
  text += " (" + (*members.begin()).getName().str();
  if (size_t more = bucket.getMembers().size() - 1)
    text += " and " + std::to_string(more) + " more";
  return text + ")";
}

void countPeak(const CertifiedProgram &program, Tier tier,
               Certificate::Arena &arena) {
  const LivePeak &peak = program.peaks[static_cast<unsigned>(tier)];
  SmallVector<const Buffer *> temporaries;
  for (const Buffer &buffer : program.storage.buffers) {
    if (buffer.tier != tier || buffer.birth > peak.point ||
        buffer.death < peak.point)
      continue;
    if (buffer.role == Buffer::Temporary) {
      (buffer.use == BytesUse::Gradients       ? arena.gradients
       : buffer.use == BytesUse::Communication ? arena.communication
                                               : arena.activations) +=
          buffer.size;
      temporaries.push_back(&buffer);
    } else if (buffer.role == Buffer::Cache) {
      arena.caches += buffer.size;
    } else if (buffer.role != Buffer::State) {
      arena.io += buffer.size;
    }
  }
  arena.peak = peak.bytes;
  arena.unused = arena.size - peak.bytes - arena.workspace;
  if (peak.point > 0) {
    Operation *op = program.storage.operations[peak.point - 1];
    arena.peakAt = op->getNumResults() ? getValueName(op->getResult(0))
                                       : op->getName().getStringRef().str();
  }
  // Buffers lie in one vector: among equals the first created comes first.
  llvm::sort(temporaries, [](const Buffer *a, const Buffer *b) {
    return std::pair(-a->size, a) < std::pair(-b->size, b);
  });
  for (const Buffer *buffer : ArrayRef(temporaries).take_front(5))
    arena.largest.push_back({getValueName(buffer->name), buffer->size});
  for (const Buffer *buffer : temporaries)
    if (isa_and_present<AllGatherOp, DequantizeOp>(
            buffer->name.getDefiningOp()))
      if (BucketOp bucket = getBucket(buffer->name))
        arena.gathered.push_back({describeBucket(bucket), buffer->size});
}

} // namespace

/// The floating-point operations of products and attention in `part`.  `once`
/// leaves out the scores of attention that the backward pass recomputes.
static int64_t countMatmulFlops(Operation *part, bool once,
                                SymbolTableCollection &symbols) {
  int64_t flops = 0;
  part->walk([&](Operation *op) {
    if (auto launch = dyn_cast<LaunchOp>(op))
      if (auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
              launch, launch.getKernelAttr()))
        flops += countMatmulFlops(kernel, once, symbols);
    StringRef name = op->getName().getStringRef();
    if (!name.starts_with("nn.matmul") && !name.starts_with("nn.grouped") &&
        !name.starts_with("nn.attention") &&
        !name.starts_with("nn.library_attention") &&
        !name.starts_with("nn.cached_attention"))
      return;
    int64_t some = countFlops(op, symbols);
    // The recomputed scores are one of five products.
    const bool recomputes = name == "nn.attention_backward" ||
                            name == "nn.library_attention_backward";
    flops += once && recomputes ? some / 5 * 4 : some;
  });
  return flops;
}

static Certificate::Flops countFlopsOfStep(ModuleOp module,
                                           ArrayRef<CertifiedProgram> programs,
                                           const Certificate &certificate) {
  Certificate::Flops flops;
  SymbolTableCollection symbols;
  for (const CertifiedProgram &program : programs)
    if (StringRef name = ProgramOp(program.function).getName();
        name == "step" || name == "micro")
      flops.executed +=
          program.runs *
          countMatmulFlops(program.function, /*once=*/false, symbols);
  if (ModuleOp model = findModel(module))
    if (Operation *step = model.lookupSymbol("step"))
      flops.model = certificate.microSteps *
                    countMatmulFlops(step, /*once=*/true, symbols);
  return flops;
}

Certificate zero::certify(ModuleOp module) {
  Certificate certificate;
  certificate.microSteps = getMicroSteps(module);
  certificate.isLayered = isLayered(module);
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  SmallVector<CertifiedProgram> programs;
  for (ProgramOp function : getPrograms(module)) {
    FailureOr<Storage> storage = analyzeStorage(function, /*asAssigned=*/true);
    if (failed(storage))
      return certificate;
    std::array<LivePeak, kNumTiers> peaks;
    for (unsigned tier = 0; tier != kNumTiers; ++tier)
      peaks[tier] = getLivePeak(*storage, static_cast<Tier>(tier));
    programs.push_back({function, getRuns(module, function.getName()),
                        std::move(*storage), peaks});
  }
  if (programs.empty() || !arena || arena.size() != kNumTiers)
    return certificate;
  for (auto [tier, bytes] : llvm::enumerate(arena.asArrayRef()))
    certificate.arenas[tier].size = bytes;
  if (auto workspace = module->getAttrOfType<BytesAttr>(kWorkspaceAttr))
    certificate.arenas[static_cast<unsigned>(Tier::Device)].workspace =
        static_cast<int64_t>(workspace.getSize());
  if (auto stage = module->getAttrOfType<IntegerAttr>(kStageAttr))
    certificate.stage = stage.getInt();
  certificate.ranks = getNumRanks(module);
  certificate.group = getGroupSize(module);
  certificate.context = getContextSize(module);

  const CertifiedProgram &step =
      *llvm::find_if(programs, [&](const CertifiedProgram &program) {
        return program.function == findMainProgram(module);
      });
  countState(step.function, certificate);
  if (hasProgram(module, "step"))
    for (bool withFrozen : {false, true})
      (withFrozen ? certificate.wholeCheckpoint : certificate.checkpoint) =
          countCheckpoint(step.function, certificate, withFrozen);
  Certificate::Term temporary = getPeakGradients(step);
  Certificate::Term &gradients = certificate.modelState[1];
  gradients.held += temporary.held;
  gradients.whole += temporary.whole;
  gradients.sharded += temporary.sharded;
  gradients.grouped += temporary.grouped;
  countWire(programs, certificate);
  countLinks(programs, certificate);
  certificate.flops = countFlopsOfStep(module, programs, certificate);
  for (const CertifiedProgram &program : programs) {
    StringRef name = ProgramOp(program.function).getName();
    int64_t bytes = program.peaks[static_cast<unsigned>(Tier::Device)].bytes;
    if (name == "eval" || name == kScore)
      certificate.evaluation = std::max(certificate.evaluation, bytes);
    else if (isDecoding(name))
      certificate.generation = std::max(certificate.generation, bytes);
  }
  for (unsigned tier = 0; tier != kNumTiers; ++tier) {
    const CertifiedProgram *worst = &step;
    for (const CertifiedProgram &program : programs)
      if (program.peaks[tier].bytes > worst->peaks[tier].bytes)
        worst = &program;
    countPeak(*worst, static_cast<Tier>(tier), certificate.arenas[tier]);
  }
  return certificate;
}

namespace {
struct PrintCertificate : zero::impl::PrintCertificateBase<PrintCertificate> {
  void runOnOperation() override {
    if (failed(verifyPlan(getOperation(), findModel(getOperation()))))
      return signalPassFailure();
    llvm::outs() << certify(getOperation()).print();
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace
