//===- DeepSpeedOptimizer.cpp - The optimizer and the learning rate -------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::zero::deepspeed;
using namespace llvm;

static std::string param(StringRef name) {
  return ("optimizer.params." + name).str();
}

/// If the file names an optimizer, missing keys have DeepSpeed's defaults.
void Mapping::mapOptimizer() {
  if (!file.hasSection("optimizer"))
    return;
  std::optional<std::string> type = file.text("optimizer.type");
  if (!type)
    return file.refuse("\"optimizer\" has no \"type\"; set it to \"AdamW\", "
                       "\"Lion\" or \"SGD\"");
  std::string name = StringRef(*type).lower();
  bool isAdam = name == "adam" || name == "adamw", isLion = name == "lion";
  if (!isAdam && !isLion && name != "sgd")
    return file.refuse(file.quote("optimizer.type") +
                       " is not among zeroc's optimizers; take AdamW, Adam, "
                       "Lion or SGD");
  double usualDecay = 0;
  std::optional<double> decay = file.number(param("weight_decay"));
  if (isAdam) {
    // PyTorch's AdamW and DeepSpeed's have different defaults.
    std::optional<bool> isTorch = file.flag(param("torch_adam"));
    std::optional<bool> isDecoupled = file.flag(param("adam_w_mode"));
    if (isTorch == true && (name == "adamw" || isDecoupled.value_or(true)))
      usualDecay = 0.01;
    if (isTorch)
      file.addNote(param("torch_adam"), "updates are compiled");
    if (name == "adam" && isDecoupled == false &&
        (decay.value_or(0) != 0 || file.isAuto(param("weight_decay"))))
      return file.refuse(
          file.quote(param("adam_w_mode")) + " with " +
          file.quote(param("weight_decay")) +
          " adds the decay to gradients, and zeroc's AdamW to parameters; set "
          "\"adam_w_mode\" to true, or \"weight_decay\" to 0");
    if (isDecoupled)
      file.addSame(param("adam_w_mode"));
  }
  add("--optimizer", isAdam ? "adamw" : name, "optimizer.type");
  if (isLion)
    file.addNote("optimizer.type",
                 "where momentum and gradient are 0, a parameter stays as it "
                 "is; DeepSpeed's Lion changes it by the learning rate");
  if (isAdam || isLion) {
    if (auto betas = file.numbers(param("betas"))) {
      if (betas->size() != 2)
        return file.refuse(file.quote(param("betas")) + " must be two numbers");
      add("--betas", showNumber((*betas)[0]) + "," + showNumber((*betas)[1]),
          param("betas"));
    } else {
      addDefault("--betas", "0.9,0.999", param("betas"));
    }
    if (std::optional<double> eps =
            isAdam ? file.number(param("eps")) : std::nullopt)
      add("--eps", showNumber(*eps), param("eps"));
  } else {
    addNumber("--momentum", param("momentum"), 0);
  }
  addNumber("--weight-decay", param("weight_decay"), usualDecay);
  if (decay.value_or(usualDecay) > 0)
    file.addNote(param("weight_decay"),
                 "parameters of one dimension do not decay");
}

/// A warm-up of W steps is (s + 1) / W in zeroc and (s - 1) / W in DeepSpeed,
/// which counts from the step before the first; or ln(s + 2) / ln(W) and ln(s)
/// / ln(W).
void Mapping::mapScheduler() {
  std::optional<double> rate = file.number(param("lr"));
  if (!file.hasSection("scheduler")) {
    if (rate)
      train("--lr", showNumber(*rate));
    return;
  }
  auto key = [](StringRef name) { return ("scheduler.params." + name).str(); };
  std::optional<std::string> type = file.text("scheduler.type");
  if (!type)
    return file.refuse("\"scheduler\" has no \"type\"; set it to \"WarmupLR\", "
                       "\"WarmupDecayLR\" or \"WarmupCosineLR\"");
  bool isConstant = *type == "WarmupLR", isLinear = *type == "WarmupDecayLR",
       isCosine = *type == "WarmupCosineLR";
  if (!isConstant && !isLinear && !isCosine)
    return file.refuse(file.quote("scheduler.type") +
                       " is not among zeroc's schedules; take WarmupLR, "
                       "WarmupDecayLR or WarmupCosineLR, or drop it for train "
                       "--schedule");

  // The warm-up.
  std::optional<int64_t> warmup = file.count(key("warmup_num_steps"));
  std::string shape = file.text(key("warmup_type")).value_or("log");
  bool isOpen = file.isAuto(key("warmup_num_steps"));
  int64_t steps = warmup.value_or(1000);
  if (shape != "linear" && shape != "log")
    return file.refuse(file.quote(key("warmup_type")) +
                       " must be \"linear\" or \"log\"");

  // The peak rate.
  if (!isCosine) {
    std::optional<double> peak = file.number(key("warmup_max_lr"));
    if (isLinear && !peak && !file.isAuto(key("warmup_max_lr")))
      peak = 0.001;
    if (peak && rate && *peak != *rate)
      file.addNote(param("lr"), "the scheduler's \"warmup_max_lr\" of " +
                                    showNumber(*peak) + " is the peak");
    if (peak)
      rate = peak;
  }
  if (rate)
    train("--lr", showNumber(*rate));
  train("--schedule", isConstant ? "constant" : isLinear ? "linear" : "cosine");
  if (!isOpen)
    train("--warmup", Twine(steps));
  if (shape == "log" && steps > 0 && !isOpen)
    train("--warmup-shape", "log");
  file.addNote("scheduler.type",
               "warm-up is two steps ahead of DeepSpeed's, whose first two "
               "steps have a rate of 0");

  // The final rate.
  if (isConstant)
    return;
  if (isCosine) {
    double share = file.number(key("cos_min_ratio")).value_or(1e-4);
    if (!rate && share != 0)
      return file.refuse(
          "\"" + key("cos_min_ratio") + "\" of " + showNumber(share) +
          " is a part of the learning rate, and \"" + param("lr") +
          "\" has none; set it, or "
          "\"cos_min_ratio\" to 0");
    if (rate && share != 0)
      train("--min-lr", showNumber(share * *rate));
  }
  if (std::optional<int64_t> total = file.count(key("total_num_steps")))
    train("--steps", Twine(*total));
  else if (!file.isAuto(key("total_num_steps")))
    file.refuse(file.quote("scheduler.type") + " needs \"" +
                key("total_num_steps") +
                "\"; set it, or \"auto\" for train "
                "--steps");
}
