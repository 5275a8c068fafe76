//===- RegatherParameters.cpp - Regathers parameters for distant uses -----===//
//
// The uses of a gather, in program order, are split wherever other gathers of
// more bytes than the reuse distance are used in between:
//
//   uses of @b0   *  *                        *
//   others              @b1 @b2 ... @b2 @b1
//                 '----'                      '  gathered again
//
// Buckets of one block that are kept in different ways, such as adapters and
// the frozen weights beside them, are used alternately and do not count for
// each other.
//
// Each part but the first gets its own gather, before its first use, and its
// own copies of the operations that only name bytes (views, reshapes).  The
// gathers of a parameter's pieces are used together and split together.
//
// Where ranks are in groups, the gather over groups is repeated with the gather
// over members, unless the part of a member is kept (--secondary-shard).
//
// A parameter in another tier is fetched before it is gathered, or on one rank
// instead of it.  The fetch from the host is repeated with the gather; a fetch
// from NVMe to the host is not: MoveTransfers decides what the host can hold.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/BucketLayout.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-regather-parameters"

namespace mlir::zero {
#define GEN_PASS_DEF_REGATHERPARAMETERS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// An operand that reads a gathered parameter, and its position.
struct ParameterUse {
  unsigned position;
  OpOperand *operand;
};

class Regather {
public:
  Regather(ProgramOp function, int64_t reuseDistance, bool keepParts)
      : function(function), reuseDistance(reuseDistance), keepParts(keepParts) {
  }

  void run() {
    unsigned position = 0;
    for (Operation &op : function.getBody().front())
      positions[&op] = position++;
    readers.resize(position);
    findUnits();
    for (auto [u, unit] : llvm::enumerate(units))
      for (const ParameterUse &use : unit.uses)
        readers[use.position].push_back(u);
    for (size_t u = 0; u < units.size(); ++u)
      cut(u);
    eraseUnused();
  }

private:
  ProgramOp function;
  int64_t reuseDistance;
  bool keepParts;
  SymbolTableCollection symbols;
  DenseMap<Operation *, unsigned> positions;
  /// Gathers, or last fetches, that are used together, in order of their uses.
  struct Unit {
    SmallVector<Operation *, 1> gathers;
    SmallVector<ParameterUse> uses;
    int64_t bytes = 0;
    BucketOp bucket;
  };
  SmallVector<Unit> units;
  /// By position: the units that are used there.
  std::vector<SmallVector<size_t, 1>> readers;

  /// Erases unread views and gathers; an unread view would keep its gather
  /// alive.
  void eraseUnused() {
    Block &block = function.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (op.use_empty() &&
          (bringsState(&op) || changesFormat(&op) || renamesParameter(&op)))
        op.erase();
  }

  /// The join of the pieces of a parameter, or null.
  static Operation *getJoin(Value gathered) {
    for (Operation *view : gathered.getUsers())
      if (isa<DequantizeOp>(view))
        return getJoin(view->getResult(0));
      else if (isa<ViewOp>(view))
        for (Operation *user : view->getUsers())
          if (isa<JoinOp>(user))
            return user;
    return nullptr;
  }

  /// Returns true if `op` brings the parameters that a step begins with, not
  /// those that an update writes into the bytes of others, and no sums.
  bool bringsParameters(Operation &op) {
    if (auto gather = dyn_cast<AllGatherOp>(op))
      return !gather.isInPlace() &&
             zero::detail::isWhole(gather.getResult().getType());
    return isa<FetchOp>(op) &&
           llvm::any_of(op.getUsers(), llvm::IsaPred<ViewOp>) &&
           getState(&op).getSlot() == "param";
  }

  /// A copy of `gather` and of what it needs: the fetch from the host, what
  /// quantizes it, and the gather over groups unless the part that it gives is
  /// kept.
  Operation *clone(OpBuilder &b, Operation *gather, IRMapping &copies) {
    Operation *before = gather->getOperand(0).getDefiningOp();
    if (auto fetch = dyn_cast_or_null<FetchOp>(before);
        fetch && getTier(fetch.getType()) == Tier::Device)
      clone(b, fetch, copies);
    else if (isa_and_present<QuantizeOp>(before) ||
             (isa_and_present<AllGatherOp>(before) && !keepParts))
      clone(b, before, copies);
    return b.clone(*gather, copies);
  }

