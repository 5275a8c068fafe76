//===- Trial.cpp - Makes and judges mutants -------------------------------===//
//
// The program of a single rank is judged beside the programs of all, as a
// function of that rank (PlanPrograms.h).  If it is accepted, it is judged
// again in place of the common program, because that is what zeroc compiles: a
// rank whose slice is empty may omit a wait that others need.
//
// Mutations of the computation change a plan without byte ranges and events,
// which are then assigned anew.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/plan/Passes.h"
#include "passes/verify/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::zero;

/// The label of the rule that `message` ends with: (V1), (S2) and the like.
static std::string ruleIn(StringRef message) {
  std::string rule = "other";
  while (!message.empty()) {
    message = message.drop_until([](char c) { return c == '('; }).drop_front();
    StringRef label = message.take_until([](char c) { return c == ')'; });
    if (label.size() > 1 && (label[0] == 'V' || label[0] == 'S') &&
        llvm::all_of(label.drop_front(),
                     [](char c) { return llvm::isDigit(c); }))
      rule = label.str();
  }
  return rule;
}

Outcome zero::judgeModule(ModuleOp module) {
  std::string first;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (first.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          first = diagnostic.str();
        return success();
      });
  if (failed(verify(module)))
    return {"IR", first};
  if (failed(verifyPlan(module, findModel(module))))
    return {ruleIn(first), first};
  return {"accepted", ""};
}

llvm::json::Object Mutant::toJson(unsigned number) const {
  llvm::json::Object object{{"number", number},
                            {"mutation", mutation->name},
                            {"change", change},
                            {"outcome", outcome.rule},
                            {"message", outcome.message}};
  if (rank >= 0)
    object["rank"] = rank;
  if (outcome.accepted())
    object["harmless"] = mutation->harmless;
  return object;
}

Trial::Trial(ModuleOp plan, uint64_t seed)
    : plan(plan), ranks(getNumRanks(plan)), random(seed) {
  isNew(plan);
}

bool Trial::isNew(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << module->getAttrDictionary();
  for (Operation &op : *module.getBody())
    if (!isa<ModuleOp>(op)) // the model stays as it is
      op.print(os);
  auto hash = llvm::SHA256::hash(
      ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return seen
      .insert(
          StringRef(reinterpret_cast<const char *>(hash.data()), hash.size()))
      .second;
}

/// Removes byte ranges and events from the programs.
static void takeOff(ModuleOp module) {
  for (ProgramOp program : findPrograms(module)) {
    for (unsigned i = 0, e = program.getNumArguments(); i != e; ++i)
      program.removeArgAttr(i, kBytesAttr);
    for (Operation &op : llvm::make_early_inc_range(program.front())) {
      op.removeAttr(kBytesAttr);
      if (isa<WaitOp>(op))
        op.erase();
    }
    for (auto record :
         llvm::make_early_inc_range(program.front().getOps<RecordOp>()))
      record.erase();
  }
}

/// Assigns byte ranges and events, as zeroc does.
static LogicalResult layOut(ModuleOp module) {
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  PassManager pm(module.getContext());
  pm.addPass(createAssignMemory());
  pm.addPass(createInsertEvents());
  return success(succeeded(verify(module)) && succeeded(pm.run(module)));
}

std::unique_ptr<Mutant> Trial::next(ArrayRef<const Mutation *> mutations) {
  auto mutant = std::make_unique<Mutant>();
  mutant->mutation = random.pick(mutations);
  mutant->module = plan.clone();
  Victim victim{*mutant->module, findPrograms(*mutant->module), random};
  const Way way = mutant->mutation->way;
  ProgramOp all, own;
  if (way == kOneRank) {
    mutant->rank = int64_t(random.below(uint64_t(ranks)));
    all = random.pick(victim.programs);
    own = all.clone();
    own.setName(
        llvm::formatv("{0}_of_rank_{1}", all.getName(), mutant->rank).str());
    own.setProgram(all.getName());
    own.setRank(mutant->rank);
    mutant->module->push_back(own);
    victim.programs = {own};
  }
  if (way == kPlanAgain)
    takeOff(*mutant->module);
  Change change = mutant->mutation->apply(victim);
  if (!change)
    return nullptr;
  // Before MLIR's verifier, since even invalid IR can be printed.
  if (!isNew(*mutant->module))
    return nullptr;
  // A mutant that zeroc cannot lay out is not a plan.
  if (way == kPlanAgain && failed(layOut(*mutant->module)))
    return nullptr;
  mutant->change = *change;
  mutant->outcome = judgeModule(*mutant->module);
  if (way == kOneRank && mutant->outcome.accepted()) {
    own.removeProgramAttr();
    own.removeRankAttr();
    StringAttr name = all.getNameAttr();
    own->moveBefore(all);
    all.erase();
    own.setName(name);
    mutant->outcome = judgeModule(*mutant->module);
    if (!mutant->outcome.accepted())
      mutant->outcome.rule = "alone";
  }
  return mutant;
}
