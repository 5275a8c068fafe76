//===- PlanTable.cpp - zeroc plan: the plans that were tried --------------===//

#include "tools/zeroc/plan/PlanTable.h"

#include "tools/zeroc/plan/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::formatv;

/// Plans beyond these are only in JSON.
static constexpr size_t kMostRows = 24;

static std::string inMilliseconds(double seconds) {
  return formatv("{0:f2}", 1e3 * seconds);
}

PlanTable::PlanTable(const PlanSearch &search, const DriverOptions &options,
                     StringRef machine, int64_t sequence)
    : search(search), options(options), machine(machine), sequence(sequence),
      best(search.getBest()) {
  for (const TriedPlan &plan : search.getTried())
    plans.push_back(&plan);
  auto key = [&](const TriedPlan *plan) {
    return std::tuple(!isBest(*plan), plan->excess, plan->seconds);
  };
  if (!isCompared())
    std::ranges::stable_sort(plans, {}, key);
}

bool PlanTable::isBest(const TriedPlan &plan) const {
  return &plan == (isTimed() ? best : search.getBest(plan.model));
}

/// "3.10 ms more: 2.90 ms of update", "1.2 GiB too much"; without times "3.8 GB
/// left" where a plan fits.
std::string PlanTable::getReason(const TriedPlan &plan) const {
  if (!plan.fits())
    return sizeText(plan.excess) + " too much";
  if (!isTimed()) {
    const int64_t limit = plan.options.deviceMemory;
    return limit < 0 ? ""
                     : sizeText(limit - plan.bytes(Tier::Device)) + " left";
  }
  if (&plan == best)
    return "";
  const double more = plan.seconds - best->seconds;
  if (more < 0)
    return inMilliseconds(-more) + " ms less, too little to matter";
  std::string text = inMilliseconds(more) + " ms more";
  auto grown = [&](const auto &part) {
    auto other = best->parts.find(part.first);
    return part.second - (other == best->parts.end() ? 0 : other->second);
  };
  auto most = std::ranges::max_element(plan.parts, {}, grown);
  if (most != plan.parts.end() && grown(*most) > 0 && more > 0)
    text +=
        formatv(": {0} ms of {1}", inMilliseconds(grown(*most)), most->first);
  return text;
}

std::string PlanTable::nameOf(const TriedPlan &plan) const {
  std::string text = plan.model;
  const std::string added =
      isCompared() ? plan.label
                   : listAddedOptions(plan.options, options.pipeline);
  text += (text.empty() || added.empty() ? "" : " ") + added;
  return text.empty() ? "as given" : text;
}

/// Whether zeroc finetune takes the folder: it has weights and a tokenizer.
static bool isModelFolder(StringRef folder) {
  std::error_code error;
  bool hasTokenizer = false, hasWeights = false;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       !error && file != end; file.increment(error)) {
    StringRef name = llvm::sys::path::filename(file->path());
    hasTokenizer |= name == "tokenizer.json";
    hasWeights |= name.ends_with(".safetensors");
  }
  return hasTokenizer && hasWeights;
}

std::vector<std::string> PlanTable::getCommands(const TriedPlan &plan) const {
  std::string compile = listAddedOptions(plan.options, options.pipeline);
  compile =
      options.plan.given + (compile.empty() ? "" : " " + compile) + " -o train";
  if (!sequence)
    return {"zeroc " + options.input + compile};
  auto [sizes, more] = splitModel(plan);
  return {"zeroc import " + options.input + " " + sizes + " -o model.mlir",
          "zeroc model.mlir" + more + compile};
}

std::pair<std::string, std::string>
PlanTable::splitModel(const TriedPlan &plan) const {
  std::string batch = "--batch=" + std::to_string(options.plan.batch), more;
  SmallVector<StringRef> words;
  StringRef(plan.model).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.starts_with("--batch="))
      batch = word.str();
    else
      more += (" " + word).str();
  return {batch + " --seq=" + std::to_string(sequence), more};
}

