//===- zero-mutate.cpp - Breaks plans, to test their judge ----------------===//
//
//   zero-mutate PLAN.mlir --count=N --seed=S -o DIR
//
// Takes a finished plan and breaks one thing at a time, N times.  A mutant is
// either caught by MLIR's verifier or a rule of the judge (docs/plan.md), or it
// is accepted and written to DIR/NNNN.mlir.  A mutant of rank R alone also gets
// NNNN.rankR.mlir, which that rank runs; the others run NNNN.mlir, the original
// plan.  test/mutation/mutate.py executes them: a mutant with other results is
// a hole in the judge.
//
// Writes a line for each mutant to DIR/mutants.jsonl, and a table to the
// terminal.  The seed determines everything; no mutant is written twice.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "mlir/Parser/Parser.h"
#include "passes/UpstreamDialects.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::zero;
namespace cl = llvm::cl;

static int fail(const Twine &message) {
  llvm::errs() << "zero-mutate: error: " << message << "\n";
  return 1;
}

static void list() {
  for (const Mutation &mutation : getMutations())
    llvm::outs() << llvm::formatv(
        "{0,-28} {1}{2}\n", mutation.name,
        mutation.way == kOneRank ? "on one rank: " : "", mutation.summary);
}

/// Counts the outcomes of each mutation's mutants.
class Score {
public:
  explicit Score(ArrayRef<const Mutation *> mutations) {
    for (const Mutation *mutation : mutations)
      table[mutation->name];
  }

  void add(const Mutant &mutant) {
    rules.insert(mutant.outcome.rule);
    ++table[mutant.mutation->name][mutant.outcome.rule];
    ++total[mutant.outcome.rule];
  }

  void print(llvm::raw_ostream &os) {
    rules.erase("accepted");
    std::vector<std::string> columns(rules.begin(), rules.end());
    columns.push_back("accepted");
    os << llvm::formatv("{0,-28}", "mutation");
    for (const std::string &column : columns)
      os << llvm::formatv("{0,9}", column);
    os << "\n";
    for (auto &[mutation, counts] : table)
      printRow(os, mutation, counts, columns);
    printRow(os, "all", total, columns);
  }

private:
  using Counts = std::map<std::string, unsigned>;

  static void printRow(llvm::raw_ostream &os, StringRef name, Counts &counts,
                       ArrayRef<std::string> columns) {
    os << llvm::formatv("{0,-28}", name);
    for (const std::string &column : columns)
      os << llvm::formatv("{0,9}", counts[column]);
    os << "\n";
  }

  std::set<std::string> rules;
  llvm::MapVector<StringRef, Counts> table;
  Counts total;
};

static bool writeModule(ModuleOp module, StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return false;
  module->print(file);
  file << "\n";
  file.close();
  return !file.has_error();
}

/// Returns the mutations that `names` lists, or all that suit the ranks.  The
/// judge refuses programs of one rank where ranks are in groups.
static SmallVector<const Mutation *>
chooseMutations(ArrayRef<std::string> names, ModuleOp plan) {
  const bool mayDiffer = getNumRanks(plan) > 1 && getGroupSize(plan) == 0;
  SmallVector<const Mutation *> mutations;
  for (const Mutation &mutation : getMutations())
    if ((names.empty() || llvm::is_contained(names, mutation.name)) &&
        (mayDiffer || mutation.way != kOneRank))
      mutations.push_back(&mutation);
  return mutations;
}

static int mutate(ModuleOp plan, ArrayRef<const Mutation *> mutations,
                  unsigned count, uint64_t seed, StringRef folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail("cannot create " + folder + ": " + error.message());
  auto pathOf = [&](const Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path;
  };
  std::error_code error;
  llvm::raw_fd_ostream lines(pathOf("mutants.jsonl"), error);
  if (error)
    return fail("cannot write " + pathOf("mutants.jsonl") + ": " +
                error.message());
  Trial trial(plan, seed);
  Score score(mutations);
  unsigned number = 0;
  // Small plans have few places, so the number of futile draws is limited too.
  for (unsigned inVain = 0; number < count && inVain < 20 * count + 200;) {
    std::unique_ptr<Mutant> mutant = trial.next(mutations);
    if (!mutant) {
      ++inVain;
      continue;
    }
    inVain = 0;
    lines << llvm::json::Value(mutant->toJson(number)) << "\n";
    score.add(*mutant);
    if (mutant->outcome.accepted()) {
      std::string stem = llvm::formatv("{0:d4}", number).str();
      std::string own = stem + ".rank" + std::to_string(mutant->rank);
      bool alone = mutant->rank >= 0;
      if (!writeModule(alone ? plan : *mutant->module,
                       pathOf(stem + ".mlir")) ||
          (alone && !writeModule(*mutant->module, pathOf(own + ".mlir"))))
        return fail("cannot write " + pathOf(stem + ".mlir"));
    }
    ++number;
  }
  lines.close();
  if (lines.has_error())
    return fail("cannot write " + pathOf("mutants.jsonl"));
  score.print(llvm::outs());
  if (number < count)
    llvm::outs() << "only " << number << " of " << count
                 << " mutants: the plan has no more places\n";
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("Options of zero-mutate");
  cl::opt<std::string> file(cl::Positional, cl::cat(category),
                            cl::desc("<plan.mlir>"));
  cl::opt<unsigned> count("count", cl::init(100), cl::cat(category),
                          cl::desc("mutants to make"));
  cl::opt<uint64_t> seed("seed", cl::init(0), cl::cat(category),
                         cl::desc("seed of all draws"));
  cl::opt<std::string> folder("o", cl::cat(category),
                              cl::desc("folder for mutants"));
  cl::list<std::string> names("mutations", cl::CommaSeparated,
                              cl::cat(category),
                              cl::desc("only these mutations"));
  cl::opt<bool> listMutations("list", cl::cat(category),
                              cl::desc("print the mutations, and end"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "breaks plans, to try their judge\n");
  if (listMutations) {
    list();
    return 0;
  }
  if (file.empty() || folder.empty())
    return fail("a plan and -o DIR are needed; see --help");
  for (const std::string &name : names)
    if (llvm::none_of(getMutations(), [&](const Mutation &mutation) {
          return mutation.name == name;
        }))
      return fail("there is no mutation " + name + "; --list prints all");

  DialectRegistry registry;
  zero::registerUpstreamDialects(registry);
  registry.insert<nn::NNDialect, ZeroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  OwningOpRef<ModuleOp> plan;
  {
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler diagnostics(sources, &context);
    plan = parseSourceFile<ModuleOp>(file.getValue(), sources, &context);
  }
  if (!plan)
    return fail(file + " is no valid MLIR; the errors are above");
  auto level = plan.get()->getAttrOfType<StringAttr>(kLevelAttr);
  if (!level || level != "memory")
    return fail(file + " is at level " + (level ? level.getValue() : "model") +
                " and no finished plan; write one by zeroc --emit=memory");
  Outcome outcome = judgeModule(*plan);
  if (!outcome.accepted())
    return fail(file + " is no good plan to begin with: " + outcome.message);
  SmallVector<const Mutation *> mutations = chooseMutations(names, *plan);
  if (mutations.empty())
    return fail("these mutations need a plan of several ranks without groups");
  return mutate(*plan, mutations, count, seed, folder);
}
