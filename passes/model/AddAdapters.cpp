//===- AddAdapters.cpp - Low-rank adapters of linear layers ---------------===//
//
// Hu et al., "LoRA" (2021); Liu et al., "DoRA" (2024).  Names are those of
// PEFT, so that its adapters fit.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Heads.h"
#include "passes/model/ModelFunction.h"
#include "passes/model/NamePattern.h"
#include "passes/model/Passes.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace mlir::zero {
#define GEN_PASS_DEF_ADDADAPTERS
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The linear layers that read one weight.
struct Target {
  BlockArgument weight;
  std::string module; ///< the weight's name without ".weight"
  SmallVector<nn::LinearOp, 1> layers;
  bool isTransposed() { return layers.front().getTransposed(); }
  RankedTensorType type() { return cast<RankedTensorType>(weight.getType()); }
  int64_t in() { return type().getDimSize(isTransposed() ? 0 : 1); }
  int64_t out() { return type().getDimSize(isTransposed() ? 1 : 0); }
};

/// The keys of dropout, and the places that are not taken.
struct Dropout {
  double rate = 0;
  Value keys = {};
  int64_t place = 0;
};

class Adapters {
public:
  Adapters(func::FuncOp model, int64_t rank, double alpha, bool isStabilized,
           bool hasMagnitudes, double dropoutRate)
      : model(model), rank(rank), alpha(alpha), isStabilized(isStabilized),
        hasMagnitudes(hasMagnitudes), dropout{dropoutRate},
        b(model.getContext()), heads(findHeads(model)) {}

  /// All linear layers whose weight is a parameter with a name of its own.
  SmallVector<Target, 0> findLayers() {
    llvm::MapVector<Value, Target> found;
    model.walk([&](nn::LinearOp layer) {
      auto weight = dyn_cast<BlockArgument>(layer.getWeight());
      StringRef module = weight ? moduleOf(weight) : "";
      if (module.empty())
        return;
      Target &target = found[weight];
      target.weight = weight;
      target.module = module.str();
      target.layers.push_back(layer);
    });
    SmallVector<Target, 0> targets;
    for (auto &[weight, target] : found)
      targets.push_back(std::move(target));
    return targets;
  }

  bool isHead(const Target &target) const {
    return llvm::any_of(target.layers, [&](nn::LinearOp layer) {
      return heads.contains(layer);
    });
  }

  /// The names of modules with parameters.
  llvm::SetVector<StringRef> findModules() {
    llvm::SetVector<StringRef> modules;
    for (BlockArgument argument : model.getArguments())
      if (StringRef name = nameOf(argument); !name.empty())
        modules.insert(name.rsplit('.').first);
    return modules;
  }

  /// Freezes all parameters but those of modules in `kept`, which it returns.
  SmallVector<StringRef> freeze(const llvm::StringSet<> &kept) {
    SmallVector<StringRef> trained;
    for (unsigned i = 0, e = model.getNumArguments(); i != e; ++i) {
      auto name = model.getArgAttrOfType<StringAttr>(i, kParamAttr);
      if (!name)
        continue;
      StringRef module = name.getValue().rsplit('.').first;
      if (!kept.contains(module))
        model.setArgAttr(i, kFrozenAttr, b.getUnitAttr());
      else if (!llvm::is_contained(trained, module))
        trained.push_back(module);
    }
    return trained;
  }

