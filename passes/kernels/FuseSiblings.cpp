//===- FuseSiblings.cpp - Reads values of a step less often ---------------===//
//
// For h = silu(gate) * up the backward pass needs silu(gate) and
//
//   dup = dh * silu(gate)            products of dup
//   dgate = dh * up * silu'(gate)    products of dgate
//
// A kernel that computes both reads dh and gate once, and silu from gate.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/FuseSiblings.h"
#include "passes/kernels/Clusters.h"
#include "passes/kernels/ShareStatements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether the loops that `map` reads by are in order, so that those of another
/// operation are walked in the same way.
bool readsInOrder(AffineMap map) {
  return map.isProjectedPermutation() &&
         llvm::is_sorted(map.getResults(), [](AffineExpr x, AffineExpr y) {
           return cast<AffineDimExpr>(x).getPosition() <
                  cast<AffineDimExpr>(y).getPosition();
         });
}

/// Whether the body of `op` reads what other statements compute.
bool captures(GenericOp op) {
  return llvm::any_of(op.getBody()->getOperations(), [&](Operation &inner) {
    return llvm::any_of(inner.getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return operand.getParentBlock() != op.getBody() &&
             !isa_and_present<arith::ConstantOp>(def);
    });
  });
}

/// Whether `op` computes each element of its results, in their order, from one
/// element of each operand.
bool isElementwise(GenericOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInputs() > 0 &&
         llvm::all_of(op.getIndexingMapsArray(), readsInOrder) &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) {
                        return op.getMatchingIndexingMap(&init).isIdentity() &&
                               !op.payloadUsesValueFromOperand(&init);
                      }) &&
         !captures(op);
}

bool haveSameLoops(GenericOp x, GenericOp y) {
  return x.getStaticLoopRanges() == y.getStaticLoopRanges();
}

/// Calls visit(statement of the function) for all that read `value`, itself or
/// by a view.
template <typename Visit>
void forEachReader(Block &block, Value value, Visit visit) {
  for (Operation *user : value.getUsers()) {
    Operation *statement = block.findAncestorOpInBlock(*user);
    if (zero::isView(statement))
      forEachReader(block, statement->getResult(0), visit);
    else
      visit(statement);
  }
}

/// Whether something but `ops` reads the bytes of `value` behind `place`.
/// Arguments are kept for other steps.
bool isReadBehind(Block &block, Value value, Operation *place,
                  ArrayRef<Operation *> ops = {}) {
  bool sawSlice;
  value = zero::skipViews(value, sawSlice);
  bool isRead = !value.getDefiningOp();
  forEachReader(block, value, [&](Operation *reader) {
    isRead |=
        place->isBeforeInBlock(reader) && !llvm::is_contained(ops, reader);
  });
  return isRead;
}

/// Whether a kernel writes `value` to memory whatever reads it: a kernel of its
/// own does, or something that is no kernel of rows reads it.
bool isStored(Value value) {
  return !value.getDefiningOp<GenericOp>() ||
         llvm::any_of(value.getUsers(),
                      [](Operation *user) { return !isa<GenericOp>(user); });
}

int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() *
                    llvm::divideCeil(type.getElementTypeBitWidth(), 8)
              : 0;
}

int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    bytes += bytesOf(value);
  return bytes;
}

/// Whether `op` is a function of one value, which its readers could read, with
/// no more bytes, and compute.
bool isActivation(GenericOp op) {
  if (!isElementwise(op) || op.getNumResults() != 1 ||
      op.getNumDpsInputs() != 1 || zero::drops(*op))
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  return op.getMatchingIndexingMap(input).isIdentity() &&
         bytesOf(input->get()) <= bytesOf(op.getResult(0)) &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto reader = dyn_cast<GenericOp>(use.getOwner());
           return isElementwise(reader) && reader.isDpsInput(&use) &&
                  haveSameLoops(reader, op) &&
                  reader.getMatchingIndexingMap(&use).isIdentity();
         });
}

/// Merges operations into earlier ones.
class Siblings {
public:
  explicit Siblings(Block &block) : block(block) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto generic = dyn_cast<GenericOp>(op); mayBeMerged(generic))
        if (GenericOp sibling = findSibling(generic))
          merge(sibling, generic);
  }

