//===- DeepSpeedOptimizer.cpp - The optimizer and the learning rate -------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::zero::deepspeed;
using namespace llvm;

static std::string param(StringRef name) {
  return ("optimizer.params." + name).str();
}

/// If the file names an optimizer, missing keys have DeepSpeed's defaults.
void Mapping::optimizer(const Key &key) {
  if (!file.hasSection("optimizer"))
    return;
  std::optional<std::string> given = file.text(key.path);
  if (!given)
    return file.refuseType("optimizer",
                           "\"optimizer\" has no \"type\"; set it to "
                           "\"AdamW\", \"Lion\" or \"SGD\"");
  rule = StringRef(*given).lower();
  if (!hasMoments() && !isSgd())
    return file.refuseType("optimizer", file.quote(key.path) +
                                            " is not among zeroc's optimizers; "
                                            "take AdamW, Adam, Lion or SGD");
  if (isAdam()) {
    // PyTorch's AdamW and DeepSpeed's have different defaults.
    std::optional<bool> isTorch = file.flag(param("torch_adam"));
    std::optional<bool> isDecoupled = file.flag(param("adam_w_mode"));
    if (isTorch == true && (rule == "adamw" || isDecoupled.value_or(true)))
      usualDecay = 0.01;
    if (isTorch)
      file.addNote(param("torch_adam"), "updates are compiled");
    if (rule == "adam" && isDecoupled == false &&
        (file.number(param("weight_decay")).value_or(0) != 0 ||
         file.isAuto(param("weight_decay"))))
      return file.refuse(
          file.quote(param("adam_w_mode")) + " with " +
          file.quote(param("weight_decay")) +
          " adds the decay to gradients, and zeroc's AdamW to parameters; set "
          "\"adam_w_mode\" to true, or \"weight_decay\" to 0");
    if (isDecoupled)
      file.addSame(param("adam_w_mode"));
  }
  emit(key, isAdam() ? "adamw" : rule);
  if (rule == "lion")
    file.addNote(key.path,
                 "where momentum and gradient are 0, a parameter stays as it "
                 "is; DeepSpeed's Lion changes it by the learning rate");
}

void Mapping::betas(const Key &key) {
  auto betas = file.numbers(key.path);
  if (!betas)
    addDefault(key, key.otherwise);
  else if (betas->size() != 2)
    file.refuse(file.quote(key.path) + " must be two numbers");
  else
    emit(key, showNumber((*betas)[0]) + "," + showNumber((*betas)[1]));
}

void Mapping::decay(const Key &key) {
  std::optional<double> decay = file.number(key.path);
  if (decay)
    emit(key, showNumber(*decay));
  else
    addDefault(key, showNumber(usualDecay));
  if (decay.value_or(usualDecay) > 0)
    file.addNote(key.path, "parameters of one dimension do not decay");
}

//===----------------------------------------------------------------------===//
// The learning rate
//===----------------------------------------------------------------------===//

/// That of the scheduler, but for a cosine, or that of the optimizer.
void Mapping::peak(const Key &key) {
  rate = file.number(param("lr"));
  if (hasSchedule() && !isCosine()) {
    std::optional<double> peak = file.number(key.path);
    if (isLinear() && !peak && !file.isAuto(key.path))
      peak = 0.001;
    if (peak && rate && *peak != *rate)
      file.addNote(param("lr"), "the scheduler's \"warmup_max_lr\" of " +
                                    showNumber(*peak) + " is the peak");
    if (peak)
      rate = peak;
  }
  if (rate)
    emit(key, showNumber(*rate));
}

/// A warm-up of W steps is (s + 1) / W in zeroc and (s - 1) / W in DeepSpeed,
/// which counts from the step before the first; or ln(s + 2) / ln(W) and ln(s)
/// / ln(W).
void Mapping::schedule(const Key &key) {
  if (!hasSchedule())
    return;
  if (!file.text(key.path))
    return file.refuseType("scheduler",
                           "\"scheduler\" has no \"type\"; set it to "
                           "\"WarmupLR\", \"WarmupDecayLR\" or "
                           "\"WarmupCosineLR\"");
  if (scheduler() != "WarmupLR" && !decaysRate())
    return file.refuseType(
        "scheduler", file.quote(key.path) +
                         " is not among zeroc's schedules; take WarmupLR, "
                         "WarmupDecayLR or WarmupCosineLR, or drop it for "
                         "train --schedule");
  emit(key, isLinear() ? "linear" : isCosine() ? "cosine" : "constant");
}

void Mapping::warmupShape(const Key &key) {
  StringRef steps = "scheduler.params.warmup_num_steps";
  std::string shape = file.text(key.path).value_or("log");
  if (shape != "linear" && shape != "log")
    file.refuse(file.quote(key.path) + " must be \"linear\" or \"log\"");
  else if (shape == "log" && !file.isAuto(steps) && file.count(steps) != 0)
    emit(key, "log");
}

void Mapping::finalRate(const Key &key) {
  double share = file.number(key.path).value_or(1e-4);
  if (file.isWrong(param("lr")))
    return;
  if (!rate && share != 0)
    return file.refuse("\"" + key.path + "\" of " + showNumber(share) +
                       " is a part of the learning rate, and \"" + param("lr") +
                       "\" has none; set it, or \"cos_min_ratio\" to 0");
  if (share != 0)
    emit(key, showNumber(share * *rate));
}

void Mapping::totalSteps(const Key &key) {
  if (std::optional<int64_t> total = file.count(key.path))
    emit(key, Twine(*total));
  else if (!file.isAuto(key.path) && !file.isWrong(key.path))
    file.refuse(file.quote("scheduler.type") + " needs \"" + key.path +
                "\"; set it, or \"auto\" for train --steps");
}
