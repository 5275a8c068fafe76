//===- Widen.cpp - Elements of 16 bits as f32, on a GPU -------------------===//
//
// zrt_widen_TYPE(narrow, wide, elements): wide[i] = narrow[i], which is exact.
// For biases of products, a few elements each: a thread has one at a time.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/Widen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/codegen/VectorLoops.h"
#include "passes/codegen/gpu/BlockCode.h"
#include "passes/codegen/gpu/GroupBuffers.h"

using namespace mlir;
using namespace mlir::zero;

void zero::emitWiden(ModuleOp module, Type narrow) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type index = b.getIndexType(), wide = b.getF32Type();
  auto function = func::FuncOp::create(
      b, loc, "zrt_widen_" + debugString(narrow),
      b.getFunctionType(
          {MemRefType::get({}, narrow), MemRefType::get({}, wide), index,
           MemRefType::get({kMaxSharedBytes}, b.getI8Type()), index, index},
          {}));
  function.setPrivate();
  function->setAttr(kGroupUnitsAttr, b.getI64IntegerAttr(4 * kGroupThreads));
  function->setAttr(kUnitElementsAttr, b.getI64IntegerAttr(1));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&function.front());
  BlockCode code(b, loc);
  Value begin = function.getArgument(4), end = function.getArgument(5),
        from = code.viewAll(function.getArgument(0), end),
        to = code.viewAll(function.getArgument(1), end);
  code.loop(code.add(begin, function.getArgument(2)), end, kGroupThreads, {},
            [&](Value i, ArrayRef<Value>) -> Values {
              Value x = memref::LoadOp::create(b, loc, from, i);
              memref::StoreOp::create(
                  b, loc, arith::ExtFOp::create(b, loc, wide, x), to, i);
              return {};
            });
}
