//===- ChunkLoss.cpp - A loss whose logits never exist whole --------------===//
//
// Vocabularies are large, so logits are the largest value of a step, although
// they live only from the product that makes them to the two products that read
// their gradient.  Their rows are independent, so all of this is done in chunks
// of rows, one after the other.  Only one chunk of logits is alive at a time,
// and its gradient takes its bytes:
//
//   logits = x w^T                  for each chunk i of rows:
//   loss   = cross_entropy(logits)    xi  = rows of x           (no bytes move)
//   d      = its backward        =>   li  = xi wT, lossi, di
//   dx     = d w                      dxi = di w
//   dw     = dT x                     dw += diT xi              (init)
//   dbias  = sum of rows of d         dbias += those of di      (init)
//                                   loss = loss0 + loss1 + ...
//                                   dx   = dx0, dx1, ...        (no bytes move)
//
// 1. Match a loss, its backward, and all readers of the gradient.
// 2. Move the values that the chunks read, such as the loss's own adjoint,
//    before the loss.
// 3. Emit the chunks in place of the loss.
//
// Operations on each logit in between, such as a soft cap, and on its gradient
// are done chunk by chunk, too.
//
// If the loss is that of each row, its adjoint depends on all chunks.  Then a
// second pass over the chunks computes the logits again for the gradient, where
// that is read; without a gradient there is no second pass.
//
// The count that divides the loss is an operand and stays the count of all
// rows.  How rows are cut depends on shapes alone, so every stage and number of
// ranks computes the same bits.
//
// The pass leaves alone logits or gradients with another reader, a mean without
// a gradient, and one whose adjoint depends on the loss, which is known only
// after the last chunk.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/BytesText.h"
#include "passes/kernels/ChunkedLoss.h"
#include "passes/kernels/Passes.h"
#include "passes/model/ModelFunction.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-chunk-loss"

namespace mlir::zero {
#define GEN_PASS_DEF_CHUNKLOSS
#include "passes/kernels/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Chunks start at multiples of this many rows, so that they start at a cache
/// line for any size of a row.
constexpr int64_t kAlignment = BucketOp::kAlignment;

/// The most chunks of a loss; each is several operations of the step.
constexpr int64_t kMaxChunks = 1024;

/// Rows of a chunk: as few chunks as the limit allows, of equal size.
FailureOr<int64_t> getChunkRows(ChunkedLoss &loss, int64_t chunkBytes) {
  int64_t rowBytes = getByteSize(loss.logits.getResult().getType()) / loss.rows;
  if (chunkBytes <= 0 || loss.rows * rowBytes <= chunkBytes)
    return loss.rows;
  int64_t most =
      std::max<int64_t>(chunkBytes / rowBytes / kAlignment, 1) * kAlignment;
  int64_t chunks = llvm::divideCeil(loss.rows, most);
  if (chunks > kMaxChunks)
    return loss.entropy.emitOpError("of ")
           << loss.rows << " rows of logits, " << bytesText(rowBytes)
           << " each, would be cut into " << chunks << " chunks of at most "
           << bytesText(chunkBytes) << ", more than " << kMaxChunks
           << "; use a --loss-chunk of at least "
           << bytesText(llvm::alignTo(llvm::divideCeil(loss.rows, kMaxChunks),
                                      kAlignment) *
                        rowBytes)
           << ", or fewer tokens";
  return llvm::alignTo(llvm::divideCeil(loss.rows, chunks), kAlignment);
}

class Chunker {
public:
  Chunker(ChunkedLoss loss, int64_t chunkRows)
      : loss(std::move(loss)), chunkRows(chunkRows), b(this->loss.entropy) {}

  void run() {
    // Before the first chunk.
    flatten(loss.entropy.getTargets());
    if (loss.entropy.isOfRows())
      return runRows();
    Value total;
    Readers readers(loss);
    forEachChunk([&] {
      Value logits = logitsOfChunk();
      nn::CrossEntropyOp chunk =
          lossOfChunk(logits, loss.entropy.getLoss().getType());
      total = total ? arith::AddFOp::create(b, chunk.getLoc(), total,
                                            chunk.getLoss())
                          .getResult()
                    : Value(chunk.getLoss());
      backwardOfChunk(logits, chunk.getLse(), readers);
    });
    loss.entropy.getLoss().replaceAllUsesWith(total);
    finish(readers);
  }

private:
  /// What the readers of the gradient have computed so far.
  struct Readers {
    explicit Readers(const ChunkedLoss &loss)
        : sums(loss.readers.size()), pieces(loss.readers.size()) {}
    SmallVector<Value> sums;
    SmallVector<SmallVector<Value>> pieces;
  };

  ChunkedLoss loss;
  int64_t chunkRows, first = 0;
  OpBuilder b;
  DenseMap<Value, Value> slices; ///< slices for this chunk
  DenseMap<Value, Value> flattened;
  IRMapping chunkOf; ///< values of each logit for this chunk

