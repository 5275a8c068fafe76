//===- LibraryAttention.cpp - Attention by a device's library -------------===//

#include "dialect/nn/LibraryAttention.h"

#include "dialect/nn/AttentionWork.h"
#include "dialect/nn/Generic.h"
#include "dialect/nn/Precision.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::nn;

/// Bytes that the library takes for semaphores and the like.  cuDNN 9.19 takes
/// 256.
static constexpr int64_t kLibraryBytes = 4096;

int64_t nn::getSumElements(RankedTensorType q) {
  constexpr int64_t kAlignment = 64;
  return llvm::alignTo<kAlignment>(q.getDimSize(0) * q.getDimSize(1) *
                                   q.getDimSize(2));
}

/// The bytes of cuDNN for so many batches at once: gradients of scores, in
/// whole tiles, and the gradients of keys and values of each query head before
/// those of a head of keys are added up.
static int64_t getBackwardBytes(RankedTensorType q, RankedTensorType k,
                                int64_t batches) {
  const int64_t heads = batches * q.getDimSize(2), columns = q.getDimSize(3),
                pairs = llvm::alignTo<64>(q.getDimSize(1)) *
                        llvm::alignTo<128>(k.getDimSize(1)),
                ofKeys = q.getDimSize(2) == k.getDimSize(2)
                             ? 0
                             : 2 * k.getDimSize(1) * columns;
  constexpr int64_t kElement = 2;
  return heads * (pairs + ofKeys) * kElement + kLibraryBytes;
}

RankedTensorType nn::getLibraryRoom(RankedTensorType q, RankedTensorType k,
                                    std::optional<int64_t> batches) {
  constexpr int64_t kFloat = 4;
  const int64_t elements =
      batches ? getSumElements(q) + getBackwardBytes(q, k, *batches) / kFloat
              : kLibraryBytes / kFloat;
  return RankedTensorType::get(elements, Float32Type::get(q.getContext()));
}

int64_t nn::getBatchesAtOnce(RankedTensorType q, RankedTensorType k) {
  constexpr int64_t kMost = int64_t{256} << 20;
  const int64_t all = q.getDimSize(0);
  for (int64_t pieces = 1; pieces < all; ++pieces)
    if (all % pieces == 0 && getBackwardBytes(q, k, all / pieces) <= kMost)
      return all / pieces;
  return 1;
}

template <typename OpT>
static LogicalResult verifyLibrary(OpT op, std::optional<int64_t> batches) {
  RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
  if (q.getRank() != 4 || k.getRank() != 4 ||
      q.getDimSize(0) != k.getDimSize(0) ||
      q.getDimSize(3) != k.getDimSize(3) || k.getDimSize(2) == 0 ||
      q.getDimSize(2) % k.getDimSize(2) != 0)
    return op.emitOpError("q must be [B, T, H, D] and k, v [B, S, G, D], got ")
           << q << " and " << k;
  if (q.getElementTypeBitWidth() != 16 || q.getDimSize(3) % 8 != 0 ||
      q.getDimSize(3) > kMaxLibraryWidth) // (C1)
    return op.emitOpError("is for bf16 and f16 and heads of a multiple of 8 "
                          "columns, at most ")
           << kMaxLibraryWidth << ", got " << q;
  if ((op.getCausal() && k.getDimSize(1) < q.getDimSize(1)) ||
      (op.getWindow() && (!op.getCausal() || op.getWindowAttr().getInt() <= 0)))
    return op.emitOpError("has a window or a mask that no query sees through");
  auto lse =
      RankedTensorType::get({q.getDimSize(0), q.getDimSize(2), q.getDimSize(1)},
                            Float32Type::get(op.getContext()));
  if (op.getLse() && op.getLse().getType() != lse)
    return op.emitOpError("lse must be ")
           << lse << ", got " << op.getLse().getType();
  if (batches && (*batches < 1 || q.getDimSize(0) % *batches != 0)) // (C3)
    return op.emitOpError("at_once is ")
           << *batches << ", which must divide the batch of "
           << q.getDimSize(0);
  RankedTensorType room = getLibraryRoom(q, k, batches);
  if (op.getRoom().getType() != room) // (C2)
    return op.emitOpError("room must be ")
           << room << ", got " << op.getRoom().getType();
  return success();
}

