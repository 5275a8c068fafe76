//===- zero-kernels.cpp - Executes and checks kernels ---------------------===//
//
//   zero-kernels FILE.mlir [--chaos=N] [--seed=S]
//   zero-kernels PLAN.mlir --ptx=sm_90
//
// FILE holds modules of kernels, separated by `// -----`.  Each module is
// judged; the kernels of accepted modules are compiled together, in this
// process, by zeroc's own functions, and executed in several ways (Runs.h): the
// bytes must be the same, and the numbers must agree with an interpretation of
// the kernel (Interpreter.h).  Prints a line of JSON for each module:
//
//   {"module": 3, "outcome": "right"}
//   {"module": 4, "outcome": "S6", "message": "..."}      refused
//   {"module": 5, "outcome": "wrong", "message": "..."}   a finding
//
// The outcome of a refused module is a rule of the judge, or "IR" for invalid
// MLIR.  The exit status is 1 if anything is wrong.
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/KernelUnits.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/UpstreamDialects.h"
#include "passes/codegen/KernelPipeline.h"
#include "passes/codegen/gpu/EmitDeviceCode.h"
#include "passes/codegen/machine/EmitObject.h"
#include "passes/codegen/tables/Dispatch.h"
#include "passes/verify/Passes.h"
#include "targets/cuda/DeviceWork.h"
#include "test/emulator/Emulator.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::zero;
namespace cl = llvm::cl;

namespace {

/// Records the first error during its lifetime.
class Errors {
public:
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (first.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            first = diagnostic.str();
          return success();
        }) {}

  std::string first;

private:
  ScopedDiagnosticHandler handler;
};

/// One module of the file.
struct Entry {
  OwningOpRef<ModuleOp> module;
  std::string outcome = "right", message;
  std::vector<std::unique_ptr<Case>> cases;

  void conclude(StringRef what, const Twine &why) {
    outcome = what;
    message = why.str();
  }
};

/// Returns the label of the rule that `message` ends with.
std::string ruleIn(StringRef message) {
  for (StringRef rest = message; !rest.empty();) {
    rest = rest.drop_until([](char c) { return c == '('; }).drop_front();
    StringRef label = rest.take_until([](char c) { return c == ')'; });
    if (label.size() >= 2 && (label[0] == 'S' || label[0] == 'V'))
      return label.str();
  }
  return "IR";
}

void judge(Entry &entry, StringRef text, MLIRContext *context) {
  Errors errors(context);
  entry.module = parseSourceString<ModuleOp>(text, context);
  if (!entry.module || failed(verifyPlan(*entry.module, ModuleOp())))
    entry.conclude(ruleIn(errors.first), errors.first);
}

/// Draws operands for the kernels of `entry`, and interprets them.
void prepare(Entry &entry, StringRef text, unsigned number) {
  uint64_t seed = llvm::xxh3_64bits(text);
  for (auto kernel : entry.module->getOps<KernelOp>()) {
    if (kernel.isExternal())
      continue;
    auto found = std::make_unique<Case>();
    found->name = kernel.getName().str();
    found->kernel = kernel;
    found->symbol = "m" + std::to_string(number) + "." + found->name;
    Dispatch dispatch = getDispatch(kernel);
    found->extent = dispatch.extent;
    found->grain = dispatch.grain;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      auto tensor = cast<RankedTensorType>(type);
      // Attention's integers are the starts of documents.
      bool isStarts = *kernel.getKind() == KernelKind::Attention;
      found->operands.push_back(
          drawElements(tensor, seed + i,
                       isStarts ? uint64_t(tensor.getShape().back()) + 2 : 3));
    }
    Errors errors(kernel.getContext());
    OwningOpRef<KernelOp> copy = kernel.clone(); // folding may change it
    FailureOr<SmallVector<Elements>> results =
        interpret(*copy, found->operands);
    if (failed(results))
      return entry.conclude("wrong", "@" + found->name +
                                         " has no meaning: " + errors.first);
    found->results = std::move(*results);
    entry.cases.push_back(std::move(found));
  }
}

/// The cases of `entries`, whose kernels are compiled together.
std::vector<Case *> casesOf(ArrayRef<Entry *> entries) {
  std::vector<Case *> cases;
  for (Entry *entry : entries)
    for (const auto &one : entry->cases)
      cases.push_back(one.get());
  return cases;
}

