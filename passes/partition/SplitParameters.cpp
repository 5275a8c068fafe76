//===- SplitParameters.cpp - Splits large parameters by rows --------------===//
//
// A bucket that is too large becomes several, each with some rows of its
// parameter, and so does everything that belongs to it: arguments, gather,
// pack, reduction, norm, update, results.  Every operation of the bucket is
// cloned once for each piece; what read one value of it reads all pieces:
//
//   gather -> view        gather_i -> view_i, then a join of the views
//   pack of a gradient    split_i of the gradient, then pack_i
//   total, clip, return   all pieces in order, where the one value was
//
//===----------------------------------------------------------------------===//

#include "passes/partition/BucketValues.h"
#include "dialect/zero/Storage.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Builders.h"
#include <numeric>

namespace mlir::zero {
#define GEN_PASS_DEF_SPLITPARAMETERS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

using Pieces = SmallVector<BucketOp>;

/// One program, rewritten.
class Splitter {
public:
  Splitter(func::FuncOp function, const DenseMap<Attribute, Pieces> &splits,
           int64_t ranks)
      : function(function), block(function.getBody().front()),
        b(function.getContext()), splits(splits), ranks(ranks) {}

  void run() {
    splitArguments();
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    block.eraseArguments(0, oldCount);
    function.setType(b.getFunctionType(
        block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
    function.setArgAttrsAttr(b.getArrayAttr(argAttrs));
    function.setResAttrsAttr(b.getArrayAttr(resultAttrs));
  }

private:
  func::FuncOp function;
  Block &block;
  OpBuilder b;
  const DenseMap<Attribute, Pieces> &splits;
  int64_t ranks;
  unsigned oldCount = 0;
  SmallVector<Attribute> argAttrs, resultAttrs;
  DenseMap<Value, SmallVector<Value>> pieces; ///< of a value that is split
  SmallVector<Operation *> dead;

  /// The buckets that `name` is split into, or null.
  const Pieces *lookup(FlatSymbolRefAttr name) {
    auto found = name ? splits.find(name.getAttr()) : splits.end();
    return found == splits.end() ? nullptr : &found->second;
  }

  void splitArguments() {
    oldCount = block.getNumArguments();
    for (unsigned i = 0; i < oldCount; ++i) {
      BlockArgument old = block.getArgument(i);
      auto state = function.getArgAttrOfType<StateAttr>(i, kStateAttr);
      const Pieces *split = state ? lookup(state.getBucket()) : nullptr;
      if (!split) {
        argAttrs.push_back(function.getArgAttrDict(i));
        old.replaceAllUsesWith(block.addArgument(old.getType(), old.getLoc()));
        continue;
      }
      for (BucketOp piece : *split) {
        auto attr = StateAttr::get(
            b.getContext(), FlatSymbolRefAttr::get(piece), state.getSlot());
        argAttrs.push_back(
            b.getDictionaryAttr(b.getNamedAttr(kStateAttr, attr)));
        pieces[old].push_back(block.addArgument(
            retypeState(old.getType(), piece.getElements()), old.getLoc()));
      }
    }
  }

  void visit(Operation *op) {
    if (isa<TotalOp, ClipOp, func::ReturnOp>(op))
      return flatten(op);
    const Pieces *split =
        lookup(getBucketRef(op));
    if (!split)
      return;
    b.setInsertionPoint(op);
    if (auto view = dyn_cast<ViewOp>(op)) {
      joinViews(view, *split);
    } else {
      for (auto [i, piece] : llvm::enumerate(*split))
        clonePiece(op, piece, i);
    }
    dead.push_back(op);
  }

  MemberAttr memberOf(BucketOp piece) {
    return cast<MemberAttr>(piece.getMembers()[0]);
  }

  RankedTensorType rowsOf(RankedTensorType whole, BucketOp piece) {
    return RankedTensorType::get(memberOf(piece).getShape(),
                                 whole.getElementType());
  }

  void joinViews(ViewOp view, const Pieces &split) {
    auto type = cast<RankedTensorType>(view.getType());
    SmallVector<Value> parts;
    for (auto [flat, piece] : llvm::zip(pieces.lookup(view.getFlat()), split))
      parts.push_back(ViewOp::create(b, view.getLoc(), rowsOf(type, piece),
                                     flat, FlatSymbolRefAttr::get(piece),
                                     view.getMemberAttr()));
    view.replaceAllUsesWith(
        JoinOp::create(b, view.getLoc(), type, parts).getResult());
  }

  void clonePiece(Operation *op, BucketOp piece, size_t i) {
    Operation *now = b.clone(*op);
    now->setAttr("bucket", FlatSymbolRefAttr::get(piece));
    for (OpOperand &operand : now->getOpOperands())
      if (auto found = pieces.find(operand.get()); found != pieces.end())
        operand.set(found->second[i]);
    if (isa<PackOp>(now)) {
      Value gradient = op->getOperand(0);
      auto type = cast<RankedTensorType>(gradient.getType());
      OpBuilder before(now);
      now->setOperand(0,
                      SplitOp::create(before, op->getLoc(), rowsOf(type, piece),
                                      gradient, memberOf(piece).getFirstRow()));
    }
    for (auto [old, result] : llvm::zip(op->getResults(), now->getResults())) {
      result.setType(retypeFor(now, old.getType(), memberOf(piece),
                               piece.getElements(), ranks));
      pieces[old].push_back(result);
    }
  }

  /// Replaces each split operand by all of its pieces.
  void flatten(Operation *op) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      auto found = pieces.find(operand.get());
      size_t count = found == pieces.end() ? 1 : found->second.size();
      if (found == pieces.end())
        operands.push_back(operand.get());
      else
        llvm::append_range(operands, found->second);
      if (!isa<func::ReturnOp>(op))
        continue;
      DictionaryAttr attrs =
          function.getResultAttrDict(operand.getOperandNumber());
      resultAttrs.append(count, attrs ? attrs : b.getDictionaryAttr({}));
    }
    op->setOperands(operands);
  }
};

struct SplitParametersPass
    : zero::impl::SplitParametersBase<SplitParametersPass> {
  using SplitParametersBase::SplitParametersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    auto axis = module.lookupSymbol<AxisOp>("dp");
    if (bucketSize <= 0 || !step || !axis)
      return;
    ranks = axis.getSize();
    if (failed(checkCount(module)))
      return signalPassFailure();
    SymbolTable symbols(module);
    DenseMap<Attribute, Pieces> splits;
    for (BlockArgument arg : step.getArguments()) {
      auto state =
          step.getArgAttrOfType<StateAttr>(arg.getArgNumber(), kStateAttr);
      if (!state || state.getSlot() != "param" ||
          cast<ShardType>(arg.getType()).getRanks() == 1)
        continue;
      auto bucket = symbols.lookup<BucketOp>(state.getBucket().getValue());
      if (Pieces pieces = split(bucket); !pieces.empty())
        splits[bucket.getSymNameAttr()] = pieces;
    }
    for (func::FuncOp program : findPrograms(module))
      Splitter(program, splits, ranks).run();
    for (auto &[name, pieces] : splits)
      symbols.erase(symbols.lookup(cast<StringAttr>(name)));
  }

private:
  /// Every bucket is several operations of the plan.
  static constexpr int64_t kMaxBuckets = 16384;