  /// The name of a weight that is trained whole and that several operations
  /// read, or nothing.  PEFT would train a copy for one of them.
  StringRef findShared() {
    for (BlockArgument argument : model.getArguments())
      if (auto name = model.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), kParamAttr);
          name && !model.getArgAttr(argument.getArgNumber(), kFrozenAttr) &&
          llvm::range_size(argument.getUsers()) > 1)
        return name.getValue();
    return "";
  }

  /// The names, without ".weight", of weights of experts.
  SmallVector<StringRef> findExperts() {
    SmallVector<StringRef> found;
    for (BlockArgument argument : model.getArguments())
      if (StringRef module = moduleOf(argument);
          !module.empty() && llvm::any_of(argument.getUses(), isExpert))
        found.push_back(module);
    return found;
  }

  /// Whether something but linear layers reads the weight of `target`, as an
  /// embedding does.
  static bool isReadOtherwise(const Target &target) {
    return llvm::any_of(target.weight.getUses(), [](OpOperand &use) {
      auto layer = dyn_cast<nn::LinearOp>(use.getOwner());
      return !layer || &use != &layer.getWeightMutable();
    });
  }

  /// Packs the parameters that are read only as weights, by experts and by
  /// linear layers other than the head.  Returns how many.
  int64_t pack(Packing packing) {
    int64_t packed = 0;
    for (BlockArgument argument : model.getArguments()) {
      if (!model.getArgAttr(argument.getArgNumber(), kFrozenAttr) ||
          argument.use_empty() ||
          !llvm::all_of(argument.getUses(),
                        [&](OpOperand &use) { return isWeight(use); }))
        continue;
      model.setArgAttr(argument.getArgNumber(), kPackingAttr,
                       PackingAttr::get(b.getContext(), packing));
      ++packed;
    }
    return packed;
  }

  /// PEFT's adapter_config.json of adapters of `targets`.
  std::string describe(ArrayRef<Target> targets, ArrayRef<StringRef> whole) {
    llvm::json::Array modules;
    for (const Target &target : targets)
      modules.push_back(target.module);
    llvm::json::Object config{
        {"peft_type", "LORA"},
        {"task_type", "CAUSAL_LM"},
        {"base_model_name_or_path", nullptr},
        {"r", rank},
        {"lora_alpha", alpha},
        {"lora_dropout", dropout.rate},
        {"bias", "none"},
        {"fan_in_fan_out", Target(targets.front()).isTransposed()},
        {"target_modules", std::move(modules)},
        {"inference_mode", true}};
    if (isStabilized)
      config["use_rslora"] = true;
    if (hasMagnitudes)
      config["use_dora"] = true;
    if (!whole.empty()) {
      llvm::json::Array saved;
      for (StringRef module : whole)
        saved.push_back(module);
      config["modules_to_save"] = std::move(saved);
    }
    return llvm::formatv("{0:2}", llvm::json::Value(std::move(config))).str();
  }

  /// Gives the model keys of dropout, if adapters of `targets` need them and it
  /// has none.
  LogicalResult addDropout(ArrayRef<Target> targets) {
    if (dropout.rate == 0)
      return success();
    int64_t sequences = 0;
    for (BlockArgument argument : model.getArguments())
      if (auto name = model.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), kInputAttr)) {
        auto type = cast<RankedTensorType>(argument.getType());
        sequences = type.getRank() ? type.getDimSize(0) : 0;
        if (name == kDropout)
          dropout.keys = argument;
      }
    if (sequences == 0)
      return model.emitError("has no input, and so no sequences whose adapters "
                             "could have dropout; drop --lora-dropout");
    for (const Target &target : targets)
      for (nn::LinearOp layer : target.layers)
        if (layer.getX().getType().getShape().front() % sequences != 0)
          return layer.emitError("the adapter of \"")
                 << target.module << "\" reads " << layer.getX().getType()
                 << ", which has no rows of each of the " << sequences
                 << " sequences, so it can have no dropout; leave it out of "
                    "the targets, or drop --lora-dropout";
    auto taken = [&](std::optional<int64_t> place) {
      dropout.place = std::max(dropout.place, place.value_or(-1) + 1);
    };
    model.walk([&](nn::DropoutOp op) { taken(op.getPlace()); });
    model.walk([&](nn::AttentionOp op) { taken(op.getPlace()); });
    if (dropout.keys)
      return success();
    unsigned place = model.getNumArguments();
    (void)model.insertArgument(
        place, RankedTensorType::get({sequences}, b.getI64Type()),
        b.getDictionaryAttr(
            b.getNamedAttr(kInputAttr, b.getStringAttr(kDropout))),
        NameLoc::get(b.getStringAttr(kDropout)));
    dropout.keys = model.getArgument(place);
    return success();
  }

  void add(Target &target) {
    double bound = 1 / std::sqrt(static_cast<double>(target.in()));
    Value down = addParameter(
        target, "lora_A.weight", 1, {rank, target.in()},
        UniformAttr::get(b.getContext(), APFloat(-bound), APFloat(bound)));
    Value up = addParameter(target, "lora_B.weight", 2, {target.out(), rank},
                            ConstantAttr::get(b.getContext(), APFloat(0.0)));
    Value magnitude, norms;
    if (hasMagnitudes) {
      // The training program starts it with the norms of the weight's rows.
      magnitude =
          addParameter(target, "lora_magnitude_vector", 3, {target.out()},
                       ConstantAttr::get(b.getContext(), APFloat(1.0)));
      norms = computeNorms(target, down, up);
    }
    // A layer that reads the weight transposed reads its adapter so, too.
    for (nn::LinearOp layer : target.layers) {
      Value bias = layer.getBias();
      if (hasMagnitudes && bias)
        layer.getBiasMutable().clear();
      Value sum = layer.getTransposed() == target.isTransposed()
                      ? adapt(layer, down, up, /*transposed=*/false)
                      : adapt(layer, up, down, /*transposed=*/true);
      if (!hasMagnitudes)
        continue;
      auto scaled = nn::SetMagnitudesOp::create(
          b, layer.getLoc(), sum.getType(), sum, magnitude, norms, bias);
      sum.replaceAllUsesExcept(scaled, scaled);
    }
  }

  /// Whether layers read the weight of `target` both ways, so that its rows are
  /// the outputs of some and the inputs of others.
  static bool isReadBothWays(Target &target) {
    return llvm::any_of(target.layers, [&](nn::LinearOp layer) {
      return layer.getTransposed() != target.isTransposed();
    });
  }

