//===- Options.cpp - What a plan was made with ----------------------------===//
//
// The attributes #zero.options, #zero.adamw, #zero.lion and #zero.sgd; and, in
// one place, how they read as the command line of zeroc.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/ShortestText.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::zero;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
using EmitError = function_ref<InFlightDiagnostic()>;
} // namespace

static LogicalResult checkDecay(EmitError error, StringRef name,
                                const APFloat &value) {
  if (value.isFinite() && !value.isNegative() && value.convertToDouble() < 1)
    return success();
  return error() << name << " must be from 0 to below 1, got "
                 << value.convertToDouble();
}

static LogicalResult checkBetas(EmitError error, const APFloat &beta1,
                                const APFloat &beta2) {
  return failure(failed(checkDecay(error, "beta1", beta1)) ||
                 failed(checkDecay(error, "beta2", beta2)));
}

LogicalResult AdamWAttr::verify(EmitError error, APFloat beta1, APFloat beta2,
                                APFloat eps) {
  if (failed(checkBetas(error, beta1, beta2)))
    return failure();
  if (!eps.isFinite() || eps.isNegative() || eps.isZero())
    return error() << "eps must be above 0 and finite, got "
                   << eps.convertToDouble();
  return success();
}

LogicalResult LionAttr::verify(EmitError error, APFloat beta1, APFloat beta2) {
  return checkBetas(error, beta1, beta2);
}

LogicalResult SGDAttr::verify(EmitError error, APFloat momentum) {
  return checkDecay(error, "momentum", momentum);
}

/// "@lion" of "zero.optimizer @lion(...) ...", or "".
static StringRef nameOfRule(StringRef text) {
  if (!text.consume_front("zero.optimizer @"))
    return "";
  return text.take_until([](char c) { return c == '('; });
}

