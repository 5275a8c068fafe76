//===- Unpack.cpp - Packed weights by blocks of threads -------------------===//
//
// zrt_unpack_PACKING_TYPE(packed, result, elements) computes the same bits
// as ZRT_UNPACK on the host (runtime/packing/Unpack.cpp).  A block of
// threads has a run of 256 packed blocks; 4 or 8 threads share a packed
// block, and each takes 8 bytes of its codes:
//
//   int8   thread t has codes 8 t to 8 t + 7
//   nf4    thread t has bytes 8 t to 8 t + 7: elements 8 t to 8 t + 7, and
//          those 32 further on
//
// It stores vectors of 16 bytes, except for last elements that fill no vector.
// The numbers of codes are in tables, which the GPU's first-level caches hold.
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "abi/zrt.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "numerics/Codebooks.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/VectorLoops.h"
#include <limits>

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr int64_t kBlock = ZRT_PACKED_BLOCK,
                  kRunElements = kBlock * ZRT_PACKED_RUN;
constexpr int64_t kUnpackThreads = 512;
/// Bytes of codes of a thread, and elements that it stores side by side.
constexpr int64_t kRun = 8;

class UnpackBuilder : BlockCode {
public:
  UnpackBuilder(OpBuilder &builder, Location loc, Packing packing, Type to)
      : BlockCode(builder, loc), to(to), isNormal(packing == Packing::NF4),
        codeBytes(isNormal ? kBlock / 2 : kBlock),
        groupBytes(static_cast<int64_t>(
            zrt_packed_bytes(static_cast<uint32_t>(packing), kRunElements))) {}

  void build(const RuntimeArguments &given) {
    Value thread = given.thread, begin = given.begin;
    end = given.end;
    blocks = div(add(sub(end, begin), kBlock - 1), kBlock);
    codes = mul(div(begin, kRunElements), groupBytes);
    scales = add(codes, mul(blocks, codeBytes));
    bytes = viewAll(given.operands[0], add(codes, groupBytes));
    result = viewAll(given.operands[1], end);
    const int64_t threads = codeBytes / kRun;
    Value run = mul(rem(thread, threads), kRun);
    loop(div(thread, threads), blocks, kUnpackThreads / threads, {},
         [&](Value block, ArrayRef<Value>) -> Values {
           unpack(block, run, add(add(begin, mul(block, kBlock)), run));
           return {};
         });
  }

private:
  /// Loads a number or vector of the packed bytes, at a multiple of its size.
  Value load(Type type, Value at) {
    auto vector = dyn_cast<VectorType>(type);
    Type element = vector ? vector.getElementType() : type;
    const int64_t count = vector ? vector.getNumElements() : 1;
    Value view = viewAs(MemRefType::get({count}, element), bytes, at);
    if (!vector)
      return loadOne(view, index(0));
    auto loaded = vector::LoadOp::create(b, loc, vector, view, index(0));
    loaded.setAlignment(count * vector.getElementTypeBitWidth() / 8);
    return loaded;
  }

  /// Loads number `i`, an i32, of a table of constants.
  Value lookUp(StringRef table, ArrayRef<float> numbers, Value i) {
    auto type =
        MemRefType::get({static_cast<int64_t>(numbers.size())}, b.getF32Type());
    auto module = bytes.getDefiningOp()->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(table)) {
      OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
      memref::GlobalOp::create(
          top, loc, table, b.getStringAttr("private"), type,
          DenseElementsAttr::get(
              RankedTensorType::get(type.getShape(), b.getF32Type()), numbers),
          /*constant=*/true, /*alignment=*/b.getI64IntegerAttr(64));
    }
    Value view = memref::GetGlobalOp::create(b, loc, type, table);
    return loadOne(view, toIndex(i));
  }

  Value scaleOf(Value block) {
    Type wideType = b.getF32Type();
    if (!isNormal)
      return load(wideType, add(scales, mul(block, 4)));
    Value mean = load(wideType, scales), range = load(wideType, add(scales, 4)),
          number = load(b.getI8Type(), add(add(scales, 8), block)),
          wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), number);
    Value scale =
        addf(mean,
             mulf(range, lookUp("zg_scale_numbers", zrt::scaleFloats(), wide)));
    // Without the limit, the largest numbers would be rounded to infinity.
    Value most = f32(std::numeric_limits<float>::max());
    return select(isLessF(most, scale), most, scale);
  }

  Value shift(Value word, int64_t left, int64_t right) {
    if (left != 0)
      word = arith::ShLIOp::create(b, loc, word, i32(left));
    return right == 0 ? word : arith::ShRSIOp::create(b, loc, word, i32(right));
  }

  /// Unpacks the codes of a thread's `run` of `block`, whose first element is
  /// `at`.
  void unpack(Value block, Value run, Value at) {
    Value words = load(VectorType::get({2}, b.getI32Type()),
                       add(add(codes, mul(block, codeBytes)), run));
    Value scale = scaleOf(block);
    Values low, high;
    for (int64_t i = 0; i < kRun; ++i) {
      Value word = lane(words, i / 4);
      const int64_t bit = 8 * (i % 4);
      if (!isNormal) {
        Value number = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                               shift(word, 24 - bit, 24));
        low.push_back(mulf(number, scale));
        continue;
      }
      for (auto [values, first] : {std::pair(&low, bit), {&high, bit + 4}}) {
        Value number =
            arith::AndIOp::create(b, loc, shift(word, 0, first), i32(15));
        values->push_back(
            mulf(lookUp("zg_nf4_numbers", zrt::kNormalFloats, number), scale));
      }
    }
    put(low, at);
    if (isNormal)
      put(high, add(at, kBlock / 2));
  }

  Value rounded(Value x) {
    if (to.isF32())
      return x;
    auto vector = dyn_cast<VectorType>(x.getType());
    return arith::TruncFOp::create(b, loc, vector ? vector.clone(to) : Type(to),
                                   x);
  }

  /// Stores the `values` that are elements, from `at` on.
  void put(ArrayRef<Value> values, Value at) {
    const int64_t size = to.getIntOrFloatBitWidth() / 8, width = 16 / size;
    Value isWhole = isLess(add(at, kRun - 1), end);
    when(isWhole, [&] {
      for (int64_t i = 0; i < kRun; i += width) {
        auto store = vector::StoreOp::create(
            b, loc, rounded(vectorOf(values.slice(i, width))), result,
            add(at, i));
        store.setAlignment(16);
      }
    });
    when(isNot(isWhole), [&] {
      for (int64_t i = 0; i < kRun; ++i) {
        Value place = add(at, i);
        when(isLess(place, end),
             [&] { storeOne(rounded(values[i]), result, place); });
      }
    });
  }

  Type to;
  bool isNormal;
  int64_t codeBytes; ///< bytes of codes of a block
  int64_t groupBytes;
  Value end;           ///< end of the run's elements
  Value blocks;        ///< number of the run's blocks
  Value codes, scales; ///< places in `bytes`, for the run
  Value bytes, result;
};

} // namespace

RuntimeKernel zero::getUnpackKernel(Packing packing, Type to) {
  return {zrt::unpackEntry(stringifyPacking(packing), debugString(to)),
          {IntegerType::get(to.getContext(), 8), to},
          {{kHalfWarpUnitsAttr, 1},
           {kBlockThreadsAttr, kUnpackThreads},
           {kUnitElementsAttr, kRunElements}},
          [=](OpBuilder &b, Location loc, const RuntimeArguments &given) {
            UnpackBuilder(b, loc, packing, to).build(given);
          }};
}