/// A module of their kernels, by their symbols.
OwningOpRef<ModuleOp> moduleOf(ArrayRef<Case *> cases, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  for (Case *one : cases) {
    KernelOp kernel = one->kernel.clone();
    kernel.setName(one->symbol);
    module->push_back(kernel);
  }
  return module;
}

class Compiler {
public:
  Compiler(const CpuTarget &target, StringRef attention)
      : target(target), attention(attention),
        code(llvm::cantFail(llvm::orc::LLJITBuilder().create())) {
    auto symbol = [](auto *function) {
      return llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported);
    };
    llvm::orc::MangleAndInterner mangle(code->getExecutionSession(),
                                        code->getDataLayout());
    llvm::orc::SymbolMap symbols{
        {mangle("zrt_attention"), symbol(zrt_attention)},
        {mangle("zrt_attention_backward"), symbol(zrt_attention_backward)},
        {mangle("zrt_cached_attention"), symbol(zrt_cached_attention)}};
    for (auto [name, address] : zge::listCalls())
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
    llvm::cantFail(code->getMainJITDylib().define(
        llvm::orc::absoluteSymbols(std::move(symbols))));
  }

  /// Compiles the code of the cases of `entries`; returns an error message, or
  /// "".
  std::string compile(ArrayRef<Entry *> entries) {
    MLIRContext *context = entries.front()->module->getContext();
    Errors errors(context);
    std::vector<Case *> cases = casesOf(entries);
    OwningOpRef<ModuleOp> module = moduleOf(cases, context);
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> lowered;
    if (succeeded(lowerKernelsToCpu(*module, /*reference=*/false)))
      lowered = translateKernels(*module, llvmContext, target);
    if (!lowered)
      return "is accepted and not compiled: " + errors.first;
    add(*lowered);
    for (Case *one : cases)
      one->entry = llvm::cantFail(code->lookup("zk." + one->symbol))
                       .toPtr<zrt_kernel_fn>();
    return "";
  }

  /// Same for threads of a GPU.
  std::string compileForThreads(ArrayRef<Entry *> entries) {
    MLIRContext *context = entries.front()->module->getContext();
    Errors errors(context);
    std::vector<Case *> cases = casesOf(entries);
    OwningOpRef<ModuleOp> module = moduleOf(cases, context);
    if (cases.empty())
      return "";
    llvm::LLVMContext llvmContext;
    DeviceCode device;
    if (succeeded(lowerKernelsToGpu(*module, {}, {}, attention)))
      device = translateForEmulator(*module, llvmContext);
    // A known limit: such a kernel, when alone, is executed on CPUs only.
    bool isTooLarge = StringRef(errors.first).contains("that threads share");
    if (!device.module && isTooLarge && entries.size() == 1)
      return "";
    if (!device.module)
      return "is accepted and not compiled for a GPU: " + errors.first;
    add(*device.module);
    for (const DeviceKernel &kernel : device.kernels) {
      auto entry = llvm::cantFail(code->lookup(kernel.entry));
      (*llvm::find_if(cases, [&](Case *one) {
        return one->symbol == kernel.name;
      }))->device.push_back({kernel, entry.toPtr<void (*)(void **)>()});
    }
    return "";
  }

private:
  CpuTarget target;
  std::string attention;
  std::unique_ptr<llvm::orc::LLJIT> code;

  void add(llvm::Module &module) {
    SmallString<64> path;
    llvm::cantFail(llvm::errorCodeToError(
        llvm::sys::fs::createTemporaryFile("kernels", "o", path)));
    llvm::FileRemover remover(path);
    llvm::cantFail(emitObject(module, target, /*optimise=*/true, path));
    llvm::cantFail(code->addObjectFile(llvm::cantFail(
        llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))));
  }
};

/// Returns true if a result may have the bytes of an operand.
bool mayReplace(KernelOp kernel) {
  return llvm::any_of(llvm::seq(kernel.getNumResults()), [&](unsigned i) {
    return !kernel.getMayReplace(i).empty();
  });
}

