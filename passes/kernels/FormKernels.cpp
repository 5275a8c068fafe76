//===- FormKernels.cpp - Outlines everything that is no matmul ------------===//
//
// 1. Copy slices that cannot be read in place (CopySlices.cpp).
// 2. Form clusters (Clusters.cpp).
// 3. Outline each: operands are the values read from outside, results those
//    read outside.  Constants, initial values and sliced views of operands are
//    cloned into the kernel, so that it reads slices in place.
// 4. Share equal kernels.
// 5. Find the operands that each result may overwrite.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Clusters.h"
#include "passes/kernels/CopySlices.h"
#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/KernelUnits.h"
#include "dialect/zero/Locations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

#define DEBUG_TYPE "zero-form-kernels"

namespace mlir::zero {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The kernel's name: that of its operation, if there is only one.  Names of
/// the model are on launches, because equal kernels of several places are
/// merged.
StringRef nameOf(const Cluster &cluster) {
  Operation *first = cluster.members.front();
  return isa<nn::OwnKernelOpInterface>(first) ? first->getName().stripDialect()
                                              : "kernel";
}

struct FormKernelsPass : zero::impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp step = findStep(module);
    if (!step)
      return signalPassFailure();
    form(step);
    // Last, so that the step's kernels have the same names without them.
    for (StringRef name : kForwards)
      if (auto function = module.lookupSymbol<func::FuncOp>(name))
        form(function);
  }

  void form(func::FuncOp step) {
    if (whole) {
      Cluster all{KernelKind::Serial, {}, {}};
      for (Operation &op : step.getBody().front().without_terminator())
        all.members.push_back(&op);
      outline(step, all);
      eraseDead(step);
      return;
    }
    if (room)
      addRoom(step);
    copySlices(step);
    for (Cluster &cluster : formClusters(step))
      outline(step, cluster);
    eraseDead(step);
  }

  void addRoom(func::FuncOp step) {
    SmallVector<nn::OwnKernelOpInterface> all;
    step.walk([&](nn::OwnKernelOpInterface op) { all.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (nn::OwnKernelOpInterface op : all)
      op.addRoom(rewriter);
  }

  void outline(func::FuncOp step, Cluster &cluster) {
    llvm::SetVector<Operation *> members(cluster.members.begin(),
                                         cluster.members.end());
    llvm::SetVector<Value> inputs;
    for (Operation *member : members)
      collectInputs(member, members, inputs);
    SmallVector<Value> results;
    for (Operation *member : members) {
      auto own = dyn_cast<nn::OwnKernelOpInterface>(member);
      for (Value result : member->getResults())
        if ((own && own.writesUnused() && result.use_empty()) ||
            llvm::any_of(result.getUsers(), [&](Operation *user) {
              Operation *top = step.getBody().findAncestorOpInRegion(*user);
              return !members.contains(top);
            }))
          results.push_back(result);
    }
    if (results.empty())
      return;

    OpBuilder top(step);
    Operation *last = members.back();
    LDBG() << "kernel of " << members.size() << " operations, "
           << stringifyKernelKind(cluster.kind) << " "
           << llvm::interleaved_array(cluster.space) << ", ends at "
           << last->getLoc();
    SmallVector<Value> args(inputs.begin(), inputs.end());
    auto type = FunctionType::get(&getContext(), ValueRange(args).getTypes(),
                                  ValueRange(results).getTypes());
    // The last operation's location comes first, and so does its name.
    Location loc = FusedLoc::get(
        &getContext(),
        llvm::map_to_vector(llvm::reverse(members), [](Operation *member) {
          return member->getLoc();
        }));
    auto kernel =
        KernelOp::create(top, loc, "kernel", type, cluster.kind, cluster.space);
    Block *body = kernel.addEntryBlock();
    OpBuilder b = OpBuilder::atBlockEnd(body);
    IRMapping map;
    map.map(args, body->getArguments());
    for (Operation *member : members) {
      IRMapping own(map);
      cloneAuxiliaries(b, member, own, members);
      b.clone(*member, own);
      for (Value result : member->getResults())
        map.map(result, own.lookup(result));
    }
    SmallVector<Value> mapped;
    for (Value result : results)
      mapped.push_back(map.lookup(result));
    ReturnOp::create(b, loc, mapped);
    inheritLocation(kernel);

    FlatSymbolRefAttr symbol = share(kernel, nameOf(cluster));
    b.setInsertionPointAfter(last);
    auto launch = LaunchOp::create(b, loc, type.getResults(), symbol, args);
    for (auto [old, now] : llvm::zip_equal(results, launch.getOutputs()))
      old.replaceUsesWithIf(now, [&](OpOperand &use) {
        Operation *top = step.getBody().findAncestorOpInRegion(*use.getOwner());
        return top != launch && !members.contains(top);
      });
    for (Value output : launch.getOutputs())
      moveViewsAfter(output);
  }

  /// Moves the views of a result behind its definition.  They may stand between
  /// members; their readers have closed the cluster, so they stand after all
  /// members.
  static void moveViewsAfter(Value value) {
    Operation *def = value.getDefiningOp();
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (isAuxiliary(user) && user->getBlock() == def->getBlock() &&
          user->isBeforeInBlock(def)) {
        user->moveAfter(def);
        moveViewsAfter(user->getResult(0));
      }
  }

  /// Whether `value` is rebuilt inside kernels rather than passed to them.
  bool isRebuilt(Value value, const llvm::SetVector<Operation *> &members) {
    Operation *def = value.getDefiningOp();
    if (!def || members.contains(def))
      return false;
    if (isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(def))
      return true;
    bool sawSlice = false;
    skipViews(value, sawSlice);
    return sawSlice;
  }

  void collectInputs(Operation *op, const llvm::SetVector<Operation *> &members,
                     llvm::SetVector<Value> &inputs) {
    auto visit = [&](auto &self, Value value) -> void {
      if (members.contains(value.getDefiningOp()))
        return;
      if (isRebuilt(value, members)) {
        for (Value operand : value.getDefiningOp()->getOperands())
          self(self, operand);
        return;
      }
      inputs.insert(value);
    };
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *def = operand.getDefiningOp();
        bool inside =
            def ? op->isProperAncestor(def)
                : op->isAncestor(
                      cast<BlockArgument>(operand).getOwner()->getParentOp());
        if (!inside)
          visit(visit, operand);
      }
    });
  }

  /// Every member gets constants, initial values and views of its own: results
  /// that started from one shared tensor would compete for its bytes.
  void cloneAuxiliaries(OpBuilder &b, Operation *member, IRMapping &map,
                        const llvm::SetVector<Operation *> &members) {
    auto visit = [&](auto &self, Value value) -> void {
      Operation *def = value.getDefiningOp();
      if (map.contains(value) || !def || !isAuxiliary(def) ||
          members.contains(def))
        return;
      for (Value operand : def->getOperands())
        self(self, operand);
      b.clone(*def, map);
    };
    member->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!member->isProperAncestor(operand.getParentBlock()->getParentOp()))
          visit(visit, operand);
    });
  }

  /// A result may overwrite an operand if the operation that writes it first is
  /// the operand's last reader and reads, element by element, what it
  /// overwrites.  Scatters require it: they add into their initial value; and
  /// so do kept keys and values.
  void permitInPlace(KernelOp kernel) {
    Block &body = kernel.getBody().front();
    bool byRows = kernel.getKind() == KernelKind::Rows;
    size_t rows = kernel.getSpace().size();
    auto returned = cast<ReturnOp>(body.getTerminator());
    for (auto [r, value] : llvm::enumerate(returned.getOperands())) {
      if (auto own = value.getDefiningOp<nn::OwnKernelOpInterface>()) {
        Value old = own.getOverwritten(cast<OpResult>(value).getResultNumber());
        if (auto kept = dyn_cast_or_null<BlockArgument>(old))
          kernel.setResultAttr(
              r, kMustAliasAttr,
              Builder(&getContext()).getI64IntegerAttr(kept.getArgNumber()));
        continue;
      }
      auto [first, base] = firstWritten(value);
      if (!first)
        continue;
      auto writer = cast<linalg::LinalgOp>(first.getOwner());
      AffineMap out = writer.getIndexingMapMatchingResult(first);
      SmallVector<int64_t> allowed;
      for (BlockArgument arg : body.getArguments()) {
        // A result's initial value is copied to its bytes before anything is
        // read.
        bool begins = base == arg || base.getDefiningOp<tensor::EmptyOp>();
        if (arg.getType() != value.getType() || arg.use_empty() || !begins)
          continue;
        bool fits = llvm::all_of(arg.getUses(), [&](OpOperand &use) {
          auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
          if (reader == writer && reader)
            return reader.getMatchingIndexingMap(&use) == out &&
                   out.isIdentity();
          Operation *top = body.findAncestorOpInBlock(*use.getOwner());
          return byRows && top->isBeforeInBlock(writer) &&
                 readsOwnRow(use, rows);
        });
        if (fits)
          allowed.push_back(arg.getArgNumber());
      }
      if (!allowed.empty())
        kernel.setResultAttr(r, kInPlaceAttr,
                             DenseI64ArrayAttr::get(&getContext(), allowed));
    }
  }

  /// The first value that is written to the bytes of `value` if all operations
  /// that write to them are elementwise, else null; and the initial value of
  /// the bytes.
  static std::pair<OpResult, Value> firstWritten(Value value) {
    OpResult first;
    while (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
      if (op.getNumParallelLoops() != op.getNumLoops())
        return {};
      first = cast<OpResult>(value);
      value = op.getDpsInitOperand(first.getResultNumber())->get();
    }
    return {first, value};
  }

  /// Whether `use` reads nothing but the row that its kernel is at.
  static bool readsOwnRow(OpOperand &use, size_t rows) {
    auto isRow = [](auto positions, size_t count, auto loopOf) {
      if (positions.size() < count)
        return false;
      for (size_t i = 0; i < count; ++i)
        if (loopOf(positions[i]) != static_cast<int64_t>(i))
          return false;
      return true;
    };
    if (auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner()))
      return isRow(extract.getIndices(), rows, [](Value position) -> int64_t {
        auto loop = position.getDefiningOp<linalg::IndexOp>();
        return loop ? static_cast<int64_t>(loop.getDim()) : -1;
      });
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader &&
           isRow(reader.getMatchingIndexingMap(&use).getResults(), rows,
                 [](AffineExpr position) -> int64_t {
                   auto loop = dyn_cast<AffineDimExpr>(position);
                   return loop ? static_cast<int64_t>(loop.getPosition()) : -1;
                 });
  }

  /// Gives `kernel` its name, or returns that of an equal kernel and erases it.
  FlatSymbolRefAttr share(KernelOp kernel, StringRef name) {
    SmallVector<KernelOp> &candidates = shared[hash(kernel)];
    for (KernelOp other : candidates)
      if (areEqual(kernel, other)) {
        kernel.erase();
        return FlatSymbolRefAttr::get(other.getNameAttr());
      }
    candidates.push_back(kernel);
    permitInPlace(kernel);
    kernel.setName((name + "." + Twine(++numShared)).str());
    return FlatSymbolRefAttr::get(kernel.getNameAttr());
  }

  /// Hashes the operations, without the values that they read.
  static llvm::hash_code hash(KernelOp kernel) {
    llvm::hash_code code = hash_value(Type(kernel.getFunctionType()));
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      code = llvm::hash_combine(code,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return code;
  }

  /// Whether the kernels differ only in names; the operands that results may
  /// overwrite follow from the rest.
  static bool areEqual(KernelOp a, KernelOp b) {
    return a.getFunctionType() == b.getFunctionType() &&
           a.getKind() == b.getKind() && a.getSpace() == b.getSpace() &&
           OperationEquivalence::isRegionEquivalentTo(
               &a.getBody(), &b.getBody(),
               OperationEquivalence::IgnoreLocations);
  }

  void eraseDead(func::FuncOp step) {
    Block &body = step.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty() &&
          !isa<LaunchOp>(op))
        op.erase();
  }

  llvm::DenseMap<size_t, SmallVector<KernelOp>> shared;
  unsigned numShared = 0;
};

} // namespace