  void findUnits() {
    DenseMap<Operation *, size_t> joined;
    for (Operation &gather : function.getBody().front()) {
      if (!bringsParameters(gather))
        continue;
      size_t u = units.size();
      if (Operation *join = getJoin(gather.getResult(0)))
        u = joined.try_emplace(join, u).first->second;
      if (u == units.size()) {
        Unit &unit = units.emplace_back();
        unit.bucket = symbols.lookupNearestSymbolFrom<BucketOp>(
            function, getBucket(&gather));
        collect(gather.getResult(0), unit.uses);
        llvm::sort(unit.uses, [](const ParameterUse &a, const ParameterUse &b) {
          return std::pair(a.position, a.operand->getOperandNumber()) <
                 std::pair(b.position, b.operand->getOperandNumber());
        });
      }
      units[u].gathers.push_back(&gather);
      units[u].bytes += getByteSize(gather.getResult(0).getType());
    }
  }

  void collect(Value value, SmallVector<ParameterUse> &uses) {
    for (OpOperand &use : value.getUses())
      if (isa<DequantizeOp>(use.getOwner()) || renamesParameter(use.getOwner()))
        collect(use.getOwner()->getResult(0), uses);
      else
        uses.push_back({positions.lookup(use.getOwner()), &use});
  }

  /// The bucket that `gather` brings.
  FlatSymbolRefAttr getBucket(Operation *gather) {
    if (auto all = dyn_cast<AllGatherOp>(gather))
      return all.getBucketAttr();
    return getState(gather).getBucket();
  }

  /// The state that `fetch` brings.
  StateAttr getState(Operation *fetch) {
    Value source = fetch->getOperand(0);
    while (Operation *def = source.getDefiningOp())
      source = def->getOperand(0);
    return function.getState(cast<BlockArgument>(source).getArgNumber());
  }

  /// The block of all members of `bucket`; "" if they have several.
  static StringRef blockOf(BucketOp bucket) {
    StringRef block;
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>()) {
      StringRef mine = getBlockOfLayer(member.getName().getValue());
      if (!block.empty() && block != mine)
        return "";
      block = mine;
    }
    return block;
  }

  /// Returns true if two buckets belong to one block and are kept in different
  /// ways.
  static bool areBeside(BucketOp a, BucketOp b) {
    return (a.getFrozen() != b.getFrozen() ||
            a.getPacking() != b.getPacking()) &&
           !blockOf(a).empty() && blockOf(a) == blockOf(b);
  }

  /// Returns true if other units of more bytes than the reuse distance are used
  /// between two positions.
  bool isFar(size_t mine, unsigned from, unsigned to) {
    llvm::SmallDenseSet<size_t> others;
    int64_t sum = 0;
    for (unsigned at = from + 1; at < to; ++at)
      for (size_t u : readers[at])
        if (u != mine && !areBeside(units[u].bucket, units[mine].bucket) &&
            others.insert(u).second)
          if ((sum += units[u].bytes) > reuseDistance)
            return true;
    return false;
  }

  void cut(size_t u) {
    IRMapping copies;
    bool isCopy = false;
    ArrayRef<ParameterUse> uses = units[u].uses;
    for (size_t i = 0; i < uses.size(); ++i) {
      if (i > 0 && isFar(u, uses[i - 1].position, uses[i].position)) {
        OpBuilder b(uses[i].operand->getOwner());
        LDBG() << "gathered again for " << uses[i].operand->getOwner()->getLoc()
               << ": " << *units[u].gathers.front();
        copies.clear();
        isCopy = true;
        for (Operation *gather : units[u].gathers)
          at = clone(b, gather, copies);
      }
      if (isCopy)
        uses[i].operand->set(rebuild(uses[i].operand->get(), copies));
    }
  }
  Operation *at = nullptr; ///< the operation that the next copy follows

  /// Rebuilds `value` from the copied gathers.
  Value rebuild(Value value, IRMapping &copies) {
    if (Value known = copies.lookupOrNull(value))
      return known;
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      rebuild(operand, copies);
    OpBuilder b(function.getContext());
    b.setInsertionPointAfter(at);
    at = b.clone(*def, copies);
    return copies.lookup(value);
  }
};

struct RegatherParametersPass
    : zero::impl::RegatherParametersBase<RegatherParametersPass> {
  using RegatherParametersBase::RegatherParametersBase;

  void runOnOperation() override {
    if (reuseDistance < 0) {
      getOperation().emitError("reuse-distance=")
          << reuseDistance.getValue() << "; use a number of bytes";
      return signalPassFailure();
    }
    for (ProgramOp program : findPrograms(getOperation()))
      Regather(program, reuseDistance, keepParts).run();
  }
};

} // namespace
