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

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using linalg::GenericOp;

namespace {

/// Whether `op` computes each element of its results, in their order, from one
/// element of each operand.
bool isElementwise(GenericOp op) {
  return op && op.getNumReductionLoops() == 0 && op.getNumDpsInputs() > 0 &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isIdentity() &&
                  !op.payloadUsesValueFromOperand(&init);
         });
}

bool haveSameLoops(GenericOp x, GenericOp y) {
  return x.getStaticLoopRanges() == y.getStaticLoopRanges();
}

/// The statement of the function that `user` is or is a part of.
Operation *statementOf(Block &block, Operation *user) {
  return block.findAncestorOpInBlock(*user);
}

Operation *firstUser(Block &block, Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (Operation *at = statementOf(block, user);
        !first || at->isBeforeInBlock(first))
      first = at;
  return first;
}

/// Whether `value` is read behind `op`.
bool isReadBehind(Block &block, Value value, Operation *op) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return op->isBeforeInBlock(statementOf(block, user));
  });
}

/// Whether `op` is a function of one value, which its readers could compute.
bool isActivation(GenericOp op) {
  if (!isElementwise(op) || op.getNumResults() != 1 ||
      op.getNumDpsInputs() != 1)
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  return op.getMatchingIndexingMap(input).isIdentity() &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto reader = dyn_cast<GenericOp>(use.getOwner());
           return isElementwise(reader) && reader.isDpsInput(&use) &&
                  haveSameLoops(reader, op) &&
                  reader.getMatchingIndexingMap(&use).isIdentity();
         });
}

/// Whether a kernel writes `value` for others than `reader`, or none does.
bool isStored(Value value, Operation *reader) {
  return !value.getDefiningOp<GenericOp>() ||
         llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return user != reader; });
}

int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() * type.getElementTypeBitWidth() / 8 : 0;
}

/// Merges operations into earlier ones.
class Siblings {
public:
  explicit Siblings(Block &block) : block(block) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto generic = dyn_cast<GenericOp>(op); isElementwise(generic))
        if (GenericOp sibling = findSibling(generic))
          merge(sibling, generic);
  }

private:
  Block &block;

  GenericOp findSibling(GenericOp op) {
    // What a kernel reads may be computed in that kernel, beside `op`.
    for (Operation *user : op->getUsers())
      if (isa<linalg::LinalgOp>(user))
        return {};
    for (Value input : op.getDpsInputs())
      for (Operation *user : input.getUsers())
        if (auto other = dyn_cast<GenericOp>(user);
            isElementwise(other) && other != op &&
            other->getBlock() == &block && other->isBeforeInBlock(op) &&
            haveSameLoops(other, op) && mayMerge(other, op))
          return other;
    return {};
  }

  /// Where `sibling` and `op` would be computed.
  Operation *placeOf(GenericOp sibling, GenericOp op) {
    Operation *reader = firstUser(block, sibling);
    return reader && reader->isBeforeInBlock(op) ? reader : op;
  }

  /// Whether `op` can be computed beside `sibling`; without more memory, since
  /// as many bytes as it writes have no later reader.
  bool mayMerge(GenericOp sibling, GenericOp op) {
    Operation *place = placeOf(sibling, op);
    int64_t freed = 0, written = 0;
    for (Value input : op.getDpsInputs()) {
      Operation *def = input.getDefiningOp();
      if (def && (def == sibling || !def->isBeforeInBlock(place)))
        return false;
      if (!llvm::is_contained(sibling.getDpsInputs(), input) &&
          !isStored(input, op))
        return false;
      if (!isReadBehind(block, input, op))
        freed += bytesOf(input);
    }
    for (Value result : op->getResults())
      written += bytesOf(result);
    return place == op || freed >= written;
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

SmallVector<Operation *> zero::repeatActivations(FunctionOpInterface function) {
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
    if (last->getBlock() != &block ||
        !isReadBehind(block, generic.getDpsInputs()[0], last))
      continue;
    OpBuilder b(&op);
    copies.push_back(&op);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(op.getUses()))) {
      copies.push_back(b.clone(op));
      use.set(copies.back()->getResult(0));
    }
  }
  return copies;
}

void zero::fuseSiblings(FunctionOpInterface function) {
  Siblings(function.getFunctionBody().front()).run();
}