  void forEachChunk(llvm::function_ref<void()> emit) {
    for (first = 0; first < loss.rows; first += chunkRows) {
      slices.clear();
      chunkOf.clear();
      emit();
    }
  }

  /// The losses of all rows, then their gradient from logits that are computed
  /// again.
  void runRows() {
    nn::CrossEntropyOp entropy = loss.entropy;
    SmallVector<Value> rows, lse;
    forEachChunk([&] {
      Value logits = logitsOfChunk();
      nn::CrossEntropyOp chunk = lossOfChunk(logits, rowsOf(logits));
      rows.push_back(chunk.getLoss());
      lse.push_back(chunk.getLse());
    });
    RankedTensorType type = entropy.getLoss().getType();
    auto flat = type.clone({type.getNumElements()});
    Value all = JoinOp::create(b, entropy.getLoc(), flat, rows);
    if (type.getRank() > 1)
      all = tensor::ExpandShapeOp::create(b, entropy.getLoc(), type, all,
                                          allOf(type));
    entropy.getLoss().replaceAllUsesWith(all);
    if (!loss.backward)
      return;
    b.setInsertionPoint(loss.backward);
    Readers readers(loss);
    forEachChunk([&] {
      backwardOfChunk(logitsOfChunk(), lse[first / chunkRows], readers);
    });
    finish(readers);
  }

  Value logitsOfChunk() {
    nn::MatmulOp whole = loss.logits;
    Value made = product(whole, slice(whole.getA()), whole.getB(),
                         whole.getBias(), /*init=*/Value(),
                         /*result=*/whole.getResult().getType());
    if (!hasCap(loss))
      return nn::widen(b, loss.entropy.getLoc(), made);
    chunkOf.map(whole.getResult(), made);
    repeat(loss.before, chunkOf);
    return chunkOf.lookup(loss.entropy.getLogits());
  }

  RankedTensorType rowsOf(Value logits) {
    auto type = cast<RankedTensorType>(logits.getType());
    return type.clone(type.getShape().drop_back());
  }

  nn::CrossEntropyOp lossOfChunk(Value logits, RankedTensorType type) {
    nn::CrossEntropyOp entropy = loss.entropy;
    return nn::CrossEntropyOp::create(
        b, entropy.getLoc(), type, rowsOf(logits), logits,
        slice(flatten(entropy.getTargets())),
        sliceOfWeights(entropy.getWeights()), entropy.getCount(),
        entropy.getIgnoreIndexAttr(), entropy.getLabelSmoothingAttr(),
        entropy.getZLossAttr());
  }

  /// Adds the gradient of a chunk to what reads it.
  void backwardOfChunk(Value logits, Value lse, Readers &found) {
    nn::CrossEntropyBackwardOp backward = loss.backward;
    nn::MatmulOp whole = loss.logits;
    auto type = cast<RankedTensorType>(logits.getType());
    Value gradient = nn::CrossEntropyBackwardOp::create(
        b, backward.getLoc(), backward.getGrad(), logits,
        slice(flatten(backward.getTargets())), lse,
        sliceOfWeights(backward.getWeights()), backward.getCount(),
        backward.getIgnoreIndexAttr(), backward.getLabelSmoothingAttr(),
        backward.getZLossAttr());
    if (hasCap(loss)) {
      chunkOf.map(backward.getDlogits(), gradient);
      repeat(loss.after, chunkOf);
      gradient = nn::widen(b, gradient.getLoc(), chunkOf.lookup(loss.gradient));
    }
    // Products read the gradient in the type in which they read the logits.
    Value rounded =
        nn::roundTo(b, gradient.getLoc(), gradient,
                    type.clone(whole.getResult().getType().getElementType()));
    for (auto [i, reader] : llvm::enumerate(loss.readers)) {
      Value &sum = found.sums[i];
      if (!reader.other)
        sum = rowSum(reader.op->getLoc(),
                     nn::widen(b, gradient.getLoc(), rounded), sum);
      else if (reader.sums)
        sum = read(reader, rounded, slice(reader.other), sum);
      else
        found.pieces[i].push_back(read(reader, rounded, reader.other, Value()));
    }
  }

  void finish(Readers &found) {
    for (auto [i, reader] : llvm::enumerate(loss.readers)) {
      Value old = reader.op->getResult(0);
      old.replaceAllUsesWith(
          reader.sums
              ? nn::roundTo(b, old.getLoc(), found.sums[i], old.getType())
              : JoinOp::create(b, old.getLoc(), old.getType(), found.pieces[i])
                    .getResult());
    }
  }

  Value sliceOfWeights(Value weights) {
    return weights ? slice(flatten(weights)) : Value();
  }