LogicalResult LibraryAttentionOp::verify() {
  return verifyLibrary(*this, std::nullopt);
}
LogicalResult LibraryAttentionBackwardOp::verify() {
  return verifyLibrary(*this, int64_t(getAtOnce()));
}

//===----------------------------------------------------------------------===//
// As operations that kernels compute
//===----------------------------------------------------------------------===//

AttentionOp nn::asAttention(OpBuilder &b, LibraryAttentionOp op) {
  return AttentionOp::create(
      b, op.getLoc(), op.getResult().getType(),
      op.getLse() ? op.getLse().getType() : Type(), op.getQ(), op.getK(),
      op.getV(), /*starts=*/Value(), /*keys=*/Value(), op.getScaleAttr(),
      op.getCausalAttr(), op.getWindowAttr(), /*soft_cap=*/FloatAttr(),
      /*rate=*/FloatAttr(), /*place=*/IntegerAttr());
}
AttentionBackwardOp nn::asAttention(OpBuilder &b, LibraryAttentionBackwardOp op,
                                    Value delta) {
  return AttentionBackwardOp::create(
      b, op.getLoc(), op.getDq().getType(), op.getDk().getType(),
      op.getDv().getType(), op.getGrad(), op.getQ(), op.getK(), op.getV(),
      op.getLse(), delta, /*starts=*/Value(), /*keys=*/Value(),
      op.getScaleAttr(), op.getCausalAttr(), op.getWindowAttr(),
      /*soft_cap=*/FloatAttr(), /*rate=*/FloatAttr(), /*place=*/IntegerAttr());
}

SmallVector<Value> LibraryAttentionOp::emitLinalgForm(OpBuilder &b) {
  AttentionOp op = asAttention(b, *this);
  SmallVector<Value> results = op.emitLinalgForm(b);
  op.erase();
  results.push_back(zeros(b, getLoc(), getRoom().getType()));
  return results;
}

SmallVector<Value> LibraryAttentionBackwardOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  Value grad = widen(b, loc, getGrad()), out = widen(b, loc, getOut()),
        delta = reduceSum(b, loc, {grad, out}, {"bihd", "bihd"}, "bhi",
                          multiply, "bhid");
  AttentionBackwardOp op = asAttention(b, *this, delta);
  SmallVector<Value> results = op.emitLinalgForm(b);
  op.erase();
  results.push_back(zeros(b, loc, getRoom().getType()));
  return results;
}

//===----------------------------------------------------------------------===//
// Cost and units
//===----------------------------------------------------------------------===//

int64_t LibraryAttentionOp::getFlops(SymbolTableCollection &) {
  return countAttentionFlops(*this, kAttentionMatmuls);
}
int64_t LibraryAttentionBackwardOp::getFlops(SymbolTableCollection &) {
  return countAttentionFlops(*this, kAttentionBackwardMatmuls);
}
void LibraryAttentionOp::addWork(SymbolTableCollection &symbols,
                                 zero::Work &work) {
  addAttentionWork(*this, getQ(), getFlops(symbols), kAttentionMatmuls, work);
}
void LibraryAttentionBackwardOp::addWork(SymbolTableCollection &symbols,
                                         zero::Work &work) {
  addAttentionWork(*this, getQ(), getFlops(symbols), kAttentionBackwardMatmuls,
                   work);
}

SmallVector<int64_t> LibraryAttentionOp::getKernelSpace() {
  return headsOf(getQ());
}
SmallVector<int64_t> LibraryAttentionBackwardOp::getKernelSpace() {
  return headsOf(getK());
}
bool LibraryAttentionOp::writesUnused() { return true; }
bool LibraryAttentionBackwardOp::writesUnused() { return true; }
bool LibraryAttentionBackwardOp::writesIntoInserts() { return true; }
