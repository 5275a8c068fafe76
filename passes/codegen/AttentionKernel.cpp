//===- AttentionKernel.cpp - Attention by blocks of queries ---------------===//
//
// Units are (batch, head) pairs.  For each, queries are taken in blocks of up
// to 64 rows against all the keys that any of them sees, so one tile of scores
// is alive and no T x S matrix is.  The causal half beyond a block is never
// computed.
//
//   forward   P = scale Q K^T;  per row: softmax of the visible part, zeros
//             beyond it, lse;  O = P V
//   backward  P = exp(scale Q K^T - lse), zeros beyond;  D = dO V^T
//             per row: D = P (D - sum(P D))
//             dQ = scale D K;  dK += scale D^T Q;  dV += P^T dO
//
// The backward takes the last block first: it sees every key, so it sets dK and
// dV and the others add.  Products on tiles are calls of zrt_sgemm_tile; rows
// are vector loops.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/KernelViews.h"
#include "passes/codegen/VectorLoops.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of one tile of scores; two of them live on a thread's stack.
constexpr int64_t kTileBytes = 256 << 10;

/// A strided matrix in memory: an address and the distance of rows.
struct Matrix {
  Value address; ///< i64
  int64_t rowStride;
};

class AttentionEmitter {
public:
  AttentionEmitter(func::FuncOp kernel, Operation *op, OpBuilder &b,
                   KernelViews &views, RankedTensorType q, RankedTensorType k,
                   double scale, bool causal)
      : kernel(kernel), op(op), loc(op->getLoc()), b(b), views(views),
        heads(q.getDimSize(2)), queries(q.getDimSize(1)), keys(k.getDimSize(1)),
        width(q.getDimSize(3)), scale(scale), causal(causal) {
    block = std::clamp<int64_t>(kTileBytes / 4 / keys, 1, 64);
    block = std::min(block, queries);
  }

