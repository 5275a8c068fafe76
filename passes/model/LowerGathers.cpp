//===- LowerGathers.cpp - Turns captured tensors into operands ------------===//
//
// A body of linalg.generic may read a tensor from outside at any place.  Such a
// read has no operand that could carry its adjoint:
//
//   %y = linalg.generic ins(%ids) {
//     %row = arith.index_cast %id
//     %column = linalg.index 1
//     %v = tensor.extract %table[%row, %column]
//
// * If the indices are loops, the tensor becomes an operand with that map.
// * If they are constants, or constants followed by loops, the slice at that
//   place becomes the operand.
// * Otherwise the leading dimensions of the tensor, up to the last one whose
//   index is computed, are flattened into rows.  A generic computes the row of
//   each point, nn.embedding reads the rows, and its result becomes the
//   operand.
//
//   %rows = linalg.generic ins(%ids) : i32
//   %read = nn.embedding %rows, %table
//   %y = linalg.generic ins(%ids, %read)
//
// The derivative is then nn.embedding's, a scatter in the order of the points.
// A read of single elements is one of rows of length 1.
//
// An index outside of the tensor is undefined in tensor.extract.  If an index
// can be outside, 0 replaces it and NaN replaces the value: then nothing is
// read out of bounds, and no wrong number results.
//
//===----------------------------------------------------------------------===//

#include "passes/model/LoopsOfGeneric.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

#include <limits>

#define DEBUG_TYPE "zero-lower-gathers"

namespace mlir::zero {
#define GEN_PASS_DEF_LOWERGATHERS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using linalg::GenericOp;

namespace {

/// The loop whose index `index` is, if it is one.
std::optional<unsigned> asLoop(Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim();
  return std::nullopt;
}

/// The operations that compute the indices of a read in the body of a generic.
struct IndexSlice {
  /// In program order.
  SmallVector<Operation *> ops;
  /// Inputs of the generic that they read.
  llvm::SmallSetVector<unsigned, 4> inputs;
  llvm::SmallBitVector loops;

  /// Fails where they read an accumulator.
  static FailureOr<IndexSlice> of(GenericOp op, ValueRange indices) {
    IndexSlice slice;
    slice.loops.resize(op.getNumLoops());
    Block *body = op.getBody();
    SmallVector<Value> open(indices);
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (auto arg = dyn_cast<BlockArgument>(value);
          arg && arg.getOwner() == body) {
        if (arg.getArgNumber() >= op.getNumDpsInputs())
          return failure();
        slice.inputs.insert(arg.getArgNumber());
        AffineMap map = op.getIndexingMapsArray()[arg.getArgNumber()];
        for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
          if (map.isFunctionOfDim(loop))
            slice.loops.set(loop);
        continue;
      }
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != body || !seen.insert(source).second)
        continue;
      if (source->getNumRegions() != 0 || !isMemoryEffectFree(source))
        return failure();
      if (std::optional<unsigned> loop = asLoop(value))
        slice.loops.set(*loop);
      slice.ops.push_back(source);
      llvm::append_range(open, source->getOperands());
    }
    llvm::sort(slice.ops, [](Operation *x, Operation *y) {
      return x->isBeforeInBlock(y);
    });
    return slice;
  }
};

/// Whether `index` lies within a dimension of `size` for all inputs.
bool isWithin(GenericOp op, Value index, int64_t size) {
  if (std::optional<unsigned> loop = asLoop(index))
    return op.getStaticLoopRanges()[*loop] <= size;
  APInt place;
  return matchPattern(index, m_ConstantInt(&place)) && !place.isNegative() &&
         place.slt(size);
}

/// `value` in another shape of as many elements, reshaped through one
/// dimension.
Value reshape(OpBuilder &b, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto all = [](int64_t rank) {
    return ReassociationIndices(llvm::to_vector(llvm::seq(rank)));
  };
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, loc, value,
                                            ArrayRef{all(type.getRank())});
  if (shape.size() > 1)
    value = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), value,
        ArrayRef{all(shape.size())});
  return value;
}

/// Rebuilds `op` with one more input, `input`, read at `place`, and returns its
/// element in the body.
BlockArgument addInput(PatternRewriter &rewriter, GenericOp op, Value input,
                       ArrayRef<AffineExpr> place) {
  auto map = AffineMap::get(op.getNumLoops(), 0, place, op.getContext());
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps(op.getIndexingMapsArray());
  maps.insert(maps.begin() + inputs.size(), map);
  inputs.push_back(input);
  auto wider =
      GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs,
                        op.getDpsInits(), maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), wider.getRegion(),
                              wider.getRegion().begin());
  BlockArgument element = wider.getBody()->insertArgument(
      inputs.size() - 1,
      cast<RankedTensorType>(input.getType()).getElementType(), op.getLoc());
  rewriter.replaceOp(op, wider.getResults());
  return element;
}

