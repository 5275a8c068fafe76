//===- Choices.cpp - Plans of a model that fit a machine ------------------===//
#include "tools/zeroc/Choices.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/zeroc/TextTable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Where state is kept.
struct Tiers {
  StringLiteral text, flags;
  Offload optimizer, params;
};
constexpr Tiers kTiers[] = {
    {"device", "", Offload::None, Offload::None},
    {"optimizer in host memory", " --offload-optimizer=cpu", Offload::Cpu,
     Offload::None},
    {"host memory", " --offload=cpu", Offload::Cpu, Offload::Cpu},
    {"nvme", " --offload=nvme", Offload::Nvme, Offload::Nvme}};

/// What is trained.
struct Training {
  std::string text, flags;
  int64_t rank = 0;
  double alpha = 0;
  std::string storage = "model";
  OwningOpRef<ModuleOp> kernels = {}; ///< formed when they are first needed
};

struct Choice {
  const Training *training;
  const Tiers *tiers;
  PipelineOptions options;
  Certificate certificate;
  int64_t over = 0, overOnHost = 0; ///< bytes of a rank beyond the limit
  bool fits() const { return over <= 0 && overOnHost <= 0; }
};

std::string inGigabytes(int64_t bytes) {
  return llvm::formatv("{0:F1} GB", double(bytes) / 1e9);
}

class Chooser {
public:
  Chooser(ModuleOp module, const ChoiceRequest &request, PassManagerSetup setup)
      : module(module), request(request), setup(setup),
        parameters(countParameters(module)), sequence(countTokens(module)) {
    const PipelineOptions &given = request.options;
    if (given.loraRank) {
      trainings.push_back({given.baseStorage == "model"
                               ? std::string("adapters")
                               : "adapters, base in " + given.baseStorage,
                           "", given.loraRank, given.loraAlpha,
                           given.baseStorage});
      return;
    }
    trainings.push_back({"all weights", ""});
    trainings.push_back({"adapters", " --lora=16:32", 16, 32});
    trainings.push_back({"adapters, base in nf4",
                         " --lora=16:32 --base-storage=nf4", 16, 32, "nf4"});
  }

  FailureOr<std::string> run() {
    for (const Tiers &tiers : kTiers) {
      for (Training &training : trainings) {
        // It would give up more for the same.
        if (llvm::any_of(choices, [&](const Choice &choice) {
              return choice.fits() && choice.training == &training;
            }))
          continue;
        for (Remat remat : listRemat())
          if (failed(addLowestStage(tiers, training, remat)))
            return failure();
      }
      // Further tiers would give up more for nothing.
      if (llvm::any_of(choices, [&](const Choice &choice) {
            return choice.fits() && choice.training == &trainings.front();
          }))
        break;
    }
    return request.isJson ? toJson() : print();
  }

private:
  ModuleOp module;
  const ChoiceRequest &request;
  PassManagerSetup setup;
  const int64_t parameters, sequence;
  std::vector<Training> trainings;
  std::vector<Choice> choices;

  static int64_t countParameters(ModuleOp module) {
    int64_t count = 0;
    for (auto loss : module.getOps<func::FuncOp>())
      for (unsigned i = 0; i != loss.getNumArguments(); ++i)
        if (loss.getArgAttr(i, kParamAttr))
          count += cast<RankedTensorType>(loss.getArgument(i).getType())
                       .getNumElements();
    return count;
  }

  SmallVector<Remat> listRemat() const {
    if (request.choosesRemat)
      return {Remat::None, Remat::Block};
    return {request.options.remat};
  }

  int64_t deviceLimit() const {
    return request.options.deviceMemory - kHeadRoom;
  }

  /// Parameters of 16 bits and AdamW's moments take at least these bytes of the
  /// device; a plan that is beyond its limit by them alone is not compiled.
  int64_t leastBytes(const Tiers &tiers, const Training &training,
                     int64_t stage) const {
    const PipelineOptions &o = request.options;
    auto kept = [&](int64_t perParameter, bool isSharded) {
      return perParameter * parameters / (isSharded ? o.worldSize : 1);
    };
    if (tiers.params != Offload::None)
      return 0;
    if (training.rank)
      return kept(training.storage == "model" ? 4 : 1, stage == 3) / 2;
    const bool hasMoments = o.optimizer == "adamw" && o.rule.empty() &&
                            o.stateDtype == StateDtype::F32 &&
                            tiers.optimizer == Offload::None;
    return kept(2, stage == 3) + (hasMoments ? kept(8, stage >= 1) : 0);
  }

  /// Adds the plan of the lowest stage that fits, or, if none does, the one of
  /// the highest.
  LogicalResult addLowestStage(const Tiers &tiers, Training &training,
                               Remat remat) {
    const int64_t last = request.options.worldSize > 1 ? 3 : 0;
    for (int64_t stage = 0; stage <= last; ++stage) {
      if (stage < last && leastBytes(tiers, training, stage) > deviceLimit())
        continue;
      PipelineOptions options = request.options;
      options.stage = stage;
      options.remat = remat;
      options.offloadOptimizer = tiers.optimizer;
      options.offloadParams = tiers.params;
      options.loraRank = training.rank;
      options.loraAlpha = training.alpha;
      options.baseStorage = training.storage;
      options.deviceMemory = options.hostMemory = -1;
      if (findConflict(options, /*isKnown=*/false))
        continue;
      if (!training.kernels) {
        training.kernels = module.clone();
        if (failed(
                runPipeline(*training.kernels, Level::Kernels, options, setup)))
          return failure();
      }
      OwningOpRef<ModuleOp> copy = training.kernels->clone();
      auto certificate = compileCertificate(*copy, options, setup);
      if (failed(certificate))
        return failure();
      Choice choice{&training, &tiers, options, std::move(*certificate)};
      choice.over = sizeOf(choice, Tier::Device) - deviceLimit();
      if (request.options.hostMemory >= 0)
        choice.overOnHost =
            sizeOf(choice, Tier::Host) - request.options.hostMemory;
      if (choice.fits() || stage == last) {
        choices.push_back(std::move(choice));
        break;
      }
    }
    return success();
  }

