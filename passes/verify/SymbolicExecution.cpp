//===- SymbolicExecution.cpp - Symbolic execution of a function -----------===//

#include "passes/verify/TermTable.h"

#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

using Term = TermTable::Term;

Term SymbolicExecutor::termOf(Value value) {
  auto [found, isNew] = values.try_emplace(value);
  if (isNew)
    found->second = terms.unknown(value);
  return found->second;
}

Term SymbolicExecutor::mean(TermTable::Mean over, Term term) {
  int64_t count = over == TermTable::Mean::Ranks ? ranks : microSteps;
  return count == 1 ? term : terms.mean(over, term);
}

/// Its results are those of the whole kernel if all of its operands are of one
/// launch of that, else unknown.
void SymbolicExecutor::executeRest(Operation *launch, const Rest &rest,
                                   ArrayRef<Term> operands) {
  const Term given = operands.front();
  std::optional<ArrayRef<Term>> of =
      terms.operandsOf(given, rest.whole, rest.given);
  bool isSame = of.has_value();
  for (auto [operand, place] :
       llvm::zip_equal(operands.drop_front(), rest.operands))
    isSame = isSame && operand == (*of)[place];
  for (auto [result, number] :
       llvm::zip_equal(launch->getResults(), rest.results))
    set(result, isSame ? terms.otherResult(given, rest.whole, number, launch,
                                           result.getType())
                       : terms.unknown(result));
}

void SymbolicExecutor::execute(Operation *op) {
  SmallVector<Term> operands;
  for (Value operand : op->getOperands())
    operands.push_back(termOf(operand));
  if (isa<JoinOp>(op))
    return set(op->getResult(0), terms.join(operands));
  if (auto split = dyn_cast<SplitOp>(op))
    return set(split.getResult(),
               terms.rows(operands.front(), split.getRow(),
                          split.getResult().getType().getDimSize(0)));
  Operation *callee = nullptr;
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    callee = symbols.lookupNearestSymbolFrom(op, launch.getKernelAttr());
    if (Operation *same = kernels.lookup(callee))
      callee = same;
  }
  if (auto rest = rests.find(callee); rest != rests.end())
    return executeRest(op, rest->second, operands);
  for (OpResult result : op->getResults())
    set(result, terms.apply(op, callee, operands, result.getResultNumber()));
}
