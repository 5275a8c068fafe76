//===- LoopsOfGeneric.cpp - A generic over the loops of another -----------===//
//
// Clones the body of the original, computes a term after it, and drops what the
// term does not need: contractions stay contractions, with two inputs and a
// plain product, output loops before reductions.
//
//===----------------------------------------------------------------------===//

#include "passes/model/LoopsOfGeneric.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/Generic.h"
#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;
using linalg::GenericOp;

/// Indices of the inputs to keep: those that the body reads, and for a loop
/// that would lose its extent the first input that has it.  Two factors are
/// ordered as in a matmul: first comes the one with the first output
/// loop that they do not share.
static SmallVector<unsigned> selectInputs(Block &body, ArrayRef<AffineMap> maps,
                                          AffineMap outMap) {
  unsigned loops = outMap.getNumDims();
  llvm::SmallBitVector covered(loops), kept(maps.size());
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        covered.set(dim.getPosition());
  };
  cover(outMap);
  for (auto [i, map] : llvm::enumerate(maps))
    if (!body.getArgument(i).use_empty()) {
      kept.set(i);
      cover(map);
    }
  for (unsigned loop = 0; loop < loops; ++loop)
    for (unsigned i = 0; i < maps.size() && !covered[loop]; ++i)
      if (llvm::is_contained(maps[i].getResults(),
                             getAffineDimExpr(loop, outMap.getContext()))) {
        kept.set(i);
        cover(maps[i]);
      }

  SmallVector<unsigned> order(kept.set_bits());
  if (order.size() == 2)
    for (AffineExpr expr : outMap.getResults()) {
      bool first = llvm::is_contained(maps[order[0]].getResults(), expr);
      bool second = llvm::is_contained(maps[order[1]].getResults(), expr);
      if (first == second)
        continue;
      if (second)
        std::swap(order[0], order[1]);
      break;
    }
  return order;
}

/// Rebuilds `op` with the inputs `order` only.
static GenericOp withInputs(OpBuilder &b, GenericOp op,
                            ArrayRef<unsigned> order) {
  Block &body = *op.getBody();
  unsigned oldCount = op.getNumDpsInputs();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned i : order) {
    inputs.push_back(op.getDpsInputs()[i]);
    maps.push_back(op.getIndexingMapsArray()[i]);
    BlockArgument old = body.getArgument(i);
    old.replaceAllUsesWith(body.addArgument(old.getType(), old.getLoc()));
  }
  BlockArgument acc = body.getArgument(oldCount);
  acc.replaceAllUsesWith(body.addArgument(acc.getType(), acc.getLoc()));
  body.eraseArguments(0, oldCount + 1);
  maps.push_back(op.getIndexingMapsArray()[oldCount]);

  auto pruned =
      GenericOp::create(b, op.getLoc(), op.getResultTypes(), inputs,
                        op.getDpsInits(), maps, op.getIteratorTypesArray());
  pruned.getRegion().takeBody(op.getRegion());
  op.erase();
  return pruned;
}

/// Removes the select that keeps a zero adjoint zero from a product of two
/// inputs that is to be summed, so that the derivative of a contraction is a
/// contraction.
static Value plainMatmul(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto product =
      select ? select.getFalseValue().getDefiningOp<arith::MulFOp>() : nullptr;
  bool plain =
      product && select.getTrueValue() == product.getLhs() &&
      llvm::all_of(product->getOperands(), llvm::IsaPred<BlockArgument>);
  return plain ? product.getResult() : value;
}