  static SmallVector<ReassociationIndices> allOf(RankedTensorType type) {
    return {llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))};
  }

  /// Targets, or weights, as one dimension.
  Value flatten(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 1)
      return value;
    Value &flat = flattened[value];
    if (!flat)
      flat = tensor::CollapseShapeOp::create(b, loss.entropy.getLoc(), value,
                                             allOf(type));
    return flat;
  }

  /// Repeats operations on each element for this chunk.
  void repeat(ArrayRef<Operation *> ops, IRMapping &chunkOf) {
    int64_t rows = std::min(chunkRows, loss.rows - first);
    int64_t columns = loss.logits.getResult().getType().getDimSize(1);
    auto chunkType = [&](Value value) {
      return cast<RankedTensorType>(value.getType()).clone({rows, columns});
    };
    for (Operation *op : ops) {
      if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
        chunkOf.map(op->getResult(0), chunkOf.lookup(op->getOperand(0)));
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        if (Value mapped = chunkOf.lookupOrNull(operand)) {
          operands.push_back(mapped);
          continue;
        }
        auto splat = cast<SplatElementsAttr>(
            operand.getDefiningOp<arith::ConstantOp>().getValue());
        operands.push_back(arith::ConstantOp::create(
            b, op->getLoc(),
            splat.resizeSplat(cast<ShapedType>(chunkType(operand)))));
      }
      Operation *copy = b.clone(*op);
      copy->setOperands(operands);
      copy->getResult(0).setType(chunkType(op->getResult(0)));
      chunkOf.map(op->getResult(0), copy->getResult(0));
    }
  }

  /// This chunk's rows of `value`.
  Value slice(Value value) {
    Value &rows = slices[value];
    if (!rows) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = std::min(chunkRows, loss.rows - first);
      rows =
          SplitOp::create(b, value.getLoc(), type.clone(shape), value, first);
    }
    return rows;
  }

  /// The sum of the rows of `values`, added to that of the chunks before.
  Value rowSum(Location loc, Value values, Value before) {
    Value sum = nn::reduceSum(b, loc, {values}, {"rv"}, "v", nn::identity);
    if (before)
      sum.getDefiningOp<linalg::GenericOp>().getDpsInitsMutable()[0].set(
          before);
    return sum;
  }

  Value read(const GradientReader &reader, Value gradient, Value other,
             Value init) {
    auto whole = cast<nn::MatmulOp>(reader.op);
    bool isA = whole.getB() == reader.other;
    RankedTensorType type = whole.getResult().getType();
    // Sums that other chunks add to are not rounded.
    if (reader.sums)
      type = type.clone(nn::getSumType(type.getElementType()));
    return product(whole, isA ? gradient : other, isA ? other : gradient,
                   Value(), init, type);
  }

  /// A product like `like`; the result has the element type of `result`.
  Value product(nn::MatmulOp like, Value a, Value c, Value bias, Value init,
                RankedTensorType result) {
    auto extent = [](Value value, unsigned dim) {
      return cast<RankedTensorType>(value.getType()).getDimSize(dim);
    };
    auto type = result.clone({extent(a, like.getTransposeA() ? 1 : 0),
                              extent(c, like.getTransposeB() ? 0 : 1)});
    return nn::MatmulOp::create(b, like.getLoc(), cast<RankedTensorType>(type),
                                a, c, bias, init, like.getTransposeA(),
                                like.getTransposeB());
  }
};

struct ChunkLossPass : zero::impl::ChunkLossBase<ChunkLossPass> {
  using ChunkLossBase::ChunkLossBase;

  void runOnOperation() override {
    SmallVector<nn::CrossEntropyOp> losses;
    walkFunctions(getOperation(),
                  [&](nn::CrossEntropyOp op) { losses.push_back(op); });
    IRRewriter rewriter(&getContext());
    llvm::SmallSetVector<Block *, 1> changed;
    for (nn::CrossEntropyOp op : losses) {
      std::optional<ChunkedLoss> loss = matchLoss(op);
      if (!loss)
        continue;
      FailureOr<int64_t> rows = getChunkRows(*loss, chunkBytes);
      if (failed(rows))
        return signalPassFailure();
      if (*rows >= loss->rows)
        continue;
      SmallVector<Value> read;
      for (const GradientReader &reader : loss->readers)
        if (reader.other)
          read.push_back(reader.other);
      if (!op.isOfRows())
        read.push_back(loss->backward.getGrad());
      Operation *reads = op.isOfRows() && loss->backward
                             ? loss->backward.getOperation()
                             : op.getOperation();
      if (failed(moveValueDefinitions(rewriter, read, reads)))
        continue;
      LDBG() << "loss of " << loss->rows << " rows in chunks of " << *rows;
      Chunker(*loss, *rows).run();
      changed.insert(op->getBlock());
    }
    for (Block *block : changed)
      eraseDead(*block);
  }
};

} // namespace
