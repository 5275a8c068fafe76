//===- EmitExecutable.cpp - Objects and the training binary ---------------===//
//
// 1. Converts the plan to tables of constants, once all of its operations have
//    kernels.
// 2. Translates the kernels, the only part that remains, to LLVM IR and
//    compiles them at -O3.
// 3. Links both into a shared object, which is attached to the runtime's
//    program (runtime/program/Attachments.h), as are those of the other
//    numbers of ranks.  The program is in ../lib of this compiler or in
//    ZRT_LIB_DIR.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/EmitExecutable.h"

#include "abi/zrt.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/zero/BytesText.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"
#include "frontend/OutputFile.h"
#include "passes/certify/Certificate.h"
#include "passes/codegen/KernelPipeline.h"
#include "passes/codegen/machine/EmitObject.h"
#include "passes/codegen/tables/PlanDescription.h"
#include "runtime/program/Attachments.h"
#include "targets/RunTool.h"
#include "targets/TemporaryFolder.h"
#include "tools/LibraryFile.h"
#include "tools/zeroc/plan/Simulate.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Writes the runtime's program with `plans`, shared objects, and the libraries
/// that they need.
llvm::Error writeProgram(ArrayRef<GeneratedPlan> plans,
                         const DriverOptions &options, StringRef argv0) {
  llvm::Expected<std::string> program = findLibraryFile(argv0, "zrt_program");
  if (!program)
    return program.takeError();
  std::vector<zrt::Attachment> attached;
  for (const GeneratedPlan &plan : plans)
    attached.push_back({plans.size() == 1 ? zrt::kPlanAttachment
                                          : zrt::planAttachmentName(uint32_t(
                                                plan.certificate.ranks)),
                        plan.code});
  SmallVector<std::pair<std::string, std::string>> files;
  const Target &target = *options.target;
  if (StringRef name = target.getAttachment(); !name.empty()) {
    llvm::Expected<std::string> device = findLibraryFile(argv0, name);
    if (!device)
      return llvm::createStringError(
          target.explainMissing(llvm::toString(device.takeError())));
    files.emplace_back(name, std::move(*device));
  }
  // If zeroc was built without MPI, ranks start without it.
  if (plans.front().certificate.ranks > 1) { // the largest
    if (auto mpi = findLibraryFile(argv0, zrt::kMpiAttachment))
      files.emplace_back(zrt::kMpiAttachment, std::move(*mpi));
    else
      llvm::consumeError(mpi.takeError());
  }
  llvm::Expected<std::string> base = readFile(*program);
  if (!base)
    return base.takeError();
  for (const auto &[name, path] : files) {
    llvm::Expected<std::string> content = readFile(path);
    if (!content)
      return content.takeError();
    attached.push_back({name, std::move(*content)});
  }
  return frontend::writeOutput(options.output, zrt::attach(*base, attached),
                               /*executable=*/true);
}

/// Refuses a plan without a loss, which the program would refuse at its start.
llvm::Error checkInterface(ModuleOp plan) {
  auto step = plan.lookupSymbol<ProgramOp>("step");
  if (!step)
    return llvm::Error::success(); // it does not train
  for (unsigned i = 0, e = step.getNumResults(); i != e; ++i)
    if (auto name = step.getOutput(i); name && name == "loss")
      return llvm::Error::success();
  return llvm::createStringError("@step has no output \"loss\"");
}

/// Returns the categories of all arenas in use.
std::vector<PlanInfo::Category> listCategories(const Certificate &certificate) {
  std::vector<PlanInfo::Category> lines;
  for (const auto &[tier, prefix, arena] : certificate.getArenasInUse()) {
    const auto number = static_cast<uint32_t>(arena - &certificate.arenas[0]);
    for (auto [name, bytes] : arena->getCategories())
      lines.push_back({number, name.str(), static_cast<uint64_t>(bytes)});
  }
  return lines;
}

} // namespace

/// Returns zrt_plan.model_hash: of the kept model's text, which has no options.
static uint64_t hashModel(ModuleOp plan) {
  ModuleOp model = findModel(plan);
  if (!model)
    return 0;
  std::string text;
  llvm::raw_string_ostream out(text);
  for (Operation &op : model.getOps())
    op.print(out, OpPrintingFlags().useLocalScope());
  return llvm::xxh3_64bits(text);
}