  LogicalResult forward(nn::AttentionOp attention);
  LogicalResult backward(nn::AttentionBackwardOp attention);

private:
  func::FuncOp kernel;
  Operation *op;
  Location loc;
  OpBuilder &b;
  KernelViews &views;
  int64_t heads, queries, keys, width;
  double scale;
  bool causal;
  int64_t block;
  Value batchIndex, headIndex;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value asI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinUIOp::create(b, loc, x, y); }

  /// The rows of this batch and head, from `row` on, of a [B, T, H, D] view.
  FailureOr<Matrix> rowsOf(Value view, Value row) {
    auto type = cast<MemRefType>(view.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)) || strides[3] != 1 ||
        llvm::is_contained(strides, ShapedType::kDynamic) ||
        ShapedType::isDynamic(offset))
      return op->emitError("reads a view whose rows are not contiguous: ")
             << type;
    Value position =
        arith::MulIOp::create(b, loc, batchIndex, constant(strides[0]));
    position =
        add(position, arith::MulIOp::create(b, loc, row, constant(strides[1])));
    position = add(position, arith::MulIOp::create(b, loc, headIndex,
                                                   constant(strides[2])));
    // The pointer below is that of the whole buffer: the view's offset counts.
    position = add(position, constant(offset));
    return Matrix{addressOf(view, position), strides[1]};
  }

  Value addressOf(Value view, Value element) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view);
    Value bytes = arith::MulIOp::create(b, loc, element, constant(4));
    return asI64(add(base, bytes));
  }

  Matrix tileMatrix(Value tile) {
    return {asI64(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, tile)),
            keys};
  }

  Value newTile() {
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.getBody().front());
    return memref::AllocaOp::create(
        entry, loc, MemRefType::get({block, keys}, b.getF32Type()),
        b.getI64IntegerAttr(64));
  }

  func::FuncOp tileProduct() {
    auto module = kernel->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<func::FuncOp>("zrt_sgemm_tile"))
      return known;
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    Type i32 = b.getI32Type(), i64 = b.getI64Type(), f32 = b.getF32Type(),
         pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto function = func::FuncOp::create(
        top, loc, "zrt_sgemm_tile",
        b.getFunctionType({i32, i32, i64, i64, i64, f32, pointer, i64, pointer,
                           i64, f32, pointer, i64},
                          {}));
    function.setPrivate();
    return function;
  }

  /// c = alpha op(a) op(b) + beta c
  void product(bool transposeA, bool transposeB, Value m, Value n, Value k,
               double alpha, Matrix a, Matrix bb, Value beta, Matrix c) {
    auto flag = [&](bool value) -> Value {
      return arith::ConstantIntOp::create(b, loc, value, 32);
    };
    auto pointer = [&](Matrix x) -> Value {
      return LLVM::IntToPtrOp::create(
          b, loc, LLVM::LLVMPointerType::get(b.getContext()), x.address);
    };
    auto stride = [&](Matrix x) -> Value {
      return arith::ConstantIntOp::create(b, loc, x.rowStride, 64);
    };
    Value factor = nn::constant(b, loc, b.getF32Type(), alpha);
    func::CallOp::create(b, loc, tileProduct(),
                         ValueRange{flag(transposeA), flag(transposeB),
                                    asI64(m), asI64(n), asI64(k), factor,
                                    pointer(a), stride(a), pointer(bb),
                                    stride(bb), beta, pointer(c), stride(c)});
  }

  Value zeroF32() { return nn::constant(b, loc, b.getF32Type(), 0); }

  /// Opens the loop over units and over blocks of queries, and calls `emit`
  /// with the block's first query, its size, its keys and its number from the
  /// start of the walk.
  LogicalResult
  forBlocks(bool lastFirst,
            llvm::function_ref<LogicalResult(Value first, Value size,
                                             Value seen, Value number)>
                emit) {
    OpBuilder::InsertionGuard guard(b);
    auto units =
        scf::ForOp::create(b, loc, views.begin, views.end, constant(1));
    b.setInsertionPointToStart(units.getBody());
    batchIndex = arith::DivUIOp::create(b, loc, units.getInductionVar(),
                                        constant(heads));
    headIndex = arith::RemUIOp::create(b, loc, units.getInductionVar(),
                                       constant(heads));
    int64_t count = llvm::divideCeil(queries, block);
    auto blocks =
        scf::ForOp::create(b, loc, constant(0), constant(count), constant(1));
    b.setInsertionPointToStart(blocks.getBody());
    Value number = blocks.getInductionVar();
    Value place = lastFirst ? sub(constant(count - 1), number) : number;
    Value first = arith::MulIOp::create(b, loc, place, constant(block));
    Value size = min(constant(block), sub(constant(queries), first));
    Value seen = causal ? add(add(first, size), constant(keys - queries))
                        : constant(keys);
    return emit(first, size, seen, number);
  }

  /// Opens a loop over the rows of a block.
  void forRows(Value size, llvm::function_ref<void(Value row)> emit) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, loc, constant(0), size, constant(1));
    b.setInsertionPointToStart(loop.getBody());
    emit(loop.getInductionVar());
  }

  /// Keys that a row sees.
  Value visible(Value first, Value row) {
    if (!causal)
      return constant(keys);
    return add(add(first, row), constant(keys - queries + 1));
  }

  using RowBody = llvm::function_ref<SmallVector<Value>(OpBuilder &, Value,
                                                        Value, ValueRange)>;
  SmallVector<Value> overKeys(Value from, Value to, ValueRange carried,
                              RowBody body) {
    return forVectors(b, loc, from, to, carried, body);
  }

  Value splat(double value) {
    return nn::constant(b, loc, VectorType::get({kLanes}, b.getF32Type()),
                        value);
  }
  static Value broadcast(OpBuilder &at, Location loc, Value scalar) {
    return vector::BroadcastOp::create(
        at, loc, VectorType::get({kLanes}, scalar.getType()), scalar);
  }
  OperationName nameOf(StringRef name) {
    return OperationName(name, b.getContext());
  }

  void zeroBeyond(Value tile, Value row, Value from, Value to) {
    overKeys(from, to, {}, [&](OpBuilder &at, Value j, Value mask, ValueRange) {
      Value zeros =
          nn::constant(at, loc, VectorType::get({kLanes}, at.getF32Type()), 0);
      storeVector(at, loc, zeros, tile, {row, j}, mask);
      return SmallVector<Value>();
    });
  }

  /// Lanes off the mask keep what they have.
  Value keep(OpBuilder &at, Value mask, Value now, Value old) {
    return mask ? arith::SelectOp::create(at, loc, mask, now, old).getResult()
                : now;
  }
};