FailureOr<Value> zero::emitOverLoops(OpBuilder &b, GenericOp source,
                                     ArrayRef<Combiner> combiners,
                                     ArrayRef<ExtraInput> extras,
                                     AffineMap outMap, RankedTensorType type,
                                     Value init, TermBody term,
                                     CombineBody combine) {
  Location loc = source.getLoc();
  MLIRContext *ctx = b.getContext();
  unsigned loops = source.getNumLoops();

  // The new position of each original loop.
  SmallVector<unsigned> position(loops, loops);
  unsigned next = 0;
  for (AffineExpr expr : outMap.getResults())
    position[cast<AffineDimExpr>(expr).getPosition()] = next++;
  bool reduces = next < loops;
  SmallVector<utils::IteratorType> iterators(next,
                                             utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  for (unsigned &at : position)
    if (at == loops)
      at = next++;
  SmallVector<AffineExpr> moved;
  for (unsigned at : position)
    moved.push_back(getAffineDimExpr(at, ctx));
  auto move = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(moved, {}, loops, 0);
  };

  // Inputs: the original's, the accumulators that its elementwise results
  // read, the extras.
  SmallVector<Value> inputs(source.getDpsInputs()), read;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : source.getDpsInputOperands())
    maps.push_back(move(source.getMatchingIndexingMap(operand)));
  SmallVector<BlockArgument> primalArgs(source.getRegionInputArgs());
  for (auto [k, combiner] : llvm::enumerate(combiners)) {
    OpOperand *operand = source.getDpsInitOperand(k);
    BlockArgument acc = source.getMatchingBlockArgument(operand);
    if (combiner.reduction != Combiner::Elementwise || acc.use_empty())
      continue;
    inputs.push_back(operand->get());
    maps.push_back(move(source.getMatchingIndexingMap(operand)));
    primalArgs.push_back(acc);
  }
  for (const ExtraInput &extra : extras) {
    inputs.push_back(extra.tensor);
    maps.push_back(move(extra.map));
  }
  maps.push_back(move(outMap));

  if (!init)
    init = reduces ? nn::zeros(b, loc, type)
                   : Value(tensor::EmptyOp::create(b, loc, type.getShape(),
                                                   type.getElementType()));
  bool failedInBody = false;
  llvm::SmallPtrSet<Operation *, 2> placeholders;
  auto generic = GenericOp::create(
      b, loc, type, inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location at, ValueRange args) {
        IRMapping primal;
        primal.map(primalArgs, args.take_front(primalArgs.size()));
        // The other accumulators are running sums, which do not exist in
        // another order of loops.  Only combiners may read them, and eraseDead
        // removes their clones; any other use of the placeholder is an error.
        for (BlockArgument acc : source.getRegionOutputArgs())
          if (!primal.contains(acc) && !acc.use_empty()) {
            primal.map(acc, nn::constant(nested, at, acc.getType(), 0));
            placeholders.insert(primal.lookup(acc).getDefiningOp());
          }
        SmallVector<Operation *> cloned;
        for (Operation &inner : source.getBody()->without_terminator()) {
          cloned.push_back(nested.clone(inner, primal));
          cloned.back()->walk([&](linalg::IndexOp index) {
            index.setDim(position[index.getDim()]);
          });
        }
        FailureOr<Value> value = term(
            nested, {primal, args.drop_front(primalArgs.size()).drop_back(),
                     cloned, position});
        failedInBody = failed(value);
        // A body must end in a yield even when it is about to be erased.
        Value yielded = failedInBody || !*value ? Value(args.back()) : *value;
        if (!failedInBody && *value && reduces)
          yielded = combine
                        ? combine(nested, at, args.back(), yielded)
                        : Value(arith::AddFOp::create(nested, at, args.back(),
                                                      plainMatmul(yielded)));
        linalg::YieldOp::create(nested, at, yielded);
        failedInBody |= succeeded(value) && !*value;
      });
  if (failedInBody) {
    generic.erase();
    return failure();
  }
  eraseDead(*generic.getBody());
  if (llvm::any_of(*generic.getBody(), [&](Operation &inner) {
        return placeholders.contains(&inner);
      })) {
    generic.erase();
    return source.emitError(
        "'linalg.generic' has no derivative: a result reads "
        "the running value of another");
  }
  SmallVector<AffineMap> inputMaps(ArrayRef(maps).drop_back());
  return withInputs(b, generic,
                    selectInputs(*generic.getBody(), inputMaps, maps.back()))
      .getResult(0);
}

Value zero::emitParallel(
    OpBuilder &b, Location loc, RankedTensorType type, ValueRange inputs,
    ArrayRef<AffineMap> maps,
    llvm::function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return GenericOp::create(b, loc, type, inputs, empty, all, loops, body)
      .getResult(0);
}
