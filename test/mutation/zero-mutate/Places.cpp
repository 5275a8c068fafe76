//===- Places.cpp - Finds places where a plan can be broken ---------------===//

#include "Places.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

SmallVector<Operation *>
zero::operationsOf(Victim &victim, function_ref<bool(Operation *)> filter) {
  SmallVector<Operation *> found;
  for (ProgramOp program : victim.programs)
    for (Operation &op : program.front().without_terminator())
      if (filter(&op))
        found.push_back(&op);
  return found;
}

Operation *zero::pick(Victim &victim, function_ref<bool(Operation *)> filter) {
  return victim.random.pick(operationsOf(victim, filter));
}

bool zero::runsOnStream(Operation *op) { return !movesNothing(op); }

SmallVector<KernelOp> zero::kernelsOf(Victim &victim) {
  llvm::SetVector<KernelOp> kernels;
  for (LaunchOp launch : operationsOf<LaunchOp>(victim))
    if (auto kernel =
            victim.module.lookupSymbol<KernelOp>(launch.getKernelAttr());
        !kernel.isExternal())
      kernels.insert(kernel);
  return kernels.takeVector();
}

void zero::exchange(OpOperand &a, OpOperand &b) {
  Value first = a.get();
  a.set(b.get());
  b.set(first);
}

SmallVector<Value> zero::definedBefore(Operation *op, Type type) {
  SmallVector<Value> values(op->getBlock()->getArguments());
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode())
    llvm::append_range(values, at->getResults());
  llvm::erase_if(values, [&](Value value) { return value.getType() != type; });
  return values;
}

Change zero::replaceOperand(OpOperand &operand, ArrayRef<Value> others,
                            Random &random) {
  Value other = random.pick(llvm::filter_to_vector(
      others, [&](Value value) { return value != operand.get(); }));
  if (!other)
    return {};
  std::string text = describe(operand.getOwner()) + ": operand " +
                     std::to_string(operand.getOperandNumber()) + " is " +
                     describe(other);
  operand.set(other);
  return text;
}

Change zero::exchangeIn(Operation *op, Random &random, std::string text) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i)
    for (unsigned j = i + 1; j != e; ++j)
      if (op->getOperand(i).getType() == op->getOperand(j).getType() &&
          op->getOperand(i) != op->getOperand(j))
        pairs.push_back({i, j});
  if (pairs.empty())
    return {};
  auto [i, j] = random.pick(pairs);
  exchange(op->getOpOperand(i), op->getOpOperand(j));
  return text + ": operands " + std::to_string(i) + " and " +
         std::to_string(j) + " exchanged";
}

Change zero::exchangeIn(Operation *op, Random &random) {
  return op ? exchangeIn(op, random, describe(op)) : Change();
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

ProgramOp zero::programOf(Value value) {
  return cast<ProgramOp>(value.getParentBlock()->getParentOp());
}

BytesAttr zero::getBytes(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return programOf(value).getArgumentBytes(argument.getArgNumber());
  auto result = cast<OpResult>(value);
  auto all = result.getOwner()->getAttrOfType<ArrayAttr>(kBytesAttr);
  return all && result.getResultNumber() < all.size()
             ? dyn_cast<BytesAttr>(all[result.getResultNumber()])
             : BytesAttr();
}

void zero::setBytes(Value value, BytesAttr bytes) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    programOf(value).setArgAttr(argument.getArgNumber(), kBytesAttr, bytes);
    return;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  SmallVector<Attribute> all(
      op->getAttrOfType<ArrayAttr>(kBytesAttr).getValue());
  all[result.getResultNumber()] = bytes;
  op->setAttr(kBytesAttr, ArrayAttr::get(op->getContext(), all));
}

BytesAttr zero::moved(BytesAttr bytes, int64_t delta) {
  if (bytes.getOffset() + delta < 0)
    return {};
  return BytesAttr::get(bytes.getContext(), bytes.getTier(),
                        bytes.getOffset() + delta, bytes.getSize());
}

void zero::moveEach(ArrayRef<Value> values, int64_t delta) {
  for (Value value : values)
    if (BytesAttr bytes = moved(getBytes(value), delta))
      setBytes(value, bytes);
}

Value zero::pickValue(Victim &victim, function_ref<bool(Value)> filter) {
  SmallVector<Value> values;
  for (ProgramOp program : victim.programs) {
    llvm::append_range(values, program.getArguments());
    for (Operation &op : program.front())
      llvm::append_range(values, op.getResults());
  }
  return victim.random.pick(llvm::filter_to_vector(
      values, [&](Value value) { return getBytes(value) && filter(value); }));
}

