//===- texts.cpp - Compiles texts that are nearly valid -------------------===//
//
//   fuzz_texts MODELS COUNT [FIRST [FOLDER]]
//
// 1. Brings every model of the folder MODELS to each level, and prints it.
// 2. Compiles COUNT mutations of these texts, from number FIRST (0) on, up to
//    level memory, and judges them.  A number determines text and options, on
//    every machine.
// 3. Compiles each in its own process, forked from this one, so that it may
//    crash, run too long or take too much memory.  These are findings, and so
//    is a refusal without an error, or an error without a place.
//
// Writes findings to FOLDER as NUMBER.mlir; if there are any, the status is 1.
//
//===----------------------------------------------------------------------===//
#include "Texts.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipeline.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::zero;
using fuzz::Dice;

namespace {

enum Outcome { Compiled, Refused, NoError, NoPlace };

constexpr const char *kOutcomes[] = {"compiled", "refused",
                                     "refused without an error",
                                     "an error without a place"};
constexpr unsigned kSeconds = 20;

PipelineOptions drawOptions(Dice &dice) {
  PipelineOptions options;
  options.worldSize = dice.below(3) ? 1 + dice.below(4) : 1;
  options.stage = dice.below(4);
  options.accumulate = 1 + dice.below(2);
  options.optimizer = dice.below(3) ? "adamw" : "sgd";
  options.bucketSize = dice.below(2) ? 0 : 4096;
  options.lossChunk = dice.below(2) ? kLossChunk : 256;
  options.reference =
      options.worldSize == 1 && options.accumulate == 1 && dice.below(8) == 0;
  return options;
}

/// Returns true if `location` is a place in the text.
bool isPlace(Location location) {
  return location
      ->walk([](Location at) {
        return isa<FileLineColLoc>(at) ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

Outcome compile(MLIRContext &context, StringRef text,
                const PipelineOptions &options, bool isShown) {
  bool hasError = false, hasPlace = true;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      hasError = true;
      hasPlace &= isPlace(diagnostic.getLocation());
    }
    if (isShown)
      llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      text, ParserConfig(&context), /*sourceName=*/"text");
  if (module && succeeded(runPipeline(*module, Level::Memory, options)))
    return Compiled;
  return !hasError ? NoError : hasPlace ? Refused : NoPlace;
}

/// Returns true if the text has an iterator type that linalg does not know.
/// MLIR 22 accesses freed memory while it reports that.
bool hasOddLoop(StringRef text) {
  for (size_t at = text.find("iterator_types"); at != StringRef::npos;
       at = text.find("iterator_types", at + 1)) {
    StringRef kinds = text.substr(at).split('[').second.split(']').first;
    SmallVector<StringRef> each;
    kinds.split(each, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef kind : each)
      if (kind.trim() != "\"parallel\"" && kind.trim() != "\"reduction\"")
        return true;
  }
  return false;
}

/// Returns the result of one text: an Outcome, or how its process ended.
std::string tryOne(MLIRContext &context, const std::string &text,
                   const PipelineOptions &options, bool isShown) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0)
    return "cannot fork";
  if (child == 0) {
    rlimit time{kSeconds, kSeconds + 1};
    setrlimit(RLIMIT_CPU, &time);
#ifndef __SANITIZE_ADDRESS__
    rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    if (!isShown)
      (void)!freopen("/dev/null", "w", stderr);
    _exit(compile(context, text, options, isShown));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
               ? "more than " + std::to_string(kSeconds) + " seconds"
               : std::string("ended by ") + strsignal(WTERMSIG(status));
  unsigned code = WEXITSTATUS(status);
  return code < std::size(kOutcomes) ? kOutcomes[code]
                                     : "ended with " + std::to_string(code);
}

/// Returns every model at every level, as plans of one and of several ranks.
std::vector<std::string> makeSeeds(const char *folder,
                                   const DialectRegistry &registry) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  llvm::sort(paths);
  std::vector<std::string> seeds;
  for (const auto &path : paths)
    for (int stage : {0, 3})
      for (int level = 0; level <= static_cast<int>(Level::Memory); ++level) {
        MLIRContext context(registry, MLIRContext::Threading::DISABLED);
        auto module = parseSourceFile<ModuleOp>(path.string(), &context);
        PipelineOptions options;
        options.stage = stage;
        options.worldSize = stage ? 2 : 1;
        options.accumulate = stage ? 2 : 1;
        if (!module ||
            failed(runPipeline(*module, static_cast<Level>(level), options)))
          return {};
        llvm::raw_string_ostream(seeds.emplace_back()) << *module;
      }
  return seeds;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MODELS COUNT [FIRST [FOLDER]]\n", argv[0]);
    return 2;
  }
  DialectRegistry registry;
  registerPipelineDialects(registry);
  std::vector<std::string> seeds = makeSeeds(argv[1], registry);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no models that compile\n", argv[1]);
    return 1;
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  // Loaded once, instead of in every process.
  context.loadAllAvailableDialects();

  uint64_t count = std::strtoull(argv[2], nullptr, 10),
           first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  std::map<std::string, uint64_t> outcomes;
  bool isGood = true;
  for (uint64_t number = first; number < first + count; ++number) {
    Dice dice(number);
    std::string text = fuzz::mutate(seeds, dice);
    if (hasOddLoop(text)) {
      ++outcomes["left out"];
      continue;
    }
    std::string outcome =
        tryOne(context, text, drawOptions(dice), /*isShown=*/count == 1);
    ++outcomes[outcome];
    if (outcome == kOutcomes[Compiled] || outcome == kOutcomes[Refused])
      continue;
    isGood = false;
    std::printf("text %llu: %s\n", static_cast<unsigned long long>(number),
                outcome.c_str());
    if (argc > 4)
      std::ofstream(std::filesystem::path(argv[4]) /
                    (std::to_string(number) + ".mlir"))
          << text;
  }
  for (const auto &[outcome, times] : outcomes)
    std::printf("%llu %s\n", static_cast<unsigned long long>(times),
                outcome.c_str());
  // A fuzzer whose texts are all refused, or all accepted, tests little.
  if (count >= 100 && (!outcomes.count(kOutcomes[Compiled]) ||
                       !outcomes.count(kOutcomes[Refused])))
    isGood = false;
  return isGood ? 0 : 1;
}
