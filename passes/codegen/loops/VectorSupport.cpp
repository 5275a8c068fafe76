//===- VectorSupport.cpp - Masked vector loops ----------------------------===//
//
//   CPU                                GPU, thread t of its group
//   for i = lower, + 16, ...           for i = lower, + 64, ...
//     body(i)                            body(i + 4 t)
//   body(rest, with a mask)            body(rest + 4 t, with a mask)
//
// If the rest of a GPU's row is in whole vectors, threads have one or none, and
// branch: LLVM cuts a masked access into one for each lane.
//

#include "passes/codegen/loops/VectorLoops.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::zero;

Value VectorCode::firstOf(Value index) {
  return lanes.isHalfWarp() ? add(index, mul(lanes.thread, lanes.width))
                            : index;
}

Value VectorCode::maskBelow(Value first, Value upper) {
  // Negative if the whole vector lies beyond `upper`: then the mask is empty.
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes.width}, b.getI1Type()),
      ValueRange{sub(upper, first)});
}

Values VectorCode::forVectors(
    Value lower, Value upper, ArrayRef<Value> carried,
    llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body) {
  const int64_t stride = lanes.stride;
  std::optional<int64_t> low = getConstantIntValue(lower),
                         high = getConstantIntValue(upper);
  const bool isStatic = low && high;
  const int64_t extent = isStatic ? *high - *low : 0;
  Value wholeEnd = isStatic ? index(*low + extent / stride * stride)
                            : sub(upper, rem(sub(upper, lower), stride));
  Values values(carried);
  if (!isStatic || extent >= stride)
    values = loop(lower, wholeEnd, stride, carried,
                  [&](Value index, ArrayRef<Value> current) {
                    return body(firstOf(index), Value(), current);
                  });
  auto tail = [&] {
    Value first = firstOf(wholeEnd);
    return body(first, maskBelow(first, upper), values);
  };
  if (isStatic && extent % stride == 0)
    return values;
  if (isStatic && lanes.isHalfWarp() && extent % lanes.width == 0 &&
      carried.empty()) {
    Value first = firstOf(wholeEnd);
    when(isLess(first, upper), [&] { body(first, Value(), {}); });
    return {};
  }
  if (isStatic)
    return tail();
  Value hasRest = isBelow(wholeEnd, upper);
  if (!carried.empty())
    return ifThen(hasRest, values, tail);
  when(hasRest, tail);
  return {};
}

void VectorCode::forVectors(Value lower, Value upper,
                            llvm::function_ref<void(Value, Value)> body) {
  forVectors(lower, upper, {}, [&](Value first, Value mask, ArrayRef<Value>) {
    body(first, mask);
    return Values();
  });
}

void VectorCode::forVectorsAhead(
    Value lower, Value upper, int64_t ahead,
    llvm::function_ref<void(ArrayRef<Value>, Value)> body) {
  const int64_t step = ahead * lanes.stride;
  Value groups = sub(upper, rem(sub(upper, lower), step));
  loop(lower, groups, step, {}, [&](Value at, ArrayRef<Value>) -> Values {
    Values firsts;
    for (int64_t i = 0; i < ahead; ++i)
      firsts.push_back(firstOf(add(at, i * lanes.stride)));
    body(firsts, Value());
    return {};
  });
  forVectors(groups, upper,
             [&](Value first, Value mask) { body({first}, mask); });
}

void VectorCode::forTeamChunks(Value upper,
                               llvm::function_ref<void(Value, Value)> body) {
  loop(mul(lanes.member, kChunk), upper, kChunk * lanes.team, {},
       [&](Value begin, ArrayRef<Value>) -> Values {
         body(begin, min(add(begin, kChunk), upper));
         return {};
       });
}

/// The alignment, in bytes, of the address of a vector at `indices` on a GPU:
/// loads are no wider than that.  All buffers begin at multiples of 32 bytes,
/// members of a bucket at multiples of 16 elements.
static std::optional<int64_t> alignmentOf(const Lanes &lanes, Value memref,
                                          bool isOnLane) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!lanes.isHalfWarp() || !isOnLane ||
      failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t elements = llvm::bit_floor<uint64_t>(lanes.width);
  for (int64_t stride : llvm::drop_end(strides))
    elements = ShapedType::isDynamic(stride) ? 1 : std::gcd(elements, stride);
  elements = ShapedType::isDynamic(offset) ? 1 : std::gcd(elements, offset);
  constexpr int64_t kWidest = 16;
  return std::min(kWidest, elements * type.getElementTypeBitWidth() / 8);
}

Value VectorCode::loadVector(Value memref, ValueRange indices, Value mask,
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

void VectorCode::storeVector(Value vector, Value memref, ValueRange indices,
                             Value mask, bool isOnLane) {
  if (mask && isOneLane(mask))
    return storeOne(lane(vector, 0), memref, indices);
  if (mask) {
    vector::MaskedStoreOp::create(b, loc, memref, indices, mask, vector);
    return;
  }
  auto store = vector::StoreOp::create(b, loc, vector, memref, indices);
  if (auto alignment = alignmentOf(lanes, memref, isOnLane))
    store.setAlignment(*alignment);
}

Value VectorCode::constantVector(Type type, double value) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(VectorType::get({lanes.width}, type),
                             Attribute(b.getFloatAttr(type, value))));
}

Value VectorCode::combine(Operation *by, Value x, Value y) {
  OperationState state(loc, by->getName(), ValueRange{x, y}, x.getType());
  return b.create(state)->getResult(0);
}

Value VectorCode::combineLanes(Operation *by, Value vector) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  for (int64_t half = width / 2; half >= 1; half /= 2) {
    auto low = llvm::to_vector(llvm::seq(half)),
         high = llvm::to_vector(llvm::seq(half, 2 * half));
    Value x = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value y = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = combine(by, x, y);
  }
  return lane(vector, 0);
}
