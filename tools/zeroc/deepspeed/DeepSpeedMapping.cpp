//===- DeepSpeedMapping.cpp - Batches, state, tiers, logs -----------------===//

#include "tools/zeroc/deepspeed/DeepSpeedMapping.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir::zero::deepspeed;
using namespace llvm;

void Mapping::add(StringRef option, const Twine &value, StringRef path) {
  std::string text = value.str();
  for (Config::Option &other : config.options) {
    if (other.name != option)
      continue;
    if (!isEqualValue(other.value, text))
      file.refuse(other.source + " is " + other.name + "=" + other.value +
                  ", and " + file.quote(path) + " is " + option + "=" + text +
                  "; drop one of them");
    return;
  }
  config.options.push_back({option.str(), text, file.quote(path)});
}

void Mapping::addDefault(StringRef option, StringRef value, StringRef path) {
  // For "auto", zeroc decides.
  if (file.isAuto(path))
    return;
  config.options.push_back({option.str(), value.str(),
                            "DeepSpeed's default of \"" + path.str() + "\"",
                            /*isDefault=*/true});
}

void Mapping::addNumber(StringRef option, StringRef path, double otherwise) {
  if (std::optional<double> number = file.number(path))
    add(option, showNumber(*number), path);
  else
    addDefault(option, showNumber(otherwise), path);
}

bool Mapping::isOn(StringRef path) {
  std::optional<bool> flag = file.flag(path);
  if (flag == false)
    file.addSame(path);
  return flag.value_or(false);
}