private:
  /// The name of a parameter, or nothing.
  StringRef nameOf(BlockArgument argument) {
    auto name =
        model.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kParamAttr);
    return name ? name.getValue() : "";
  }

  /// The same without ".weight".
  StringRef moduleOf(BlockArgument argument) {
    StringRef module = nameOf(argument);
    module.consume_back(".weight");
    return module;
  }

  static bool isExpert(OpOperand &use) {
    auto experts = dyn_cast<nn::GroupedMatmulOp>(use.getOwner());
    return experts && llvm::is_contained(experts.getWeights(), use.get()) &&
           use.get() != experts.getX();
  }

  /// Whether `use` is the weight of an expert, or of a linear layer but the
  /// head.
  bool isWeight(OpOperand &use) const {
    if (auto layer = dyn_cast<nn::LinearOp>(use.getOwner()))
      return &use == &layer.getWeightMutable() && !heads.contains(layer);
    return isExpert(use);
  }

  func::FuncOp model;
  int64_t rank;
  double alpha;
  bool isStabilized;  ///< by the root of the rank
  bool hasMagnitudes; ///< DoRA
  Dropout dropout;
  OpBuilder b;
  DenseSet<Operation *> heads;

  double factor() const {
    const double r = static_cast<double>(rank);
    return alpha / (isStabilized ? std::sqrt(r) : r);
  }

  /// Adds a parameter after the weight, so that it is of the same block.
  Value addParameter(Target &target, StringRef name, unsigned behind,
                     ArrayRef<int64_t> shape, Attribute init) {
    unsigned weight = target.weight.getArgNumber();
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr(kParamAttr, b.getStringAttr("base_model.model." +
                                                   target.module + "." + name)),
        b.getNamedAttr(kInitAttr, init)};
    if (Attribute block = model.getArgAttr(weight, kBlockAttr))
      attributes.push_back(b.getNamedAttr(kBlockAttr, block));
    unsigned place = weight + behind;
    (void)model.insertArgument(place, target.type().clone(shape),
                               b.getDictionaryAttr(attributes),
                               target.weight.getLoc());
    return model.getArgument(place);
  }

  /// The norms of the rows of w + factor b a, without their product:
  ///   |w + b a'|^2 = |w|^2 + b (2 a' w^T + a' a'^T b),  a' = factor a
  Value computeNorms(Target &target, Value down, Value up) {
    nn::LinearOp first = target.layers.front();
    Location loc = first.getLoc();
    b.setInsertionPoint(first);
    Value w = target.weight;
    auto product = [&](Value x, Value weight, int64_t rows, int64_t columns,
                       bool transposed) -> Value {
      return nn::LinearOp::create(b, loc, target.type().clone({rows, columns}),
                                  x, weight, Value(), transposed);
    };
    if (double scale = factor(); scale != 1)
      down = arith::MulFOp::create(b, loc, down,
                                   nn::constant(b, loc, down.getType(), scale));
    Value byWeight =
              product(down, w, rank, target.out(), first.getTransposed()),
          byItself = product(down, down, rank, rank, false),
          byUp = product(up, byItself, target.out(), rank, false);
    Value squares =
        nn::reduceSum(b, loc, {w}, {first.getTransposed() ? "io" : "oi"}, "o",
                      [](const nn::Scalars &in) { return in[0] * in[0]; });
    Value added = nn::reduceSum(
        b, loc, {up, byWeight, byUp}, {"ok", "ko", "ok"}, "o",
        [](const nn::Scalars &in) { return in[0] * (2.0 * in[1] + in[2]); });
    // A row of zeros stays zero.
    return nn::elementwise(b, loc, {squares, added}, [](const nn::Scalars &in) {
      nn::S sum = in[0] + in[1];
      return nn::sqrt(sum.apply<arith::MaximumFOp>(sum.constant(1e-30)));
    });
  }

  /// y + (factor x down^T) up^T; if `transposed`, y + (factor x down) up.  x
  /// may have dropout.
  Value adapt(nn::LinearOp layer, Value down, Value up, bool transposed) {
    Location loc = layer.getLoc();
    b.setInsertionPointAfter(layer);
    auto type = cast<RankedTensorType>(layer.getResult().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = rank;
    RankedTensorType narrow = type.clone(shape);
    Value x = layer.getX();
    if (dropout.rate != 0)
      x = nn::DropoutOp::create(b, loc, x.getType(), x, dropout.keys,
                                b.getF64FloatAttr(dropout.rate),
                                b.getI64IntegerAttr(dropout.place++));
    Value low =
        nn::LinearOp::create(b, loc, narrow, x, down, Value(), transposed);
    if (double scale = factor(); scale != 1)
      low = arith::MulFOp::create(
          b, loc, low,
          arith::ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(
                  narrow,
                  Attribute(b.getFloatAttr(type.getElementType(), scale)))));
    Value more =
        nn::LinearOp::create(b, loc, type, low, up, Value(), transposed);
    auto sum = arith::AddFOp::create(b, loc, layer.getResult(), more);
    layer.getResult().replaceAllUsesExcept(sum, sum);
    return sum;
  }
};