LogicalResult OptionsAttr::verify(
    EmitError error, Attribute optimizer, APFloat weightDecay, APFloat gradClip,
    bool, StringRef precision, StringRef gradDtype, StringRef stateDtype,
    StringRef master, bool, int64_t lossChunk, int64_t stage, int64_t worldSize,
    int64_t accumulate, StringRef accumulateOrder, int64_t persistBelow,
    int64_t bucketSize, int64_t reuseDistance, StringRef offloadOptimizer,
    StringRef offloadParams, StringRef offloadActivations, StringRef remat,
    bool overlapUpdate, bool delayedUpdate, bool eval, StringRef sample) {
  auto own = dyn_cast_if_present<StringAttr>(optimizer);
  if (!isa_and_nonnull<AdamWAttr, LionAttr, SGDAttr, StringAttr>(optimizer) ||
      (own && nameOfRule(own).empty())) // (C1)
    return error() << "optimizer must be #zero.adamw, #zero.lion, #zero.sgd or "
                      "the text of a zero.optimizer (C1)";
  for (auto [name, value] :
       {std::pair<StringRef, const APFloat &>{"weight_decay", weightDecay},
        {"grad_clip", gradClip}})
    if (!value.isFinite() || value.isNegative()) // (C2)
      return error() << name << " must be 0 or more, and finite, got "
                     << value.convertToDouble() << " (C2)";
  if (!llvm::is_contained({"fp32", "bf16", "fp16"}, precision)) // (C4)
    return error() << "precision must be fp32, bf16 or fp16, got " << precision
                   << " (C4)";
  for (auto [name, value] :
       {std::pair<StringRef, StringRef>{"offload_optimizer", offloadOptimizer},
        {"offload_params", offloadParams},
        {"offload_activations", offloadActivations}})
    if (!llvm::is_contained({"none", "cpu", "nvme"}, value)) // (C5)
      return error() << name << " must be none, cpu or nvme, got " << value
                     << " (C5)";
  if (remat != "none" && remat != "block") // (C5)
    return error() << "remat must be none or block, got " << remat << " (C5)";
  if (!llvm::is_contained({"", "f32"}, gradDtype) &&
      gradDtype != precision) // (C6)
    return error() << "grad_dtype must be f32 or that of parameters, got "
                   << gradDtype << " and precision " << precision << " (C6)";
  if (stateDtype != "f32" && stateDtype != "bf16") // (C6)
    return error() << "state_dtype must be f32 or bf16, got " << stateDtype
                   << " (C6)";
  if (master != "f32" && (master != "none" || precision != "bf16")) // (C6)
    return error() << "master must be f32, or none with bf16, got " << master
                   << " and precision " << precision << " (C6)";
  if (master == "none" &&
      (offloadOptimizer != "none" || offloadParams != "none")) // (C6)
    return error() << "master = none is for state on the device (C6)";
  if (overlapUpdate && (offloadOptimizer == "none" || accumulate > 1)) // (C7)
    return error() << "overlap_update needs offload_optimizer and one "
                      "micro-step, got "
                   << offloadOptimizer << " and " << accumulate << " (C7)";
  if (delayedUpdate && (offloadOptimizer == "none" || offloadParams != "none" ||
                        accumulate > 1)) // (C7)
    return error() << "delayed_update needs offload_optimizer, parameters on "
                      "the device and one micro-step, got "
                   << offloadOptimizer << ", " << offloadParams << " and "
                   << accumulate << " (C7)";
  if (overlapUpdate && delayedUpdate) // (C7)
    return error() << "overlap_update and delayed_update are not for one plan "
                      "(C7)";
  if (!llvm::is_contained({"batch", "block"}, accumulateOrder) ||
      (accumulateOrder == "block" && accumulate == 1)) // (C8)
    return error() << "accumulate_order must be batch, or block with several "
                      "micro-steps, got "
                   << accumulateOrder << " and " << accumulate << " (C8)";
  if (!llvm::is_contained({"off", "on", "only"}, sample)) // (C9)
    return error() << "sample must be off, on or only, got " << sample
                   << " (C9)";
  if (sample == "only" &&
      (accumulate > 1 || eval || remat != "none" ||
       offloadActivations != "none" ||
       (offloadOptimizer != "none" && offloadParams == "none"))) // (C9)
    return error() << "sample = only is for one micro-step, without eval, "
                      "remat and what is offloaded of training (C9)";
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (auto [name, value, low, high] :
       {std::tuple<StringRef, int64_t, int64_t, int64_t>{"stage", stage, 0, 3},
        {"world_size", worldSize, 1, kMax},
        {"accumulate", accumulate, 1, kMax},
        {"loss_chunk", lossChunk, 0, kMax},
        {"persist_below", persistBelow, 0, kMax},
        {"bucket_size", bucketSize, 0, kMax},
        {"reuse_distance", reuseDistance, 0, kMax}})
    if (value < low || value > high) // (C3)
      return error() << name << " must be from " << low
                     << (high == kMax ? Twine(" on") : " to " + Twine(high))
                     << ", got " << value << " (C3)";
  return success();
}

StringRef zero::stringifyPrecision(Type element) {
  if (element.isF32())
    return "fp32";
  if (element.isBF16())
    return "bf16";
  return element.isF16() ? "fp16" : "";
}

Type zero::parseElementType(MLIRContext *context, StringRef name) {
  Builder types(context);
  return llvm::StringSwitch<Type>(name)
      .Cases({"f32", "fp32"}, types.getF32Type())
      .Case("bf16", types.getBF16Type())
      .Case("fp16", types.getF16Type())
      .Default(Type());
}

Type OptionsAttr::getParameterElement() const {
  return parseElementType(getContext(), getPrecision());
}
Type OptionsAttr::getGradientElement() const {
  return parseElementType(
      getContext(), getGradDtype().empty() ? getPrecision() : getGradDtype());
}
Type OptionsAttr::getSumElement() const {
  return getGradDtype().empty() ? parseElementType(getContext(), "f32")
                                : getGradientElement();
}
Type OptionsAttr::getStateElement() const {
  return parseElementType(getContext(), getStateDtype());
}