SmallVector<Value> zero::argumentsLike(Victim &victim, Value argument) {
  SmallVector<Value> arguments;
  unsigned number = cast<BlockArgument>(argument).getArgNumber();
  for (ProgramOp program : victim.programs)
    if (number < program.getNumArguments())
      arguments.push_back(program.getArgument(number));
  return arguments;
}

void zero::exchangeArgAttrs(Victim &victim, unsigned i, unsigned j,
                            StringRef name) {
  for (ProgramOp program : victim.programs) {
    Attribute first = program.getArgAttr(i, name);
    program.setArgAttr(i, name, program.getArgAttr(j, name));
    program.setArgAttr(j, name, first);
  }
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

namespace {

/// Records which values must keep their relative place.
class Bonds {
public:
  explicit Bonds(Victim &victim) {
    llvm::StringMap<Value> outputs;
    SymbolTableCollection symbols;
    for (ProgramOp program : victim.programs) {
      for (Value argument : program.getArguments())
        if (getBytes(argument))
          for (Value like : argumentsLike(victim, argument))
            add(argument, like);
      for (Operation &op : program.front())
        for (const StorageTie &tie : getStorageTies(&op, symbols))
          addTie(op.getOperand(tie.operand), op.getResult(tie.result),
                 tie.relation);
      addReturn(program, outputs);
    }
  }

  SmallVector<Value> from(Value value) {
    llvm::SetVector<Value> family;
    family.insert(value);
    for (unsigned i = 0; i != family.size(); ++i)
      for (Value other : bonds[family[i]])
        family.insert(other);
    return family.takeVector();
  }

private:
  void add(Value a, Value b) {
    if (a == b || !getBytes(a) || !getBytes(b))
      return;
    bonds[a].push_back(b);
    bonds[b].push_back(a);
  }

  void addTie(Value operand, Value result, StorageTie::Relation relation) {
    if (relation != StorageTie::MayReplace ||
        getBytes(operand) == getBytes(result))
      add(operand, result);
  }

  void addReturn(ProgramOp program, llvm::StringMap<Value> &outputs) {
    Operation *end = program.front().getTerminator();
    unsigned next = 0;
    for (BlockArgument argument : program.getArguments())
      if (program.getArgAttr(argument.getArgNumber(), kStateAttr) &&
          next < end->getNumOperands())
        add(argument, end->getOperand(next++));
    for (unsigned i = next, e = end->getNumOperands(); i != e; ++i)
      if (std::string key = getOutputKey(program, i); !key.empty()) {
        auto [known, isNew] = outputs.try_emplace(key, end->getOperand(i));
        if (!isNew)
          add(known->second, end->getOperand(i));
      }
  }

  DenseMap<Value, SmallVector<Value, 2>> bonds;
};

} // namespace

SmallVector<Value> zero::familyOf(Victim &victim, Value value) {
  return Bonds(victim).from(value);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string zero::describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '@' << op->getParentOfType<ProgramOp>().getName();
  if (auto line = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << ", line " << line.getLine();
  os << ": " << op->getName();
  if (auto launch = dyn_cast<LaunchOp>(op))
    os << " @" << launch.getKernel();
  if (auto bucket = getBucketRef(op))
    os << " of @" << bucket.getValue();
  if (auto over = op->getAttrOfType<OverAttr>("over"))
    os << " over " << stringifyOver(over.getValue());
  if (runsOnStream(op) || isa<RecordOp, WaitOp>(op))
    os << " on " << stringifyStream(getStream(op));
  return text;
}

std::string zero::describe(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    auto result = cast<OpResult>(value);
    std::string text = describe(result.getOwner());
    if (result.getOwner()->getNumResults() > 1)
      text += ", result " + std::to_string(result.getResultNumber());
    return text;
  }
  unsigned i = argument.getArgNumber();
  ProgramOp program = programOf(value);
  std::string text =
      "@" + program.getName().str() + ": argument " + std::to_string(i);
  if (auto state = program.getState(i))
    text += ", " + textOf(state);
  return text;
}

std::string zero::textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

SmallVector<int64_t> zero::arenaOf(ModuleOp module) {
  return SmallVector<int64_t>(
      module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr).asArrayRef());
}

void zero::setArena(ModuleOp module, ArrayRef<int64_t> arena) {
  module->setAttr(kArenaAttr,
                  DenseI64ArrayAttr::get(module.getContext(), arena));
}