struct AddAdaptersPass : zero::impl::AddAdaptersBase<AddAdaptersPass> {
  using AddAdaptersBase::AddAdaptersBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> model = findModelFunction(getOperation());
    if (failed(model))
      return signalPassFailure();
    if (rank < 1 || !(std::isfinite(alpha) && alpha > 0)) {
      getOperation().emitError(
          "adapters have a rank of at least 1 and an alpha "
          "above 0, got ")
          << rank.getValue() << " and " << alpha.getValue();
      return signalPassFailure();
    }
    if (!(dropout >= 0 && dropout < 1)) {
      getOperation().emitError(
          "the dropout of adapters is at least 0 and below 1, got ")
          << dropout.getValue();
      return signalPassFailure();
    }
    // PEFT gives an input with dropout to the frozen weight of DoRA, too.
    if (magnitudes && dropout != 0) {
      getOperation().emitError("adapters with magnitudes have no dropout; drop "
                               "--dora or --lora-dropout");
      return signalPassFailure();
    }
    std::optional<Packing> packing = symbolizePacking(baseStorage);
    if (baseStorage != "model" && !packing) {
      getOperation().emitError("base-storage=")
          << baseStorage.getValue() << "; use model, nf4 or int8";
      return signalPassFailure();
    }
    Adapters adapters(*model, rank, alpha, rankStabilized, magnitudes, dropout);
    SmallVector<Target, 0> layers = adapters.findLayers(), chosen;
    SmallVector<StringRef> experts = adapters.findExperts();
    llvm::SetVector<StringRef> names(llvm::from_range, experts);
    for (const Target &layer : layers)
      names.insert(layer.module);
    FailureOr<llvm::StringSet<>> wanted =
        match("targets of adapters", targets, names.getArrayRef());
    if (failed(wanted))
      return signalPassFailure();
    for (Target &layer : layers) {
      if (targets.empty() ? adapters.isHead(layer)
                          : !wanted->contains(layer.module))
        continue;
      if (targets.empty() && Adapters::isReadOtherwise(layer))
        emitWarning(layer.weight.getLoc(), "\"")
            << layer.module
            << "\" gets no adapter, since its weight is read in other places, "
               "too";
      else
        chosen.push_back(layer);
    }
    auto isWanted = [&](StringRef name) { return wanted->contains(name); };
    if (auto first = llvm::find_if(experts, isWanted); first != experts.end()) {
      getOperation().emitError("targets of adapters: \"")
          << targets.getValue() << "\" matches \"" << *first << "\" and "
          << llvm::count_if(experts, isWanted) - 1
          << " more weights of experts, which get no adapters; leave them "
             "out";
      return signalPassFailure();
    }
    if (chosen.empty()) {
      reportNone(*model, layers);
      return signalPassFailure();
    }
    for (Target &target : chosen)
      if (rank > std::min(target.in(), target.out())) {
        emitError(target.weight.getLoc(), "an adapter of rank ")
            << rank.getValue() << " is no smaller than \"" << target.module
            << ".weight\", " << target.type() << "; use a rank of at most "
            << std::min(target.in(), target.out());
        return signalPassFailure();
      }
    for (const Target &target : chosen)
      if (Adapters::isReadOtherwise(target)) {
        emitError(target.weight.getLoc(), "an adapter of \"")
            << target.module
            << "\" would be of its linear layer alone, and the weight is read "
               "in other places, too, as a tied embedding is: PEFT would adapt "
               "those, and merged it would change them; leave it out of the "
               "targets";
        return signalPassFailure();
      }
    for (Target &target : chosen)
      if (magnitudes && Adapters::isReadBothWays(target)) {
        emitError(target.weight.getLoc(), "magnitudes of \"")
            << target.module
            << "\" would be of outputs of one layer and of inputs of another, "
               "which reads the weight transposed; leave it out of the targets";
        return signalPassFailure();
      } else if (magnitudes && target.in() == target.out() &&
                 target.isTransposed() != chosen.front().isTransposed()) {
        // "fan_in_fan_out" says what the rows of a square weight are.
        emitError(target.weight.getLoc(), "magnitudes of \"")
            << target.module
            << "\", which is stored the other way round than \""
            << chosen.front().module << "\"; leave one out of the targets";
        return signalPassFailure();
      }
    FailureOr<llvm::StringSet<>> kept = match(
        "modules to save", modulesToSave, adapters.findModules().getArrayRef());
    if (failed(kept))
      return signalPassFailure();
    SmallVector<StringRef> whole = adapters.freeze(*kept);
    if (!modulesToSave.empty() && whole.empty()) {
      getOperation().emitError("modules to save: \"")
          << modulesToSave.getValue() << "\" matches no module";
      return signalPassFailure();
    }
    if (StringRef shared = adapters.findShared(); !shared.empty()) {
      getOperation().emitError("modules to save: \"")
          << shared
          << "\" is read in several places, as tied embeddings are, and PEFT "
             "would train a copy for one of them; leave it out";
      return signalPassFailure();
    }
    for (Target &target : chosen)
      if (llvm::is_contained(whole, target.module)) {
        getOperation().emitError("modules to save: \"")
            << target.module
            << "\" gets an adapter, too; leave it out of one of them";
        return signalPassFailure();
      }
    if (packing && adapters.pack(*packing) == 0) {
      getOperation().emitError("base-storage=")
          << baseStorage.getValue()
          << " finds no weight to pack: those of experts and of linear layers "
             "but the head, which nothing else reads; drop it";
      return signalPassFailure();
    }
    getOperation()->setAttr(
        kAdaptersAttr,
        StringAttr::get(&getContext(), adapters.describe(chosen, whole)));
    if (failed(adapters.addDropout(chosen)))
      return signalPassFailure();
    for (Target &target : chosen)
      adapters.add(target);
  }

private:
  /// Those of `names` that `pattern` matches; an empty one matches none.
  FailureOr<llvm::StringSet<>> match(StringRef what, StringRef pattern,
                                     ArrayRef<StringRef> names) {
    if (pattern.empty())
      return llvm::StringSet<>();
    llvm::Expected<llvm::StringSet<>> found = findFullMatches(pattern, names);
    if (found)
      return std::move(*found);
    getOperation().emitError()
        << what << ": \"" << pattern << "\" is no regular expression of "
        << "Python: " << llvm::toString(found.takeError());
    return failure();
  }

  void reportNone(func::FuncOp model, ArrayRef<Target> layers) {
    InFlightDiagnostic error =
        model.emitError("has no linear layer for adapters to be added to");
    if (!targets.empty())
      error << " that \"" << targets.getValue() << "\" matches whole";
    if (layers.empty())
      error << "; adapters are those of nn.linear with a parameter as weight";
    else
      error << "; there is \"" << layers.front().module << "\" and "
            << layers.size() - 1 << " more";
  }
};

} // namespace