std::string PlanTable::getFinetune(const TriedPlan &plan) const {
  if (!isModelFolder(options.input))
    return "";
  auto [sizes, more] = splitModel(plan);
  std::string text =
      "zeroc finetune " + options.input + " chats.jsonl -o tuned " + sizes;
  // It has a number of micro-steps and a name for ranks of its own.
  if (!StringRef(options.plan.given).contains(" --accumulate="))
    text += " --accumulate=" + std::to_string(plan.options.accumulate);
  SmallVector<StringRef> words;
  StringRef(options.plan.given).split(words, ' ', -1, /*KeepEmpty=*/false);
  const std::string added = listAddedOptions(plan.options, options.pipeline);
  StringRef(added).split(words, ' ', -1, /*KeepEmpty=*/false);
  text += more;
  for (StringRef word : words)
    if (word.consume_front("--world-size="))
      text += (" --ranks=" + word).str();
    else if (!word.starts_with("--accumulate=") ||
             StringRef(options.plan.given).contains(word))
      text += (" " + word).str();
  return text;
}

/// The parameters, gradients and optimizer state of a rank, in bytes.
static int64_t countState(const Certificate &of) {
  int64_t bytes = 0;
  for (const Certificate::Term &term : of.modelState)
    bytes += term.held;
  return bytes;
}

/// The memory of all ranks if they share a host whose memory is also the
/// device's.
static int64_t countHost(const TriedPlan &plan) {
  return plan.certificate.ranks *
         (plan.bytes(Tier::Device) + plan.bytes(Tier::Host));
}

static std::string statePerParameter(const Certificate &of) {
  int64_t bytes = 0;
  for (const Certificate::Term &term : of.modelState)
    bytes += term.held - of.getPadding(term);
  return formatv("{0:f2} B", double(bytes) / double(of.parameterCount));
}

static int64_t countReceived(const Certificate &of) {
  int64_t bytes = 0;
  for (const Certificate::Wire &one : of.wire)
    bytes += one.bytes;
  return bytes;
}

static std::string countCalls(const Certificate &of, bool gathers) {
  int64_t calls = 0;
  for (const Certificate::Wire &one : of.wire)
    if (StringRef(one.name).starts_with("all_gather") == gathers)
      calls += one.calls;
  return groupDigits(calls);
}

std::vector<TextColumn>
PlanTable::fillColumns(ArrayRef<const TriedPlan *> rows) const {
  std::vector<TextColumn> columns;
  auto add = [&](StringRef name, auto cell, bool isText = false) {
    TextColumn column{name.str(), {}, isText};
    for (const TriedPlan *plan : rows)
      column.cells.push_back(cell(*plan));
    columns.push_back(std::move(column));
  };
  // Only what one of them has.
  auto addBytes = [&](StringRef name, auto count) {
    if (llvm::any_of(rows,
                     [&](const TriedPlan *plan) { return count(*plan) != 0; }))
      add(name, [&](const TriedPlan &plan) { return sizeText(count(plan)); });
  };
  const Certificate *any = rows.empty() ? nullptr : &rows.front()->certificate;
  const bool compares = any && isCompared(),
             hasPeers = options.pipeline.worldSize > 1;
  if (!compares)
    add(
        "", [&](const TriedPlan &plan) { return isBest(plan) ? "*" : ""; },
        true);
  add("options", [&](const TriedPlan &plan) { return nameOf(plan); }, true);
  if (isTimed())
    add("ms a step",
        [](const TriedPlan &plan) { return inMilliseconds(plan.seconds); });
  if (compares)
    addBytes("model state", [](const TriedPlan &plan) {
      return countState(plan.certificate);
    });
  for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme})
    addBytes((stringifyTier(tier) + " of a rank").str(),
             [tier](const TriedPlan &plan) { return plan.bytes(tier); });
  if (compares && hasPeers)
    addBytes("memory of all ranks", countHost);
  if (compares && any->parameterCount)
    add("state a parameter", [](const TriedPlan &plan) {
      return statePerParameter(plan.certificate);
    });
  addBytes("received a step", [](const TriedPlan &plan) {
    return countReceived(plan.certificate);
  });
  if (compares && hasPeers)
    for (auto [name, gathers] :
         {std::pair("gathers", true), {"reductions", false}})
      add(name, [gathers](const TriedPlan &plan) {
        return countCalls(plan.certificate, gathers);
      });
  if (compares)
    for (auto [i, link] : llvm::enumerate(any->links))
      addBytes((link.name + " a step").str(), [i](const TriedPlan &plan) {
        return plan.certificate.links[i].bytes;
      });
  if (!compares || isTimed() || options.pipeline.deviceMemory >= 0 ||
      options.pipeline.hostMemory >= 0)
    add(
        isTimed() ? "why not" : "memory",
        [&](const TriedPlan &plan) { return getReason(plan); }, true);
  if (compares)
    add(
        "device peak at",
        [](const TriedPlan &plan) {
          StringRef at = plan.certificate.arenas[int(Tier::Device)].peakAt;
          return (at.empty() ? "the start" : at).str();
        },
        true);
  return columns;
}

