//===- DeepSpeedRules.cpp - Types, batches, sharding, tiers, logs ---------===//
//
// The rules of DeepSpeedKeys.def that are of one row, or of a few together.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "abi/Counts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace mlir::zero::deepspeed;
using namespace llvm;
using zrt::plural;

//===----------------------------------------------------------------------===//
// Types, and the loss scale
//===----------------------------------------------------------------------===//

void Mapping::precision(const Key &) {
  bool bf16 = file.flag("bf16.enabled").value_or(false),
       fp16 = file.flag("fp16.enabled").value_or(false);
  if (bf16 && fp16)
    file.refuse("\"bf16.enabled\" and \"fp16.enabled\" are both true; keep "
                "one of them");
  for (StringRef name : {"bf16", "fp16"})
    if (file.isOff(name) && given.precision == name)
      file.refuse("\"" + name +
                  ".enabled\" is false, and the command line has "
                  "--precision=" +
                  name + "; drop one of them");
  type = bf16 ? "bf16" : fp16 ? "fp16" : given.precision.value_or("fp32");
  if (bf16 || fp16)
    add("--precision", type, type + ".enabled");
}

/// A fixed scale, or the numbers of a dynamic one that are not as usual here
/// and in DeepSpeed.
void Mapping::lossScale(const Key &key) {
  std::optional<double> scale = file.number(key.path);
  if (type != "fp16")
    return;
  if (!adaptsScale())
    return emit(key, showNumber(*scale));
  std::string dynamic = "dynamic";
  for (auto [name, word, usual, least, most, why] :
       {std::tuple<StringRef, StringRef, double, double, double, StringRef>{
            "initial_scale_power", "initial", 16, 0, 126,
            "f32 holds scales from 2^0 to 2^126; set it to a number from 0 to "
            "126"},
        {"loss_scale_window", "window", 1000, 1, 0x1p62,
         "it counts steps; set it to 1 or more"},
        {"hysteresis", "hysteresis", 2, 1, 0x1p62,
         "with it the scale never gets smaller after an overflow; set it to 1 "
         "or more"},
        {"min_loss_scale", "minimum", 1, 1e-30, 0x1p126,
         "a scale of 0 makes gradients 0; set it to 1"}}) {
    std::string path = ("fp16." + name).str();
    std::optional<double> number = file.number(path);
    if (!number)
      continue;
    if (*number < least || *number > most)
      file.refuse(file.quote(path) + ", but " + why);
    else if (*number == usual)
      file.addSame(path);
    else
      dynamic += ("," + word + "=" +
                  (word == "initial" ? showNumber(std::ldexp(1.0, int(*number)))
                   : word == "minimum" ? showNumber(*number)
                                       : std::to_string(*file.count(path))))
                     .str();
  }
  if (scale || dynamic != "dynamic")
    emit(key, dynamic);
}

bool Mapping::adaptsScale() const {
  return type == "fp16" && file.number("fp16.loss_scale").value_or(0) == 0;
}

/// Returns the name of a type in --grad-dtype, or "".
static StringRef asType(StringRef name) {
  name.consume_front("torch.");
  return llvm::StringSwitch<StringRef>(name.lower())
      .Cases({"fp32", "float32", "float"}, "f32")
      .Cases({"fp16", "float16", "half"}, "fp16")
      .Cases({"bf16", "bfloat16"}, "bf16")
      .Default("");
}

