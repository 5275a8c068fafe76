//===- Widen.cpp - Elements of 16 bits as f32, on a GPU -------------------===//
//
// zrt_widen_TYPE(narrow, wide, elements): wide[i] = narrow[i], which is exact.
// For biases of products, a few elements each: a thread has one at a time.
//
//===----------------------------------------------------------------------===//

#include "abi/DeviceEntries.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/gpu/runtime/RuntimeKernels.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"
#include "passes/codegen/loops/VectorLoops.h"

using namespace mlir;
using namespace mlir::zero;

RuntimeKernel zero::getWidenKernel(Type narrow) {
  Type wide = Float32Type::get(narrow.getContext());
  auto build = [](OpBuilder &b, Location loc, const RuntimeArguments &given) {
    BlockCode code(b, loc);
    Value from = code.viewAll(given.operands[0], given.end),
          to = code.viewAll(given.operands[1], given.end);
    code.loop(code.add(given.begin, given.thread), given.end, kHalfWarpThreads,
              {}, [&](Value i, ArrayRef<Value>) -> Values {
                Value x = code.loadOne(from, i);
                x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
                code.storeOne(x, to, i);
                return {};
              });
  };
  return {zrt::widenEntry(debugString(narrow)),
          {narrow, wide},
          {{kHalfWarpUnitsAttr, 4 * kHalfWarpThreads}, {kUnitElementsAttr, 1}},
          build};
}