/// What is quoted may have spaces, and stays in one line.
static void printCommand(llvm::raw_ostream &os, StringRef command) {
  if (command.contains('\''))
    os << "    " << command << '\n';
  else
    printWrapped(os, command, "    ", " \\");
}

std::string PlanTable::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  const size_t rows = std::min(plans.size(), kMostRows);
  std::string title = formatv("{0} plans of {1}", plans.size(), options.input);
  if (isTimed())
    title += " on " + machine + "; times are simulated";
  else if (!plans.empty())
    title += ", " + groupDigits(plans.front()->certificate.parameterCount) +
             " parameters, on " + groupDigits(options.pipeline.worldSize) +
             (options.pipeline.worldSize > 1 ? " ranks" : " rank");
  printWrapped(os, title);
  printColumns(os, fillColumns(ArrayRef(plans).take_front(rows)), rows,
               isCompared() ? 1 : 2);
  if (plans.size() > rows)
    os << formatv("and {0} more, with --certificate=json\n",
                  plans.size() - rows);
  for (const std::string &failure : search.getFailures())
    printWrapped(os, "not tried: " + failure);
  const TriedPlan *first = nullptr; // of stage 1
  for (const TriedPlan *plan : plans)
    if (isCompared() && plan->options.stage == 1)
      first = first ? first : plan;
    else if (first && plan->options.stage > 1 &&
             plan->bytes(Tier::Device) > first->bytes(Tier::Device))
      printWrapped(os, explainGrowth(plan->certificate, first->certificate));
  for (const TriedPlan *plan : plans) {
    if (!isBest(*plan) || isCompared())
      continue;
    os << "\n";
    for (const std::string &command : getCommands(*plan))
      printCommand(os, command);
    if (const std::string finetune = getFinetune(*plan); !finetune.empty()) {
      os << "  or, from chats to a tuned model:\n";
      printCommand(os, finetune);
    }
  }
  return text;
}

std::string PlanTable::toJson() const {
  llvm::json::Array list;
  for (const TriedPlan *plan : plans) {
    llvm::json::Object parts;
    for (const auto &[kind, seconds] : plan->parts)
      parts[kind] = seconds;
    list.push_back(llvm::json::Object{
        {"options", nameOf(*plan)},
        {"commands", llvm::json::Array(getCommands(*plan))},
        {"finetune", getFinetune(*plan)},
        {"best", isBest(*plan)},
        {"fits", plan->fits()},
        {"excess", plan->excess},
        {"model_state", countState(plan->certificate)},
        {"memory_of_all_ranks", countHost(*plan)},
        {"step_seconds",
         isTimed() ? llvm::json::Value(plan->seconds) : nullptr},
        {"seconds_of", std::move(parts)},
        {isTimed() ? "why_not" : "memory", getReason(*plan)},
        {"certificate",
         llvm::cantFail(llvm::json::parse(plan->certificate.toJson()))}});
  }
  llvm::json::Object all{{"simulated", isTimed()},
                         {"model", options.input},
                         {"machine", machine},
                         {"not_tried", llvm::json::Array(search.getFailures())},
                         {"plans", std::move(list)}};
  return formatv("{0:2}\n", llvm::json::Value(std::move(all)));
}

std::string PlanTable::describeChoice() const {
  return formatv("chose {0} of {1} plans, {2} ms a step (simulated)",
                 nameOf(*best), plans.size(), inMilliseconds(best->seconds));
}
