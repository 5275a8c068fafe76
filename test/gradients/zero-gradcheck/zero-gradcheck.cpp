//===- zero-gradcheck.cpp - Checks the gradients of a model ---------------===//
//
// zero-gradcheck model.mlir: differentiates the model and compares with finite
// differences (Check.h).  The model returns a scalar loss, or a tensor, which
// is weighted and summed to one.  Prints PASS and exits 0, or FAIL and exits 1.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "passes/UpstreamDialects.h"
#include "passes/codegen/ReferenceLowering.h"
#include "passes/model/Derivatives.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  zero::CheckOptions options;
  cl::OptionCategory category("Options of zero-gradcheck");
  cl::opt<std::string> file(cl::Positional, cl::Required, cl::cat(category),
                            cl::desc("<model.mlir>"));
  cl::opt<uint64_t> seed("seed", cl::init(options.seed), cl::cat(category),
                         cl::desc("seed of all random values"));
  cl::opt<double> tolerance("tolerance", cl::init(options.tolerance),
                            cl::cat(category),
                            cl::desc("largest relative error that passes"));
  cl::opt<double> scale("scale", cl::init(options.scale), cl::cat(category),
                        cl::desc("standard deviation of random values"));
  cl::opt<unsigned> samples("samples", cl::init(options.samples),
                            cl::cat(category),
                            cl::desc("elements compared per parameter"));
  cl::opt<int64_t> vocabulary(
      "vocab", cl::init(0), cl::cat(category),
      cl::desc("integer inputs are below this (default: what they index)"));
  cl::opt<double> ignored(
      "ignored", cl::init(0), cl::cat(category),
      cl::desc("share of cross_entropy's targets that are ignored"));
  cl::opt<bool> decomposeFirst(
      "decompose-first", cl::cat(category),
      cl::desc("replace nn operations by linalg before differentiation"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compares a model's gradients with finite differences\n\n"
      "The model returns a scalar loss, or one tensor y.  The loss is then "
      "the\n"
      "sum of c (y y + y) over its elements, with random weights c.\n");
  if (!(tolerance > 0) || !(scale > 0) || samples == 0 || vocabulary < 0 ||
      !(ignored >= 0 && ignored <= 1)) {
    llvm::errs()
        << "zero-gradcheck: error: --tolerance, --scale and --samples must "
           "be positive, --vocab not negative, --ignored in [0, 1]\n";
    return 1;
  }
  options = {seed,       tolerance, scale,         samples,
             vocabulary, ignored,   decomposeFirst};

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  zero::registerUpstreamDialects(registry);
  registry.insert<nn::NNDialect, zero::ZeroDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  zero::registerDerivatives(registry);
  zero::registerReferenceLoops(registry);

  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> model =
      parseSourceFile<ModuleOp>(file.getValue(), sources, &context);
  if (!model)
    return 1;
  FailureOr<bool> pass = zero::checkGradients(std::move(model), options);
  if (failed(pass))
    return 1;
  llvm::outs() << (*pass ? "PASS\n" : "FAIL\n");
  return *pass ? 0 : 1;
}