struct ReadThroughOperand : OpRewritePattern<GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
      return failure();
    for (auto read : op.getBody()->getOps<tensor::ExtractOp>()) {
      RankedTensorType type = read.getTensor().getType();
      if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape() ||
          op.getRegion().isAncestor(read.getTensor().getParentRegion()))
        continue;
      if (succeeded(readByLoops(op, read, rewriter)) ||
          succeeded(readSlice(op, read, rewriter)) ||
          succeeded(readRows(op, read, rewriter)))
        return success();
    }
    return failure();
  }

private:
  /// Handles indices that are distinct loops over the whole tensor.
  static LogicalResult readByLoops(GenericOp op, tensor::ExtractOp read,
                                   PatternRewriter &rewriter) {
    SmallVector<AffineExpr> place;
    llvm::SmallDenseSet<unsigned> used;
    for (auto [index, size] : llvm::zip_equal(
             read.getIndices(), read.getTensor().getType().getShape())) {
      std::optional<unsigned> loop = asLoop(index);
      if (!loop || op.getStaticLoopRanges()[*loop] != size ||
          !used.insert(*loop).second)
        return failure();
      place.push_back(rewriter.getAffineDimExpr(*loop));
    }
    rewriter.replaceOp(read, addInput(rewriter, op, read.getTensor(), place));
    return success();
  }

  /// The number of trailing dimensions that are read whole, by loops on which
  /// no earlier index depends.
  static unsigned countColumns(GenericOp op, tensor::ExtractOp read) {
    SmallVector<Value> indices(read.getIndices());
    ArrayRef<int64_t> shape = read.getTensor().getType().getShape();
    unsigned columns = 0;
    while (columns < indices.size()) {
      unsigned dim = indices.size() - 1 - columns;
      std::optional<unsigned> loop = asLoop(indices[dim]);
      if (!loop || op.getStaticLoopRanges()[*loop] != shape[dim])
        break;
      ++columns;
    }
    for (; columns > 0; --columns) {
      auto [before, whole] = std::pair(ArrayRef(indices).drop_back(columns),
                                       ArrayRef(indices).take_back(columns));
      FailureOr<IndexSlice> slice = IndexSlice::of(op, before);
      llvm::SmallDenseSet<unsigned> loops;
      if (succeeded(slice) && llvm::all_of(whole, [&](Value index) {
            return !slice->loops[*asLoop(index)] &&
                   loops.insert(*asLoop(index)).second;
          }))
        break;
    }
    return columns;
  }

  /// Handles constants that are followed by loops over whole dimensions.
  static LogicalResult readSlice(GenericOp op, tensor::ExtractOp read,
                                 PatternRewriter &rewriter) {
    RankedTensorType type = read.getTensor().getType();
    unsigned columns = countColumns(op, read),
             leading = type.getRank() - columns;
    SmallVector<OpFoldResult> offsets, sizes,
        ones(type.getRank(), rewriter.getIndexAttr(1));
    for (auto [index, size] :
         llvm::zip_equal(read.getIndices().take_front(leading),
                         type.getShape().take_front(leading))) {
      APInt place;
      if (!matchPattern(index, m_ConstantInt(&place)) ||
          !isWithin(op, index, size))
        return failure();
      offsets.push_back(rewriter.getIndexAttr(place.getSExtValue()));
      sizes.push_back(rewriter.getIndexAttr(1));
    }
    ArrayRef<int64_t> whole = type.getShape().take_back(columns);
    SmallVector<AffineExpr> place;
    for (auto [index, size] :
         llvm::zip_equal(read.getIndices().take_back(columns), whole)) {
      offsets.push_back(rewriter.getIndexAttr(0));
      sizes.push_back(rewriter.getIndexAttr(size));
      place.push_back(rewriter.getAffineDimExpr(*asLoop(index)));
    }
    rewriter.setInsertionPoint(op);
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, read.getLoc(),
        RankedTensorType::get(whole, type.getElementType()), read.getTensor(),
        offsets, sizes, ones);
    rewriter.replaceOp(read, addInput(rewriter, op, slice, place));
    return success();
  }

  static LogicalResult readRows(GenericOp op, tensor::ExtractOp read,
                                PatternRewriter &rewriter) {
    Location loc = read.getLoc();
    RankedTensorType type = read.getTensor().getType();
    unsigned columns = countColumns(op, read);
    unsigned leading = type.getRank() - columns;
    if (leading == 0)
      return failure();
    ValueRange indices = read.getIndices().take_front(leading);
    FailureOr<IndexSlice> slice = IndexSlice::of(op, indices);
    ArrayRef<int64_t> sizes = type.getShape().take_front(leading);
    int64_t rows = llvm::product_of(sizes);
    if (failed(slice) || slice->loops.none() ||
        rows > std::numeric_limits<int32_t>::max())
      return failure();

    rewriter.setInsertionPoint(op);
    Value row = emitRows(op, indices, sizes, *slice, loc, rewriter);
    Value table =
        reshape(rewriter, loc, read.getTensor(),
                {rows, llvm::product_of(type.getShape().take_back(columns))});
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(row.getType()).getShape());
    shape.push_back(cast<RankedTensorType>(table.getType()).getDimSize(1));
    Value gathered = nn::EmbeddingOp::create(
        rewriter, loc, RankedTensorType::get(shape, type.getElementType()), row,
        table, /*padding=*/IntegerAttr());
    shape.pop_back();
    llvm::append_range(shape, type.getShape().take_back(columns));
    gathered = reshape(rewriter, loc, gathered, shape);

    SmallVector<AffineExpr> place;
    for (unsigned loop : slice->loops.set_bits())
      place.push_back(rewriter.getAffineDimExpr(loop));
    for (Value index : read.getIndices().take_back(columns))
      place.push_back(rewriter.getAffineDimExpr(*asLoop(index)));
    BlockArgument element = addInput(rewriter, op, gathered, place);
    auto wider = cast<GenericOp>(element.getOwner()->getParentOp());

    rewriter.setInsertionPoint(read);
    Value value = element;
    if (Value valid =
            emitValid(wider, indices, indices, sizes, loc, rewriter)) {
      nn::S in(rewriter, loc, value);
      value = nn::select(valid, in,
                         in.constant(std::numeric_limits<double>::quiet_NaN()));
    }
    LDBG() << "an operand is read for " << *read;
    rewriter.replaceOp(read, value);
    return success();
  }

  /// Emits whether all indices are in bounds; null if they always are.
  /// `values` are the indices at the builder's position.
  static Value emitValid(GenericOp op, ValueRange indices, ValueRange values,
                         ArrayRef<int64_t> sizes, Location loc, OpBuilder &b) {
    Value valid;
    for (auto [index, value, size] : llvm::zip_equal(indices, values, sizes)) {
      if (isWithin(op, index, size))
        continue;
      Value limit = arith::ConstantIndexOp::create(b, loc, size);
      Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           value, limit);
      valid =
          valid ? Value(arith::AndIOp::create(b, loc, valid, within)) : within;
    }
    return valid;
  }

  /// The row that each point of the slice's loops reads, as i32.
  static Value emitRows(GenericOp op, ValueRange indices,
                        ArrayRef<int64_t> sizes, const IndexSlice &slice,
                        Location loc, PatternRewriter &rewriter) {
    SmallVector<unsigned> loops(slice.loops.set_bits());
    SmallVector<AffineExpr> position(op.getNumLoops(),
                                     rewriter.getAffineConstantExpr(0));
    SmallVector<int64_t> shape;
    for (auto [i, loop] : llvm::enumerate(loops)) {
      position[loop] = rewriter.getAffineDimExpr(i);
      shape.push_back(op.getStaticLoopRanges()[loop]);
    }
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (unsigned input : slice.inputs) {
      inputs.push_back(op.getDpsInputs()[input]);
      maps.push_back(op.getIndexingMapsArray()[input].replaceDimsAndSymbols(
          position, {}, loops.size(), 0));
    }
    auto body = [&](OpBuilder &b, Location at, ValueRange args) {
      IRMapping map;
      for (auto [input, arg] : llvm::zip(slice.inputs, args))
        map.map(op.getBody()->getArgument(input), arg);
      for (Operation *inner : slice.ops) {
        Operation *copy = b.clone(*inner, map);
        if (auto index = dyn_cast<linalg::IndexOp>(copy))
          index.setDim(llvm::find(loops, index.getDim()) - loops.begin());
      }
      // Each index is within its own dimension, and so the row is within the
      // table.
      SmallVector<Value> places;
      for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
        Value place = map.lookupOrDefault(index);
        if (Value valid = emitValid(op, index, place, size, at, b))
          place = arith::SelectOp::create(
              b, at, valid, place, arith::ConstantIndexOp::create(b, at, 0));
        places.push_back(place);
      }
      Value row = places.front();
      for (auto [place, size] :
           llvm::drop_begin(llvm::zip_equal(places, sizes))) {
        Value scale = arith::ConstantIndexOp::create(b, at, size);
        Value start = arith::MulIOp::create(b, at, row, scale);
        row = arith::AddIOp::create(b, at, start, place);
      }
      row = arith::IndexCastOp::create(b, at, b.getI32Type(), row);
      linalg::YieldOp::create(b, at, row);
    };
    return zero::emitParallel(
        rewriter, loc, RankedTensorType::get(shape, rewriter.getI32Type()),
        inputs, maps, body);
  }
};

struct LowerGathersPass : zero::impl::LowerGathersBase<LowerGathersPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReadThroughOperand>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