  static int64_t sizeOf(const Choice &choice, Tier tier) {
    return choice.certificate.arenas[static_cast<unsigned>(tier)].size;
  }

  const Choice *first() const {
    auto found = llvm::find_if(
        choices, [](const Choice &choice) { return choice.fits(); });
    return found == choices.end() ? nullptr : &*found;
  }

  static std::string fitText(const Choice &choice) {
    if (choice.fits())
      return "yes, " + inGigabytes(-choice.over) + " left";
    std::string text = "no";
    if (choice.over > 0)
      text += ", " + inGigabytes(choice.over) + " too much";
    if (choice.overOnHost > 0)
      text +=
          ", " + inGigabytes(choice.overOnHost) + " of host memory too much";
    return text;
  }

  int64_t ranksPerHost() const {
    return std::min(request.ranksPerHost, request.options.worldSize);
  }

  /// The options of a plan, as they are typed.
  std::string flagsOf(const Choice &choice) const {
    const PipelineOptions &o = choice.options;
    std::string text = request.given + choice.training->flags;
    if (request.choosesPrecision)
      text += " --precision=bf16";
    if (o.worldSize > 1)
      text +=
          llvm::formatv(" --stage={0} --world-size={1}", o.stage, o.worldSize);
    text += choice.tiers->flags;
    if (request.choosesRemat && o.remat == Remat::Block)
      text += " --remat=block";
    return text;
  }

  std::string print() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    const PipelineOptions &o = request.options;
    os << "plans of " << request.model << ", " << groupDigits(parameters)
       << " parameters, on " << groupDigits(o.worldSize)
       << (o.worldSize > 1 ? " ranks" : " rank") << ", " << request.batch
       << " x " << groupDigits(sequence) << " tokens of each, in "
       << stringify(o.precision) << "\n";
    std::vector<TextColumn> columns = {
        {"", {}, true},
        {"trained", {}, true},
        {"state", {}, true},
        {"recomputed", {}, true},
        {"stage"},
        {"device of a rank"},
        {llvm::formatv("host of {0} ranks", ranksPerHost())},
        {"nvme of a rank"},
        {"received a step"},
        {"fits", {}, true}};
    for (const Choice &choice : choices) {
      int64_t wire = 0;
      for (const Certificate::Wire &one : choice.certificate.wire)
        wire += one.bytes;
      const std::string cells[] = {
          &choice == first() ? "*" : "",
          choice.training->text,
          choice.tiers->text.str(),
          choice.options.remat == Remat::Block ? "blocks" : "nothing",
          std::to_string(choice.options.stage),
          inBytes(sizeOf(choice, Tier::Device)),
          inBytes(ranksPerHost() * sizeOf(choice, Tier::Host)),
          inBytes(sizeOf(choice, Tier::Nvme)),
          inBytes(wire),
          fitText(choice)};
      for (auto [column, cell] : llvm::zip_equal(columns, cells))
        column.cells.push_back(cell);
    }
    printColumns(os, columns, choices.size());
    os << "of the device's " << groupDigits(o.deviceMemory) << " B, "
       << groupDigits(kHeadRoom)
       << " are left to libraries; the host's memory also holds what the "
          "system needs\n";
    if (const Choice *choice = first())
      os << "first choice (*): the first plan that fits, in the order of what "
            "plans give up: where state is, what is trained, recomputation, "
            "stage\n\n    zeroc import "
         << request.model << " --batch=" << request.batch
         << " --seq=" << sequence << " -o model.mlir\n    zeroc model.mlir"
         << flagsOf(*choice) << " -o train\n";
    else
      os << "no plan fits; use more ranks, fewer tokens (--batch, --seq), or "
            "more memory\n";
    return text;
  }

  std::string toJson() const {
    llvm::json::Array list;
    for (const Choice &choice : choices)
      list.push_back(llvm::json::Object{
          {"trained", choice.training->text},
          {"state", choice.tiers->text},
          {"options", StringRef(flagsOf(choice)).trim().str()},
          {"first_choice", &choice == first()},
          {"fits", choice.fits()},
          {"device_left", -choice.over},
          {"certificate",
           llvm::cantFail(llvm::json::parse(choice.certificate.toJson()))}});
    llvm::json::Object all{{"model", request.model},
                           {"ranks", request.options.worldSize},
                           {"parameters", parameters},
                           {"plans", std::move(list)}};
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
  }
};

} // namespace

int64_t zero::countTokens(ModuleOp module) {
  for (auto loss : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i != loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, kInputAttr);
          name && name.getValue() == "tokens")
        return cast<RankedTensorType>(loss.getArgument(i).getType())
            .getDimSize(1);
  return 0;
}

FailureOr<std::string> zero::choosePlans(ModuleOp module,
                                         const ChoiceRequest &request,
                                         PassManagerSetup setup) {
  return Chooser(module, request, setup).run();
}