/// Quotes words that a shell would split or expand.
static std::string quoteForShell(const std::string &word) {
  if (all_of(word, [](char c) {
        return isAlnum(c) || StringRef("_./,=:+-@%").contains(c);
      }))
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void Mapping::train(StringRef option, const Twine &value) {
  std::string text = value.str();
  text = text.empty() ? option.str() : (option + "=" + text).str();
  text = quoteForShell(text);
  if (!is_contained(config.train, text))
    config.train.push_back(text);
}

int64_t Mapping::bytesOf(int64_t elements) const {
  return std::clamp<int64_t>(elements, 0, int64_t(1) << 40) *
         (precision == "fp32" ? 4 : 2);
}

void Mapping::run() {
  mapPrecision();
  mapBatches();
  mapState();
  mapTiers();
  mapActivations();
  mapOptimizer();
  mapScheduler();
  mapLogs();
  bool scales = precision == "fp16";
  bool isFixed = file.number("fp16.loss_scale").value_or(0) != 0;
  file.finish([&](StringRef path) {
    return path.starts_with("fp16.") && (!scales || isFixed) &&
           path != "fp16.fp16_master_weights_and_grads";
  });
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

static std::string plural(int64_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

/// train_batch_size = micro-batch x accumulation x ranks.  As in DeepSpeed, the
/// file gives any two of the first three, or one of the first two.
void Mapping::mapBatches() {
  StringRef totalKey = "train_batch_size",
            microKey = "train_micro_batch_size_per_gpu",
            stepsKey = "gradient_accumulation_steps";
  std::optional<int64_t> total = file.count(totalKey),
                         micro = file.count(microKey),
                         steps = file.count(stepsKey);
  if (steps)
    add("--accumulate", Twine(*steps), stepsKey);
  // Without a value in the file, the command line's is used, as for "auto".
  bool isOpen = !steps;
  if (isOpen && (file.isAuto(stepsKey) || given.accumulate))
    steps = given.accumulate.value_or(1);
  int64_t ranks = given.worldSize;
  std::string onRanks = plural(ranks, "rank");
  if (total && micro && steps && *micro * *steps * ranks != *total) {
    std::string fix = "correct one of them";
    if (*total % (*micro * *steps) == 0)
      fix = "give --world-size=" + std::to_string(*total / (*micro * *steps)) +
            ", or " + fix;
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
// State
//===----------------------------------------------------------------------===//

void Mapping::mapState() {
  StringRef clip = "gradient_clipping";
  addNumber("--grad-clip", clip, 0);
  if (!file.number(clip) && !file.isAuto(clip))
    file.addNote(clip, "missing, and DeepSpeed then clips nothing; zeroc's "
                       "own default is --grad-clip=1");
  std::optional<int64_t> stage = file.count("zero_optimization.stage");
  if (!stage)
    return;
  add("--stage", Twine(*stage), "zero_optimization.stage");
  StringRef reuse = "zero_optimization.stage3_max_reuse_distance",
            persist = "zero_optimization.stage3_param_persistence_threshold",
            prefetch = "zero_optimization.stage3_prefetch_bucket_size",
            live = "zero_optimization.stage3_max_live_parameters";
  for (auto [path, option, isThere] :
       {std::tuple(StringRef("zero_optimization.reduce_bucket_size"),
                   "--bucket-size", *stage > 0),
        {reuse, "--reuse-distance", *stage == 3},
        {persist, "--persist-below", *stage == 3},
        {prefetch, "--prefetch", *stage == 3}})
    if (given.choosesByTime && isThere && file.isAuto(path)) {
      add(option, "auto", path);
      file.autos.erase(path.str());
      erase_if(file.notes, [&, path = path](const File::Note &note) {
        return note.key == path;
      });
    }
  if (*stage != 3)
    return;
  // Groups of all ranks, or of one, are none.
  for (auto [path, option] :
       {std::pair(StringRef("zero_optimization.mics_shard_size"),
                  "--shard-size"),
        {"zero_optimization.zero_hpz_partition_size", "--secondary-shard"}})
    if (std::optional<int64_t> ranks = file.count(path);
        ranks && *ranks > 1 && *ranks != given.worldSize)
      add(option, Twine(*ranks), path);
  // One rank exchanges nothing.
  if (given.worldSize == 1)
    return;
  for (auto [path, option, form] :
       {std::tuple(StringRef("zero_optimization.zero_quantized_weights"),
                   "--wire-params", "int8"),
        {"zero_optimization.zero_quantized_gradients", "--wire-gradients",
         "int4"}})
    if (file.flag(path).value_or(false))
      add(option, form, path);
  if (std::optional<int64_t> elements = file.count(live)) {
    add("--max-live", Twine(bytesOf(std::max<int64_t>(*elements, 1))), live);
    config.raisesLive = true;
  }
  // DeepSpeed's limit is inclusive and counts elements; zeroc's is exclusive
  // and counts bytes.
  if (std::optional<int64_t> elements = file.count(persist))
    add("--persist-below", Twine(*elements > 0 ? bytesOf(*elements) + 1 : 0),
        persist);
}

void Mapping::mapTier(StringRef section, StringRef deprecated,
                      StringRef option) {
  std::string path = ("zero_optimization." + section + ".device").str(),
              old = ("zero_optimization." + deprecated).str(),
              folder = ("zero_optimization." + section + ".nvme_path").str();
  if (file.hasSection(("zero_optimization." + section).str()) && file.flag(old))
    return file.refuse("\"zero_optimization." + section + "\" and " +
                       file.quote(old) + ", which is its old form; drop \"" +
                       old + "\"");
  if (std::optional<bool> isOffloaded = file.flag(old)) {
    add(option, *isOffloaded ? "cpu" : "none", old);
    return;
  }
  std::optional<std::string> device = file.text(path);
  if (!device)
    return;
  if (!is_contained({"none", "cpu", "nvme"}, *device))
    return file.refuse(file.quote(path) + " must be none, cpu or nvme");
  add(option, *device, path);
  if (*device != "nvme")
    return;
  if (std::optional<std::string> where = file.text(folder);
      where && !where->empty()) {
    if (!is_contained(nvmePaths, *where))
      nvmePaths.push_back(*where);
  } else {
    file.addNote(path, "give train --nvme-path=DIR, the folder of the drive");
  }
}

/// A part of 0 leaves all state one tier nearer.
void Mapping::mapRatio() {
  StringRef path = "zero_optimization.offload_optimizer.ratio";
  auto moved = llvm::find_if(config.options, [](const Config::Option &option) {
    return option.name == "--offload-optimizer" && option.value != "none";
  });
  if (moved == config.options.end())
    return;
  std::optional<double> part = file.number(path);
  if (!part)
    return;
  if (*part >= 1e-6)
    return add("--offload-ratio", showNumber(*part), path);
  file.addNote(path, "no state is moved to " + moved->value);
  moved->value = moved->value == "nvme" ? "cpu" : "none";
}

/// What is gathered is brought as what is fetched of parameters.
void Mapping::mapTransfers() {
  if (file.count("zero_optimization.stage") != 3)
    return;
  auto isMoved = [&](StringRef option) {
    return given.worldSize > 1 ||
           llvm::any_of(config.options, [&](const Config::Option &other) {
             return other.name == option && other.value != "none";
           });
  };
  StringRef reuse = "zero_optimization.stage3_max_reuse_distance",
            prefetch = "zero_optimization.stage3_prefetch_bucket_size";
  if (isMoved("--offload-params"))
    if (std::optional<int64_t> elements = file.count(reuse))
      add("--reuse-distance", Twine(bytesOf(*elements)), reuse);
  if (isMoved("--offload-params") || isMoved("--offload-optimizer"))
    if (std::optional<int64_t> elements = file.count(prefetch))
      add("--prefetch", Twine(bytesOf(*elements)), prefetch);
}

void Mapping::mapTiers() {
  mapTier("offload_optimizer", "cpu_offload", "--offload-optimizer");
  mapTier("offload_param", "cpu_offload_param", "--offload-params");
  if (!nvmePaths.empty())
    train("--nvme-path", llvm::join(nvmePaths, ","));
  mapRatio();
  mapTransfers();
  int64_t stage = file.count("zero_optimization.stage").value_or(0);
  for (const Config::Option &option : config.options)
    if (option.name == "--offload-params" && option.value != "none" &&
        stage != 3)
      file.refuse(option.source + " is for stage 3, and " +
                  (file.count("zero_optimization.stage")
                       ? file.quote("zero_optimization.stage")
                       : std::string("the stage is 0")) +
                  "; set \"zero_optimization.stage\" to 3, or drop it");
}

void Mapping::mapActivations() {
  StringRef path = "activation_checkpointing.cpu_checkpointing",
            compiled = "compile.offload_activation";
  if (isOn(path)) {
    add("--remat", "block", path);
    add("--offload-activations", "cpu", path);
  }
  if (isOn(compiled))
    add("--offload-activations", "cpu", compiled);
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

void Mapping::mapLogs() {
  for (auto [path, option] :
       {std::pair<StringRef, StringRef>{"wall_clock_breakdown", "--profile"},
        {"activation_checkpointing.profile", "--profile"},
        {"comms_logger.enabled", "--profile"},
        {"flops_profiler.enabled", "--utilization"}})
    if (isOn(path))
      train(option);
  for (const auto &[section, option, ending] :
       {std::tuple<std::string, StringRef, StringRef>{"tensorboard",
                                                      "--tensorboard", ""},
        {"csv_monitor", "--metrics", ".jsonl"}}) {
    if (!file.flag(section + ".enabled").value_or(false))
      continue;
    std::string folder = file.text(section + ".output_path").value_or(""),
                job = file.text(section + ".job_name")
                          .value_or("DeepSpeedJobName");
    if (!folder.empty() && !StringRef(folder).ends_with("/"))
      folder += "/";
    train(option, folder + job + ending);
    if (section == "csv_monitor")
      file.addNote("csv_monitor.enabled", "one line of JSON a step, not CSV");
  }
}