private:
  Block &block;

  static bool mayBeMerged(GenericOp op) {
    return isElementwise(op) && !zero::drops(*op) && !op->use_empty();
  }

  GenericOp findSibling(GenericOp op) {
    // What a kernel reads may be computed in that kernel, beside `op`.
    for (Operation *user : op->getUsers())
      if (isa<linalg::LinalgOp>(user))
        return {};
    for (Value input : op.getDpsInputs())
      for (Operation *user : input.getUsers())
        if (auto other = dyn_cast<GenericOp>(user);
            other && other->getBlock() == &block &&
            other->isBeforeInBlock(op) && mayBeMerged(other) &&
            haveSameLoops(other, op) && mayMerge(other, op))
          return other;
    return {};
  }

  /// Where `sibling` and `op` would be computed: where the first needs it.
  Operation *placeOf(GenericOp sibling, GenericOp op) {
    Operation *first = op;
    for (Operation *user : sibling->getUsers())
      if (Operation *at = block.findAncestorOpInBlock(*user);
          at->isBeforeInBlock(first))
        first = at;
    return first;
  }

  bool mayMerge(GenericOp sibling, GenericOp op) {
    Operation *place = placeOf(sibling, op);
    for (Value input : op.getDpsInputs())
      if (Operation *def = input.getDefiningOp();
          def && (def == sibling || !def->isBeforeInBlock(place)))
        return false;
    // Rows that one kernel passes on would have to be stored.
    for (auto [one, other] : {std::pair(sibling, op), {op, sibling}})
      for (Value input : one.getDpsInputs())
        if (!isStored(input) &&
            !llvm::is_contained(other.getDpsInputs(), input))
          return false;
    return takesNoMore(sibling, op, place);
  }

  /// Whether `op` moves up to `place`, and `sibling` down to it, without more
  /// memory: by what the one reads for the last time, and the other writes.
  bool takesNoMore(GenericOp sibling, GenericOp op, Operation *place) {
    Operation *both[] = {sibling, op};
    int64_t freed = 0, kept = 0;
    for (Value input : op.getDpsInputs())
      if (!isReadBehind(block, input, place, both))
        freed += bytesOf(input);
    for (Value input : sibling.getDpsInputs())
      if (!isReadBehind(block, input, sibling, both))
        kept +=
            llvm::is_contained(op.getDpsInputs(), input) ? 0 : bytesOf(input);
    return (place == op || freed >= bytesOf(op->getResults())) &&
           kept <= bytesOf(sibling->getResults());
  }

  void merge(GenericOp first, GenericOp second) {
    OpBuilder b(placeOf(first, second));
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps, ofInits;
    SmallVector<Type> types;
    for (GenericOp op : {first, second}) {
      llvm::append_range(inputs, op.getDpsInputs());
      for (OpOperand *input : op.getDpsInputOperands())
        maps.push_back(op.getMatchingIndexingMap(input));
      for (Type type : op->getResultTypes()) {
        types.push_back(type);
        inits.push_back(tensor::EmptyOp::create(
            b, op.getLoc(), cast<RankedTensorType>(type).getShape(),
            getElementTypeOrSelf(type)));
        ofInits.push_back(b.getMultiDimIdentityMap(op.getNumLoops()));
      }
    }
    llvm::append_range(maps, ofInits);
    auto merged = GenericOp::create(
        b, b.getFusedLoc({first.getLoc(), second.getLoc()}), types, inputs,
        inits, maps, first.getIteratorTypesArray(),
        [&](OpBuilder &body, Location loc, ValueRange elements) {
          SmallVector<Value> yielded;
          for (GenericOp op : {first, second}) {
            IRMapping map;
            const int64_t count = op.getNumDpsInputs();
            map.map(op.getBody()->getArguments().take_front(count),
                    elements.take_front(count));
            elements = elements.drop_front(count);
            for (Operation &inner : op.getBody()->without_terminator())
              body.clone(inner, map);
            for (Value value : op.getBody()->getTerminator()->getOperands())
              yielded.push_back(map.lookupOrDefault(value));
          }
          linalg::YieldOp::create(body, loc, yielded);
        });
    ResultRange results = merged->getResults();
    for (GenericOp op : {first, second}) {
      op->replaceAllUsesWith(results.take_front(op->getNumResults()));
      results = results.drop_front(op->getNumResults());
      op->erase();
    }
  }
};

} // namespace

void zero::repeatActivations(FunctionOpInterface function) {
  Block &block = function.getFunctionBody().front();
  SmallVector<Operation *> copies;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto generic = dyn_cast<GenericOp>(op);
    if (op.use_empty() || op.hasOneUse() || !isActivation(generic))
      continue;
    Operation *last =
        *llvm::max_element(op.getUsers(), [](Operation *x, Operation *y) {
          return x->isBeforeInBlock(y);
        });
    if (!isReadBehind(block, generic.getDpsInputs()[0], last))
      continue;
    OpBuilder b(&op);
    copies.push_back(&op);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op.getUses()))) {
      copies.push_back(b.clone(op));
      use.set(copies.back()->getResult(0));
    }
  }
  IRRewriter rewriter(function.getContext());
  for (Operation *copy : copies) {
    OpOperand &use = *copy->use_begin();
    if (!linalg::areElementwiseOpsFusable(&use))
      continue;
    Operation *reader = use.getOwner();
    rewriter.setInsertionPoint(reader);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &use);
    if (failed(fused))
      continue;
    for (Value result : reader->getResults())
      result.replaceAllUsesWith(fused->replacements.lookup(result));
    rewriter.eraseOp(reader);
    rewriter.eraseOp(copy);
  }
}

void zero::fuseSiblings(FunctionOpInterface function) {
  Siblings(function.getFunctionBody().front()).run();
}