LogicalResult AttentionEmitter::forward(nn::AttentionOp attention) {
  Value q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        out = views.result(attention.getResult()),
        lse = attention.getLse() ? views.result(attention.getLse()) : Value();
  if (!q || !k || !v || !out ||
      (attention.getLse() && !lse && !attention.getLse().use_empty()))
    return op->emitError("is used in a way that its kernel does not support");
  Value tile = newTile();
  return forBlocks(
      false, [&](Value first, Value size, Value seen, Value) -> LogicalResult {
        FailureOr<Matrix> qs = rowsOf(q, first), ks = rowsOf(k, constant(0)),
                          vs = rowsOf(v, constant(0)), os = rowsOf(out, first);
        if (failed(qs) || failed(ks) || failed(vs) || failed(os))
          return failure();
        Value wide = constant(width);
        product(false, true, size, seen, wide, scale, *qs, *ks, zeroF32(),
                tileMatrix(tile));
        forRows(size, [&](Value row) {
          Value end = visible(first, row);
          Value zero = constant(0);
          Value lanes = overKeys(
              zero, end, {splat(-INFINITY)},
              [&](OpBuilder &at, Value j, Value mask, ValueRange carried) {
                Value s = loadVector(at, loc, tile, {row, j}, mask);
                Value max = arith::MaximumFOp::create(at, loc, carried[0], s);
                return SmallVector<Value>{keep(at, mask, max, carried[0])};
              })[0];
          Value max = combineLanes(b, loc, nameOf("arith.maximumf"), lanes);
          lanes = overKeys(
              zero, end, {splat(0)},
              [&](OpBuilder &at, Value j, Value mask, ValueRange carried) {
                nn::S s(at, loc, loadVector(at, loc, tile, {row, j}, mask));
                Value e = nn::exp(s - s.with(broadcast(at, loc, max)));
                storeVector(at, loc, e, tile, {row, j}, mask);
                Value sum = arith::AddFOp::create(at, loc, carried[0], e);
                return SmallVector<Value>{keep(at, mask, sum, carried[0])};
              })[0];
          nn::S sum(b, loc, combineLanes(b, loc, nameOf("arith.addf"), lanes));
          overKeys(zero, end, {},
                   [&](OpBuilder &at, Value j, Value mask, ValueRange) {
                     nn::S e(at, loc,
                             loadVector(at, loc, tile, {row, j}, mask));
                     storeVector(at, loc, e / e.with(broadcast(at, loc, sum)),
                                 tile, {row, j}, mask);
                     return SmallVector<Value>();
                   });
          zeroBeyond(tile, row, end, seen);
          if (lse) {
            Value value = sum.with(max) + nn::log(sum);
            memref::StoreOp::create(
                b, loc, value, lse,
                ValueRange{batchIndex, headIndex, add(first, row)});
          }
        });
        product(false, false, size, wide, seen, 1.0, tileMatrix(tile), *vs,
                zeroF32(), *os);
        return success();
      });
}