/// Returns true if a program of `plan` multiplies matrices of 16 bits.
static bool multipliesHalves(ModuleOp plan) {
  bool does = false;
  for (auto program : plan.getOps<ProgramOp>())
    for (Operation &op : program.front())
      does |= nn::isPlanMatmul(&op) && nn::isHalf(op.getOperand(0).getType());
  return does;
}

/// Refuses --attention=bf16 or fp16 if any attention of `plan` would multiply
/// in f32.
static llvm::Error checkPairs(ModuleOp plan, zrt::Kernel16 products,
                              const std::string &attention,
                              const std::string &cpu) {
  const bool isBrain = attention == "bf16";
  const char *name = isBrain ? "bf16" : "f16";
  if (isBrain ? products == zrt::Kernel16::Widen
              : products != zrt::Kernel16::AmxBoth)
    return llvm::createStringError(
        "--attention=%s: no product of this plan has operands of %s on "
        "--cpu=%s, which would need %s; drop it",
        attention.c_str(), name, cpu.c_str(),
        isBrain ? "AMX, or AVX512_BF16 without AVX512_FP16" : "AMX-FP16");
  llvm::Error error = llvm::Error::success();
  bool hasAny = false;
  plan.walk([&](Operation *op) {
    if (error || !isa<nn::AttentionOp, nn::CachedAttentionOp>(op))
      return;
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    hasAny = true;
    const Type element = type.getElementType();
    if (!(isBrain ? element.isBF16() : element.isF16()) ||
        type.getDimSize(3) > zrt::kMaxPairWidth)
      error = llvm::createStringError(
          "--attention=%s: attention has heads of width %d of %s, and "
          "products of %s are for %s up to width %d; drop it",
          attention.c_str(), int(type.getDimSize(3)),
          llvm::formatv("{0}", element).str().c_str(), name, name,
          int(zrt::kMaxPairWidth));
  });
  if (!error && !hasAny)
    return llvm::createStringError(
        "--attention=%s: this plan has no attention; drop it",
        attention.c_str());
  return error;
}