  int64_t ranks = 1;

  LogicalResult checkCount(ModuleOp module) {
    int64_t bytes = 0;
    for (auto bucket : module.getOps<BucketOp>())
      bytes += bucket.getElements() * 4;
    // One per parameter is never too many.
    if (bytes / bucketSize <= kMaxBuckets)
      return success();
    int64_t buckets = 0;
    for (auto bucket : module.getOps<BucketOp>())
      buckets += countPieces(cast<MemberAttr>(bucket.getMembers()[0])).first;
    if (buckets <= kMaxBuckets)
      return success();
    return module.emitError("bucket-size=")
           << bucketSize.getValue() << " would make " << buckets
           << " buckets, more than " << kMaxBuckets << "; use at least "
           << llvm::divideCeil(bytes, kMaxBuckets / 2) << " bytes";
  }

  /// How many pieces a parameter is cut into, and how many rows they have.
  std::pair<int64_t, int64_t> countPieces(MemberAttr member) {
    int64_t count = member.getNumElements();
    if (member.getShape().empty() || count * 4 <= bucketSize)
      return {1, 0};
    int64_t rows = member.getShape().front(), width = count / rows;
    // Without padding, pieces follow each other in memory.
    int64_t vectors = ranks * BucketOp::kAlignment;
    int64_t unit = vectors / std::gcd(width, vectors);
    int64_t most = std::max(unit, bucketSize / (width * 4) / unit * unit);
    return {llvm::divideCeil(rows, most), most};
  }

  /// The buckets of the pieces, after `bucket`; none if it is small enough.
  Pieces split(BucketOp bucket) {
    auto member = cast<MemberAttr>(bucket.getMembers()[0]);
    auto [count, most] = countPieces(member);
    if (count == 1)
      return {};
    int64_t rows = member.getShape().front();
    int64_t vectors = ranks * BucketOp::kAlignment;
    Pieces pieces;
    OpBuilder b(bucket->getContext());
    b.setInsertionPointAfter(bucket);
    for (int64_t first = 0; first < rows; first += most) {
      SmallVector<int64_t> shape(member.getShape());
      shape.front() = std::min(most, rows - first);
      auto part = MemberAttr::get(b.getContext(), member.getName(), shape,
                                  /*offset=*/0, first, rows, member.getDecay(),
                                  member.getInit());
      std::string name =
          (bucket.getSymName() + "." + std::to_string(pieces.size())).str();
      pieces.push_back(
          BucketOp::create(b, bucket.getLoc(), name, "dp",
                           llvm::alignTo(part.getNumElements(), vectors),
                           b.getArrayAttr(Attribute(part))));
    }
    return pieces;
  }
};

} // namespace