LogicalResult AttentionEmitter::backward(nn::AttentionBackwardOp attention) {
  Value dO = views.operand(attention.getGrad()),
        q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        lse = views.operand(attention.getLse()),
        dq = views.result(attention.getDq()),
        dk = views.result(attention.getDk()),
        dv = views.result(attention.getDv());
  if (!dO || !q || !k || !v || !lse || !dq || !dk || !dv)
    return op->emitError("is used in a way that its kernel does not support");
  Value p = newTile(), d = newTile();
  return forBlocks(
      true,
      [&](Value first, Value size, Value seen, Value number) -> LogicalResult {
        Value zero = constant(0), wide = constant(width);
        FailureOr<Matrix> gs = rowsOf(dO, first), qs = rowsOf(q, first),
                          ks = rowsOf(k, zero), vs = rowsOf(v, zero),
                          dqs = rowsOf(dq, first), dks = rowsOf(dk, zero),
                          dvs = rowsOf(dv, zero);
        for (auto *matrix : {&gs, &qs, &ks, &vs, &dqs, &dks, &dvs})
          if (failed(*matrix))
            return failure();
        product(false, true, size, seen, wide, scale, *qs, *ks, zeroF32(),
                tileMatrix(p));
        product(false, true, size, seen, wide, 1.0, *gs, *vs, zeroF32(),
                tileMatrix(d));
        forRows(size, [&](Value row) {
          Value end = visible(first, row);
          Value norm = memref::LoadOp::create(
              b, loc, lse, ValueRange{batchIndex, headIndex, add(first, row)});
          Value lanes = overKeys(
              zero, end, {splat(0)},
              [&](OpBuilder &at, Value j, Value mask, ValueRange carried) {
                nn::S s(at, loc, loadVector(at, loc, p, {row, j}, mask));
                nn::S dp = s.with(loadVector(at, loc, d, {row, j}, mask));
                nn::S e = nn::exp(s - s.with(broadcast(at, loc, norm)));
                storeVector(at, loc, e, p, {row, j}, mask);
                Value sum = s.with(carried[0]) + e * dp;
                return SmallVector<Value>{keep(at, mask, sum, carried[0])};
              })[0];
          Value dot = combineLanes(b, loc, nameOf("arith.addf"), lanes);
          overKeys(zero, end, {},
                   [&](OpBuilder &at, Value j, Value mask, ValueRange) {
                     nn::S e(at, loc, loadVector(at, loc, p, {row, j}, mask));
                     nn::S dp = e.with(loadVector(at, loc, d, {row, j}, mask));
                     storeVector(at, loc,
                                 e * (dp - e.with(broadcast(at, loc, dot))), d,
                                 {row, j}, mask);
                     return SmallVector<Value>();
                   });
          zeroBeyond(p, row, end, seen);
          zeroBeyond(d, row, end, seen);
        });
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              number, zero);
        Value beta =
            arith::SelectOp::create(b, loc, isFirst, zeroF32(),
                                    nn::constant(b, loc, b.getF32Type(), 1));
        product(false, false, size, wide, seen, scale, tileMatrix(d), *ks,
                zeroF32(), *dqs);
        product(true, false, seen, wide, size, scale, tileMatrix(d), *qs, beta,
                *dks);
        product(true, false, seen, wide, size, 1.0, tileMatrix(p), *gs, beta,
                *dvs);
        return success();
      });
}

} // namespace

LogicalResult zero::emitAttentionKernel(func::FuncOp kernel) {
  nn::AttentionOp forward;
  nn::AttentionBackwardOp backward;
  kernel.walk([&](nn::AttentionOp op) { forward = op; });
  kernel.walk([&](nn::AttentionBackwardOp op) { backward = op; });
  OpBuilder b(kernel.getContext());
  Operation *op = forward ? forward.getOperation() : backward.getOperation();
  if (!cast<RankedTensorType>(op->getResult(0).getType())
           .getElementType()
           .isF32())
    return op->emitError("has a kernel for f32 only; compile with --reference");
  KernelViews views(kernel, b);
  LogicalResult result = failure();
  if (forward) {
    AttentionEmitter emitter(kernel, forward, b, views,
                             forward.getQ().getType(), forward.getK().getType(),
                             forward.getScale().convertToDouble(),
                             forward.getCausal());
    result = emitter.forward(forward);
  } else {
    AttentionEmitter emitter(
        kernel, backward, b, views, backward.getQ().getType(),
        backward.getK().getType(), backward.getScale().convertToDouble(),
        backward.getCausal());
    result = emitter.backward(backward);
  }
  if (succeeded(result))
    views.finish();
  return result;
}
