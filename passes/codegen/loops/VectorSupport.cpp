//===- VectorSupport.cpp - Masked vector loops ----------------------------===//
//
//   CPU                                GPU, thread t of its group
//   for i = lower, + 16, ...           for i = lower, + 64, ...
//     body(i)                            body(i + 4 t)
//   body(rest, with a mask)            body(rest + 4 t, with a mask)
//

#include "passes/codegen/loops/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::zero;

Value zero::firstOf(OpBuilder &b, Location loc, const Lanes &lanes,
                    Value index) {
  if (!lanes.isGroup())
    return index;
  Value width = arith::ConstantIndexOp::create(b, loc, lanes.width);
  Value offset = arith::MulIOp::create(b, loc, lanes.thread, width);
  return arith::AddIOp::create(b, loc, index, offset);
}

Value zero::maskBelow(OpBuilder &b, Location loc, const Lanes &lanes,
                      Value first, Value upper) {
  // Negative if the whole vector lies beyond `upper`: then the mask is empty.
  Value rest = b.createOrFold<arith::SubIOp>(loc, upper, first);
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes.width}, b.getI1Type()), ValueRange{rest});
}

/// The same loop for a team: each group goes through its chunks.
static SmallVector<Value>
forChunks(OpBuilder &b, Location loc, const Lanes &lanes,
          [[maybe_unused]] Value lower, Value upper, ValueRange carried,
          llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, Value,
                                                ValueRange)>
              body) {
  assert(getConstantIntValue(lower) == 0 && "a team has whole rows");
  Lanes one = lanes;
  one.team = 0;
  Value size = arith::ConstantIndexOp::create(b, loc, kChunk),
        step = arith::ConstantIndexOp::create(b, loc, kChunk * lanes.team),
        first = arith::MulIOp::create(b, loc, lanes.member, size);
  auto chunks = scf::ForOp::create(
      b, loc, first, upper, step, carried,
      [&](OpBuilder &at, Location, Value begin, ValueRange current) {
        Value end = arith::AddIOp::create(at, loc, begin, size);
        end = arith::MinUIOp::create(at, loc, end, upper);
        scf::YieldOp::create(
            at, loc, forVectors(at, loc, one, begin, end, current, body));
      });
  return chunks.getResults();
}

SmallVector<Value>
zero::forVectors(OpBuilder &b, Location loc, const Lanes &lanes, Value lower,
                 Value upper, ValueRange carried,
                 llvm::function_ref<SmallVector<Value>(OpBuilder &, Value,
                                                       Value, ValueRange)>
                     body) {
  if (lanes.team > 0)
    return forChunks(b, loc, lanes, lower, upper, carried, body);
  const int64_t stride = lanes.stride;
  Value step = arith::ConstantIndexOp::create(b, loc, stride);
  std::optional<int64_t> low = getConstantIntValue(lower),
                         high = getConstantIntValue(upper);
  bool isStatic = low && high;

  Value wholeEnd;
  if (isStatic) {
    wholeEnd = arith::ConstantIndexOp::create(
        b, loc, *low + (*high - *low) / stride * stride);
  } else {
    Value extent = arith::SubIOp::create(b, loc, upper, lower);
    Value rest = arith::RemUIOp::create(b, loc, extent, step);
    wholeEnd = arith::SubIOp::create(b, loc, upper, rest);
  }

  SmallVector<Value> values(carried);
  if (!isStatic || *high - *low >= stride)
    values = scf::ForOp::create(
                 b, loc, lower, wholeEnd, step, carried,
                 [&](OpBuilder &at, Location, Value index, ValueRange current) {
                   scf::YieldOp::create(at, loc,
                                        body(at, firstOf(at, loc, lanes, index),
                                             Value(), current));
                 })
                 .getResults();

  auto tail = [&](OpBuilder &at) {
    Value first = firstOf(at, loc, lanes, wholeEnd);
    Value mask = maskBelow(at, loc, lanes, first, upper);
    return body(at, first, mask, values);
  };
  if (isStatic)
    return (*high - *low) % stride ? tail(b) : values;
  Value more =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wholeEnd, upper);
  auto masked = [&](OpBuilder &at, Location) {
    scf::YieldOp::create(at, loc, tail(at));
  };
  auto none = [&](OpBuilder &at, Location) {
    scf::YieldOp::create(at, loc, values);
  };
  if (values.empty())
    return scf::IfOp::create(b, loc, more, masked).getResults();
  return scf::IfOp::create(b, loc, more, masked, none).getResults();
}

/// The alignment, in bytes, of the address of a vector at `indices` on a GPU:
/// loads are no wider than that.  All buffers begin at multiples of 32 bytes,
/// members of a bucket at multiples of 16 elements.
static std::optional<int64_t> alignmentOf(const Lanes &lanes, Value memref,
                                          bool isOnLane) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!lanes.isGroup() || !isOnLane ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t elements = llvm::bit_floor<uint64_t>(lanes.width);
  for (int64_t stride : llvm::drop_end(strides))
    elements = ShapedType::isDynamic(stride) ? 1 : std::gcd(elements, stride);
  elements = ShapedType::isDynamic(offset) ? 1 : std::gcd(elements, offset);
  constexpr int64_t kWidest = 16;
  return std::min(kWidest, elements * type.getElementTypeBitWidth() / 8);
}

Value zero::loadVector(OpBuilder &b, Location loc, const Lanes &lanes,
                       Value memref, ValueRange indices, Value mask,
                       bool isOnLane) {
  auto type = VectorType::get(
      {lanes.width}, cast<MemRefType>(memref.getType()).getElementType());
  if (!mask) {
    auto load = vector::LoadOp::create(b, loc, type, memref, indices);
    if (auto alignment = alignmentOf(lanes, memref, isOnLane))
      load.setAlignment(*alignment);
    return load;
  }
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memref, indices, mask,
                                      zeros);
}

/// With AVX-512, LLVM 22 stores four bytes for a narrowed vector of one lane:
/// three too many for i8 (llvm-project issue 179489).
static bool isOneLane(Value mask) {
  auto below = mask.getDefiningOp<vector::CreateMaskOp>();
  return below && getConstantIntValue(below.getOperand(0)) == 1;
}

void zero::storeVector(OpBuilder &b, Location loc, const Lanes &lanes,
                       Value vector, Value memref, ValueRange indices,
                       Value mask, bool isOnLane) {
  if (mask && isOneLane(mask)) {
    Value element =
        vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
    memref::StoreOp::create(b, loc, element, memref, indices);
    return;
  }
  if (mask) {
    vector::MaskedStoreOp::create(b, loc, memref, indices, mask, vector);
    return;
  }
  auto store = vector::StoreOp::create(b, loc, vector, memref, indices);
  if (auto alignment = alignmentOf(lanes, memref, isOnLane))
    store.setAlignment(*alignment);
}

Value zero::combine(OpBuilder &b, Location loc, OperationName name, Value x,
                    Value y) {
  OperationState state(loc, name, ValueRange{x, y}, x.getType());
  return b.create(state)->getResult(0);
}

Value zero::combineLanes(OpBuilder &b, Location loc, OperationName name,
                         Value vector) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = width / 2; half >= 1; half /= 2) {
    auto low = llvm::to_vector(llvm::seq(half)),
         high = llvm::to_vector(llvm::seq(half, 2 * half));
    Value x = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value y = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = combine(b, loc, name, x, y);
  }
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}