//===----------------------------------------------------------------------===//
// As a command line
//===----------------------------------------------------------------------===//

static std::string shortest(const APFloat &value) {
  return shortestText(value.convertToDouble());
}

SmallVector<OptionsAttr::Word> OptionsAttr::getWords() const {
  SmallVector<Word> words;
  if (auto adamw = dyn_cast<AdamWAttr>(getOptimizer())) {
    words.push_back({"--optimizer", "adamw"});
    words.push_back({"--betas", shortest(adamw.getBeta1()) + "," +
                                    shortest(adamw.getBeta2())});
    words.push_back({"--eps", shortest(adamw.getEps())});
  } else if (auto lion = dyn_cast<LionAttr>(getOptimizer())) {
    words.push_back({"--optimizer", "lion"});
    words.push_back({"--betas", shortest(lion.getBeta1()) + "," +
                                    shortest(lion.getBeta2())});
  } else if (auto own = dyn_cast<StringAttr>(getOptimizer())) {
    // Two rules of one name are told apart.
    words.push_back({"--optimizer",
                     llvm::formatv("@{0}#{1:x-8}", nameOfRule(own),
                                   uint32_t(llvm::xxh3_64bits(own.getValue())))
                         .str()});
  } else {
    words.push_back({"--optimizer", "sgd"});
    words.push_back(
        {"--momentum", shortest(cast<SGDAttr>(getOptimizer()).getMomentum())});
  }
  auto number = [&](StringRef option, int64_t value, int64_t implied = -1) {
    words.push_back({option, std::to_string(value), value == implied});
  };
  words.push_back({"--weight-decay", shortest(getWeightDecay())});
  words.push_back({"--grad-clip", shortest(getGradClip())});
  words.push_back({"--skip-nonfinite", getSkipNonfinite() ? "on" : "off",
                   getSkipNonfinite() != (getPrecision() == "fp32")});
  words.push_back(
      {"--precision", getPrecision().str(), getPrecision() == "fp32"});
  words.push_back(
      {"--grad-dtype", getGradDtype().str(), getGradDtype().empty()});
  words.push_back(
      {"--state-dtype", getStateDtype().str(), getStateDtype() == "f32"});
  words.push_back({"--master", getMaster().str(), getMaster() == "f32"});
  words.push_back({"--reference", "", !getReference()});
  number("--loss-chunk", getLossChunk(), kLossChunk);
  number("--stage", getStage());
  number("--world-size", getWorldSize());
  number("--accumulate", getAccumulate(), 1);
  words.push_back({"--accumulate-order", getAccumulateOrder().str(),
                   getAccumulateOrder() == "batch"});
  number("--persist-below", getPersistBelow(), 0);
  number("--bucket-size", getBucketSize(), 0);
  number("--reuse-distance", getReuseDistance(), 0);
  words.push_back({"--offload-optimizer", getOffloadOptimizer().str(),
                   getOffloadOptimizer() == "none"});
  words.push_back({"--offload-params", getOffloadParams().str(),
                   getOffloadParams() == "none"});
  words.push_back({"--offload-activations", getOffloadActivations().str(),
                   getOffloadActivations() == "none"});
  words.push_back({"--remat", getRemat().str(), getRemat() == "none"});
  words.push_back({"--overlap-update", "", !getOverlapUpdate()});
  words.push_back({"--delayed-update", "", !getDelayedUpdate()});
  words.push_back({"--eval", "", !getEval()});
  words.push_back({"--sample", "", getSample() != "on"});
  words.push_back({"--sample-only", "", getSample() != "only"});
  return words;
}

std::string OptionsAttr::getText() const {
  std::string text;
  for (const Word &word : getWords())
    if (!word.isImplied)
      text += (text.empty() ? "" : " ") + word.option.str() +
              (word.value.empty() ? "" : "=") + word.value;
  return text;
}