llvm::Expected<GeneratedPlan> zero::generatePlan(ModuleOp plan,
                                                 const DriverOptions &options,
                                                 PassManagerSetup setup) {
  llvm::Expected<CpuTarget> cpu = resolveCpu(options.cpu);
  if (!cpu)
    return cpu.takeError();

  if (llvm::Error error = checkInterface(plan))
    return std::move(error);
  for (auto kernel : plan.getOps<KernelOp>())
    if (kernel.isExternal())
      return llvm::createStringError("kernel @%s has no body",
                                     kernel.getSymName().str().c_str());
  for (auto program : plan.getOps<ProgramOp>())
    if (program.getRank())
      return llvm::createStringError("@%s is a program of one rank, and a "
                                     "binary runs the same programs on "
                                     "all ranks; take it out of the plan",
                                     program.getSymName().str().c_str());

  Certificate certificate = certify(plan);
  const bool reference = isReference(plan);
  if (reference)
    certificate.outside.push_back(
        "temporaries of the reference kernel, on the heap");
  llvm::append_range(certificate.outside,
                     options.target->listOutside(plan, options.targetOptions));
  certificate.outside.push_back(
      "thread stacks, up to 1 MiB used by a kernel's row temporaries");
  Certificate::Checkpoint &saved = certificate.checkpoint,
                          &whole = certificate.wholeCheckpoint;
  for (Certificate::Checkpoint *one : {&saved, &whole})
    one->copies = llvm::alignTo(
        one->inMemory + std::min<int64_t>(one->onNvme, ZRT_CHECKPOINT_STREAMED),
        ZRT_CHECKPOINT_BLOCK);
  if (whole.copies > 0) // it trains
    certificate.outside.push_back(
        "with train --checkpoint, " + bytesText(saved.copies) +
        " of host memory for copies of what is saved" +
        (whole.copies == saved.copies
             ? ""
             : ", or " + bytesText(whole.copies) +
                   " if frozen parameters are not those of --init"));
  if (!options.prediction.machine.empty()) {
    auto time = predictTime(plan, options.prediction);
    if (!time)
      return time.takeError();
    certificate.time = std::move(*time);
  }
  certificate.model = llvm::sys::path::filename(options.input);
  certificate.options = getPlanOptions(plan);

  std::string features = cpu->required;
  if (options.target->multipliesOnHost() && multipliesHalves(plan) &&
      !cpu->ofHalves.empty())
    features += (features.empty() ? "" : ",") + cpu->ofHalves;
  // GPUs have kernels of their own, and their twins on processors the bits of
  // f32.
  const std::string &attention = options.targetOptions.attention;
  zrt::Kernel16 products = zrt::Kernel16::Widen;
  if (options.target->multipliesOnHost() && attention != "f32")
    products = zrt::kernel16For(features);
  if (attention == "bf16" || attention == "fp16")
    if (llvm::Error error = checkPairs(plan, products, attention, options.cpu))
      return std::move(error);
  PlanInfo info{certificate.model,
                certificate.options,
                cpu->description,
                features,
                hashModel(plan),
                certificate.toJson(),
                listCategories(certificate)};
  TemporaryFolder folder;
  if (std::error_code error = folder.create())
    return llvm::createStringError(
        error, "cannot create a temporary folder: %s", error.message().c_str());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> tables, code;
  if (succeeded(formPlanKernels(plan, setup))) {
    auto device = options.target->emitDevice(plan, options.targetOptions, *cpu,
                                             folder, setup);
    if (!device)
      return device.takeError();
    info.device = std::move(*device);
    tables = describePlan(plan, context, info);
  }
  if (tables && succeeded(lowerKernelsToCpu(plan, reference, setup, products)))
    code = translateKernels(plan, context, *cpu);
  if (!code)
    return llvm::createStringError("code generation failed");

  if (options.emit == Emit::LLVM) {
    std::string text;
    llvm::raw_string_ostream out(text);
    code->print(out, nullptr);
    tables->print(out, nullptr);
    return GeneratedPlan{std::move(text), std::move(certificate)};
  }

  std::string kernelObject = folder.file("kernels.o"),
              planObject = folder.file("plan.o"),
              result = folder.file("result");
  if (llvm::Error error =
          emitObject(*code, *cpu, /*optimise=*/!reference, kernelObject))
    return std::move(error);
  if (llvm::Error error =
          emitObject(*tables, *cpu, /*optimise=*/false, planObject))
    return std::move(error);
  // Written to the standard output: lld replaces a % in a file name by a random
  // digit.
  const std::vector<std::string> linker = getLinker();
  SmallVector<StringRef> command(linker.begin(), linker.end());
  command.append({kernelObject, planObject, "-o", "-"});
  // The program that loads the plan defines the functions that it calls.
  if (options.emit == Emit::Object)
    command.push_back("-r");
  else
    command.append({"-shared", "-Bsymbolic", "--hash-style=gnu"});
  if (llvm::Error error = runTool(command, folder, result))
    return std::move(error);
  llvm::Expected<std::string> linked = readFile(result);
  if (!linked)
    return linked.takeError();
  return GeneratedPlan{std::move(*linked), std::move(certificate)};
}

/// The certificates of several plans, each with a heading; or their list.
static std::string printCertificates(ArrayRef<GeneratedPlan> plans,
                                     bool isJson) {
  if (plans.size() == 1)
    return isJson ? plans.front().certificate.toJson()
                  : plans.front().certificate.print();
  std::string text = isJson ? "[" : "";
  for (const auto &[i, plan] : llvm::enumerate(plans)) {
    const Certificate &one = plan.certificate;
    if (isJson)
      text += (i ? ",\n" : "") + StringRef(one.toJson()).trim().str();
    else
      text += (Twine(i ? "\n" : "") + "--world-size=" + Twine(one.ranks) +
               "\n" + one.print())
                  .str();
  }
  return text + (isJson ? "]\n" : "");
}

llvm::Error zero::writePlans(ArrayRef<GeneratedPlan> plans,
                             const DriverOptions &options, StringRef argv0) {
  if (llvm::Error error =
          options.emit == Emit::Executable
              ? writeProgram(plans, options, argv0)
              : frontend::writeOutput(options.output, plans.front().code))
    return error;
  if (options.emit == Emit::LLVM)
    return llvm::Error::success();
  bool isJson = options.certificate == "json";
  llvm::outs() << printCertificates(plans, isJson);
  llvm::outs().flush();
  // With JSON, the standard output contains only the certificate.
  (isJson ? llvm::errs() : llvm::outs()) << "wrote " << options.output << "\n";
  return llvm::Error::success();
}
