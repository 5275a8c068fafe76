//===- UpdateBlocks.cpp - Kernels that update all runs of a bucket --------===//
//
// A bucket has runs of elements with and without weight decay, which is a
// constant of two kernels.  One launch does all of them: a block finds its
// elements in a table (zrt_device_kernel), and has the code of both kernels.
//
//   begin, end, decays, run = table[4 unit], ...
//   key = keys + 3 run                  if the update rounds stochastically
//   if decays
//     decayed(operands, begin, end)
//   else
//     plain(operands, begin, end)
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/UpdateBlocks.h"

#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/loops/StochasticRounding.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

/// The arguments of a function of a thread behind the operands: the thread, its
/// block's memory, and the range of elements, or the unit and the part.
static constexpr size_t kUnitArguments = 4;

/// Whether an operand is the key of stochastic rounding: all others of known
/// size are scalars.
static bool isKey(Type operand) {
  return cast<MemRefType>(operand).getShape() ==
         ArrayRef<int64_t>(RoundingKey::kWords);
}

/// Emits the code of `function` for `arguments`.
static void emitBody(OpBuilder &b, func::FuncOp function,
                     ArrayRef<Value> arguments) {
  IRMapping map;
  map.map(function.getArguments(), arguments);
  for (Operation &op : function.front().without_terminator())
    b.clone(op, map);
}

static func::FuncOp join(func::FuncOp decayed, func::FuncOp plain) {
  OpBuilder b(decayed);
  Location loc = decayed.getLoc();
  ArrayRef<Type> given = decayed.getArgumentTypes();
  SmallVector<Type> types(given.drop_back(kUnitArguments));
  const size_t operands = types.size();
  for (Type &type : types)
    if (isKey(type))
      type = MemRefType::get({}, b.getI32Type());
  types.push_back(MemRefType::get({}, b.getI64Type()));
  llvm::append_range(types, given.take_back(kUnitArguments));
  auto joined = func::FuncOp::create(b, loc, decayed.getName(),
                                     b.getFunctionType(types, {}));
  joined.setPrivate();
  describeParts(joined, /*parts=*/1,
                std::max(getSharedBytes(decayed), getSharedBytes(plain)));
  b.setInsertionPointToStart(joined.addEntryBlock());
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(&joined.front());

  BlockCode code(b, loc);
  ValueRange all = joined.getArguments(), units = all.take_back(kUnitArguments);
  constexpr int64_t kWords = 4;
  Value entry = code.mul(units[2], kWords),
        table = code.viewAll(all[operands], code.add(entry, kWords));
  Values words;
  for (int64_t i = 0; i < kWords; ++i)
    words.push_back(code.toIndex(code.loadOne(table, code.add(entry, i))));
  Values arguments(all.take_front(operands));
  for (auto [argument, type] : llvm::zip(arguments, given))
    if (isKey(type))
      argument = memref::ReinterpretCastOp::create(
          b, loc,
          MemRefType::get(RoundingKey::kWords, b.getI32Type(),
                          StridedLayoutAttr::get(b.getContext(),
                                                 ShapedType::kDynamic, {1})),
          argument, OpFoldResult(code.mul(words[3], RoundingKey::kWords)),
          OpFoldResult(b.getIndexAttr(RoundingKey::kWords)),
          OpFoldResult(b.getIndexAttr(1)));
  arguments.append({units[0], units[1], words[0], words[1]});
  auto emit = [&](func::FuncOp function) {
    return [&, function] { emitBody(b, function, arguments); };
  };
  if (decayed == plain)
    emit(plain)();
  else
    code.whenElse(code.isEqual(words[2], 0), emit(plain), emit(decayed));
  return joined;
}

void zero::joinUpdates(ModuleOp module, ArrayRef<UpdateTwins> all) {
  auto find = [&](StringAttr name) {
    return module.lookupSymbol<func::FuncOp>(name);
  };
  // What is joined has a name that is there already, so all are found before.
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> pairs;
  for (auto [decayed, plain] : all)
    pairs.push_back({find(decayed), find(plain)});
  // Several updates may have one kernel without decay.
  llvm::SetVector<Operation *> before;
  for (auto [decayed, plain] : pairs) {
    join(decayed, plain);
    before.insert(decayed);
    before.insert(plain);
  }
  for (Operation *function : before)
    function->erase();
}