/// By default gradients are communicated in the type of parameters, and sums
/// over micro-steps are f32.
void Mapping::gradientTypes(const Key &) {
  StringRef wire = "communication_data_type",
            sum = "data_types.grad_accum_dtype";
  std::string own = type == "fp32" ? "f32" : type;
  std::string types[2];
  for (auto [path, word] : {std::pair{wire, &types[0]}, {sum, &types[1]}}) {
    std::optional<std::string> name = file.text(path);
    if (!name)
      continue;
    *word = asType(*name).str();
    if (word->empty())
      file.refuse(file.quote(path) + " must be fp32, bf16 or fp16");
    else if (*word != "f32" && *word != own)
      file.refuse(file.quote(path) + ", but parameters are " + own +
                  ", and gradients are f32 or what parameters are; set it to "
                  "fp32, or drop it");
  }
  // The former name of "communication_data_type".
  if (std::optional<bool> isWide = file.flag("fp32_allreduce")) {
    if (*isWide && types[0].empty()) {
      types[0] = "f32";
      wire = "fp32_allreduce";
    } else if (*isWide && types[0] != "f32") {
      return file.refuse(file.quote("fp32_allreduce") + " and " +
                         file.quote(wire) + "; drop one of them");
    } else {
      file.addSame("fp32_allreduce");
    }
  }
  const auto &[travel, sums] = types;
  if (!travel.empty() && !sums.empty() && sums != "f32" && travel != sums)
    return file.refuse(file.quote(wire) + " and " + file.quote(sum) +
                       ": gradients that travel as f32 are added up as f32; "
                       "set both to one type");
  if (!sums.empty() && (sums != "f32" || own == "f32"))
    return add("--grad-dtype", sums, sum);
  if (!sums.empty())
    file.addSame(sum);
  if (travel == "f32")
    add("--grad-dtype", "f32", wire);
  else if (!travel.empty())
    file.addSame(wire);
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// train_batch_size = micro-batch x accumulation x ranks, of which those that
/// share a sequence count as one.  As in DeepSpeed, the file gives any two of
/// the first three, or one of the first two.
void Mapping::batches(const Key &) {
  StringRef totalKey = "train_batch_size",
            microKey = "train_micro_batch_size_per_gpu",
            stepsKey = "gradient_accumulation_steps";
  if (file.isWrong(totalKey) || file.isWrong(microKey) ||
      file.isWrong(stepsKey))
    return;
  std::optional<int64_t> total = file.count(totalKey),
                         micro = file.count(microKey),
                         steps = file.count(stepsKey);
  if (steps)
    add("--accumulate", Twine(*steps), stepsKey);
  // Without a value in the file, the command line's is used, as for "auto".
  bool isOpen = !steps;
  if (isOpen && (file.isAuto(stepsKey) || given.accumulate))
    steps = given.accumulate.value_or(1);
  const int64_t shared = std::max<int64_t>(
      file.count("sequence_parallel_size").value_or(given.context), 1);
  if (given.worldSize % shared)
    return; // --context is refused with both numbers.
  const int64_t ranks = given.worldSize / shared;
  const std::string onRanks =
      shared == 1 ? plural(ranks, "rank")
                  : plural(ranks, "group") + " of " + plural(shared, "rank");
  if (total && micro && steps && *micro * *steps * ranks != *total) {
    std::string fix = "correct one of them";
    if (*total % (*micro * *steps) == 0)
      fix = "give --world-size=" +
            std::to_string(*total / (*micro * *steps) * shared) + ", or " + fix;
    return file.refuse(
        file.quote(totalKey) + " is not " + Twine(*micro) + " (\"" + microKey +
        "\") x " + Twine(*steps) + " (" +
        (isOpen ? "--accumulate" : "\"" + stepsKey.str() + "\"") + ") x " +
        onRanks + "; " + fix);
  }
  if (total && micro && !steps) {
    if (*total % (*micro * ranks))
      return file.refuse(file.quote(totalKey) + " is not a multiple of " +
                         Twine(*micro) + " (\"" + microKey + "\") x " +
                         onRanks + "; change it or --world-size");
    steps = *total / (*micro * ranks);
    add("--accumulate", Twine(*steps), totalKey);
  }
  if (total && !micro) {
    if (!steps && file.isAuto(microKey))
      return file.refuse(
          file.quote(totalKey) + " with " + file.quote(microKey) +
          " leaves micro-steps open; give --accumulate=K, or \"" + stepsKey +
          "\"");
    int64_t parts = steps.value_or(1) * ranks;
    if (*total % parts)
      return file.refuse(file.quote(totalKey) + " is not a multiple of " +
                         plural(steps.value_or(1), "micro-step") + " x " +
                         onRanks + "; change it, --accumulate or --world-size");
    micro = *total / parts;
    microKey = totalKey;
  }
  if (!micro)
    return;
  config.microBatch = *micro;
  config.microBatchSource = file.quote(microKey);
  if (microKey == totalKey)
    config.microBatchSource +=
        " over " + plural(steps.value_or(1), "micro-step") + " and " + onRanks;
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

/// Groups of all ranks, or of one, are none.
void Mapping::ranksOfGroup(const Key &key) {
  if (std::optional<int64_t> ranks = file.count(key.path);
      ranks && *ranks > 1 && *ranks != given.worldSize)
    emit(key, Twine(*ranks));
}

void Mapping::liveBytes(const Key &key) {
  if (std::optional<int64_t> elements = file.count(key.path)) {
    emit(key, Twine(bytesOf(std::max<int64_t>(*elements, 1))));
    config.raisesLive = true;
  }
}

/// DeepSpeed's limit is inclusive and counts elements; zeroc's is exclusive and
/// counts bytes.
void Mapping::persistence(const Key &key) {
  if (std::optional<int64_t> elements = file.count(key.path))
    emit(key, Twine(*elements > 0 ? bytesOf(*elements) + 1 : 0));
}

//===----------------------------------------------------------------------===//
// Tiers
//===----------------------------------------------------------------------===//

void Mapping::setTier(const Key &key, StringRef value) {
  add(key.to, value, key.path);
  StringRef stageKey = "zero_optimization.stage";
  if (key.to == "--offload-params" && value != "none" && !isStage3() &&
      !file.isWrong(stageKey))
    file.refuse(file.quote(key.path) + " is for stage 3, and " +
                (file.count(stageKey) ? file.quote(stageKey)
                                      : std::string("the stage is 0")) +
                "; set \"zero_optimization.stage\" to 3, or drop it");
}

/// A switch from before the section in `key.words`.
void Mapping::oldTier(const Key &key) {
  std::optional<bool> isMoved = file.flag(key.path);
  if (isMoved && file.hasSection(key.words))
    return file.refuse("\"" + key.words + "\" and " + file.quote(key.path) +
                       ", which is its old form; drop \"" + key.path + "\"");
  if (isMoved)
    setTier(key, *isMoved ? "cpu" : "none");
}

void Mapping::tier(const Key &key) {
  if (find(key.to)) // of the old form
    return;
  std::optional<std::string> device = file.text(key.path);
  if (device && !is_contained({"none", "cpu", "nvme"}, *device))
    file.refuse(file.quote(key.path) + " must be none, cpu or nvme");
  else if (device)
    setTier(key, *device);
}

void Mapping::drives(const Key &) {
  std::vector<std::string> folders;
  for (const auto &[option, section] :
       {std::pair<StringRef, std::string>{
            "--offload-optimizer", "zero_optimization.offload_optimizer"},
        {"--offload-params", "zero_optimization.offload_param"}}) {
    if (const Config::Option *tier = find(option);
        !tier || tier->value != "nvme")
      continue;
    std::string folder = file.text(section + ".nvme_path").value_or("");
    if (folder.empty())
      file.addNote(section + ".device",
                   "give train --nvme-path=DIR, the folder of the drive");
    else if (!is_contained(folders, folder))
      folders.push_back(folder);
  }
  if (!folders.empty())
    train("--nvme-path", join(folders, ","));
}

/// A part of 0 leaves all state one tier nearer.
void Mapping::ratio(const Key &key) {
  std::optional<double> part = file.number(key.path);
  if (!part)
    return;
  if (*part >= 1e-6)
    return emit(key, showNumber(*part));
  Config::Option &moved = *find("--offload-optimizer");
  file.addNote(key.path, "no state is moved to " + moved.value);
  moved.value = moved.value == "nvme" ? "cpu" : "none";
}

bool Mapping::fetches() const {
  return isStage3() && (given.worldSize > 1 || isOffloaded("--offload-params"));
}

bool Mapping::moves() const {
  return fetches() || (isStage3() && movesState());
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

/// The folder and the name of the job, and the ending in `key.words`.
void Mapping::logFile(const Key &key) {
  if (!file.flag(key.path).value_or(false))
    return;
  std::string section = StringRef(key.path).split('.').first.str(),
              folder = file.text(section + ".output_path").value_or(""),
              job =
                  file.text(section + ".job_name").value_or("DeepSpeedJobName");
  if (!folder.empty() && !StringRef(folder).ends_with("/"))
    folder += "/";
  emit(key, folder + job + key.words);
}