/// Compiles and executes the accepted kernels; returns false if the runtime
/// fails.
bool run(ArrayRef<Entry *> entries, const CpuTarget &target, const Runs &runs) {
  if (entries.empty())
    return true;
  Compiler compiler(target, runs.attention);
  std::string error = compiler.compile(entries);
  if (error.empty())
    error = compiler.compileForThreads(entries);
  if (!error.empty()) {
    if (entries.size() == 1) {
      entries.front()->conclude("wrong", error);
      return true;
    }
    return llvm::all_of(entries,
                        [&](Entry *entry) { return run(entry, target, runs); });
  }
  Layout layout;
  for (Case *one : casesOf(entries)) {
    layout.add(*one, /*inPlace=*/false);
    if (mayReplace(one->kernel))
      layout.add(*one, /*inPlace=*/true);
  }
  layout.finish();
  if (!execute(layout, runs))
    return false;
  for (Entry *entry : entries)
    for (const auto &one : entry->cases)
      if (!one->finding.empty())
        entry->conclude("wrong", "@" + one->name + ": " + one->finding);
  return true;
}

/// Prints the GPU code of the kernels of the plan in `text`; returns the exit
/// status.
int printPtx(StringRef text, MLIRContext *context, StringRef arch,
             StringRef attention) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  if (!module || failed(formPlanKernels(*module)))
    return 2;
  FailureOr<DeviceWork> work = findDeviceWork(*module);
  if (failed(work))
    return 2;
  for (KernelOp kernel : work->libraries)
    kernel.erase();
  if (failed(lowerKernelsToGpu(*module, work->more, {}, attention, arch)))
    return 2;
  llvm::LLVMContext llvmContext;
  DeviceCode code = translateForNvidia(*module, llvmContext, arch);
  if (!code.module)
    return 2;
  for (const auto &[name, function] : code.missing)
    llvm::outs() << "// @" << name << " is not there: it needs " << function
                 << "\n";
  for (const DeviceKernel &kernel : code.kernels)
    llvm::outs() << "// @" << kernel.function << ": "
                 << (kernel.blocksPerUnit ? "a unit by " : "")
                 << (kernel.blocksPerUnit ? kernel.blocksPerUnit
                                          : kernel.unitsPerBlock)
                 << (kernel.blocksPerUnit ? " blocks of " : " units by ")
                 << kernel.threads << " threads, " << kernel.sharedBytes
                 << " bytes shared\n";
  llvm::Expected<std::string> printed = emitPtx(*code.module, arch);
  if (!printed) {
    llvm::errs() << "zero-kernels: error: " << toString(printed.takeError())
                 << '\n';
    return 2;
  }
  llvm::outs() << *printed;
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<std::string> path(cl::Positional, cl::Required, cl::desc("FILE"));
  Runs runs;
  cl::opt<unsigned, true> chaos("chaos", cl::location(runs.chaos), cl::init(3),
                                cl::desc("seeds of ZRT_CHAOS"));
  cl::opt<uint64_t, true> seed("seed", cl::location(runs.seed), cl::init(1),
                               cl::desc("of orders and cuts"));
  cl::opt<std::string, true> attention(
      "attention", cl::location(runs.attention),
      cl::desc("what multiplies in attention on a GPU: f32, tensor-cores"));
  cl::opt<std::string> ptx(
      "ptx", cl::value_desc("ARCH"),
      cl::desc("print PTX of a plan's kernels, as for sm_90, "
               "and execute none"));
  cl::ParseCommandLineOptions(argc, argv,
                              "Executes kernels, and what they mean\n");

  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) {
    llvm::errs() << "zero-kernels: error: cannot read " << path << ": "
                 << file.getError().message() << '\n';
    return 2;
  }
  auto target = llvm::cantFail(resolveCpu("native"));
  DialectRegistry registry;
  zero::registerUpstreamDialects(registry);
  registry.insert<nn::NNDialect, ZeroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (!ptx.empty())
    return printPtx((*file)->getBuffer(), &context, ptx, runs.attention);

  SmallVector<StringRef> texts;
  (*file)->getBuffer().split(texts, "// -----\n");
  std::vector<Entry> entries(texts.size());
  SmallVector<Entry *> accepted;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    judge(entry, texts[i], &context);
    if (entry.outcome == "right")
      prepare(entry, texts[i], i);
    if (entry.outcome == "right")
      accepted.push_back(&entry);
  }
  if (!run(accepted, target, runs))
    return 2;
  bool wrong = false;
  for (auto [i, entry] : llvm::enumerate(entries)) {
    llvm::json::Object line{{"module", int64_t(i)}, {"outcome", entry.outcome}};
    if (!entry.message.empty())
      line["message"] = entry.message;
    llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
    wrong |= entry.outcome == "wrong";
  }
  return wrong;
}
