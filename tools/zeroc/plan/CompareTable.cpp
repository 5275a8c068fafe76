//===- CompareTable.cpp - Plans side by side ------------------------------===//
//
// Prints one line for each plan and one column for each number that some plan
// has; then missing plans with the reason, and why a higher stage needs more.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/plan/Compare.h"
#include "tools/zeroc/plan/TextTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

const Certificate::Arena &getArena(const Certificate &certificate, Tier tier) {
  return certificate.arenas[static_cast<unsigned>(tier)];
}

/// Returns the parameters, gradients and optimizer state of a rank, in bytes.
int64_t countState(const Certificate &certificate) {
  int64_t bytes = 0;
  for (const Certificate::Term &term : certificate.modelState)
    bytes += term.held;
  return bytes;
}

/// Returns the memory of all ranks if they share a host whose memory is also
/// the device's.
int64_t countHost(const Certificate &certificate) {
  return certificate.ranks * (getArena(certificate, Tier::Device).size +
                              getArena(certificate, Tier::Host).size);
}

std::string statePerParameter(const Certificate &certificate) {
  int64_t bytes = 0;
  for (const Certificate::Term &term : certificate.modelState)
    bytes += term.held - certificate.getPadding(term);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.2f B", double(bytes) / certificate.parameterCount);
  return text;
}

int64_t countWire(const Certificate &certificate, bool gathers, bool inBytes) {
  int64_t sum = 0;
  for (const Certificate::Wire &wire : certificate.wire)
    if (inBytes || StringRef(wire.name).starts_with("all_gather") == gathers)
      sum += inBytes ? wire.bytes : wire.calls;
  return sum;
}

/// "yes", or "no: 1,024 B of host memory too much"
std::string fits(const ComparedPlan &plan) {
  std::string text;
  for (auto [tier, limit] :
       {std::pair{Tier::Device, plan.variant.options.deviceMemory},
        {Tier::Host, plan.variant.options.hostMemory}})
    if (int64_t size = getArena(plan.certificate, tier).size;
        limit >= 0 && size > limit)
      text += (text.empty() ? "no: " : ", ") + inBytes(size - limit) + " of " +
              stringifyTier(tier).str() + " memory too much";
  return text.empty() ? "yes" : text;
}

/// The table's columns.
class Table {
public:
  explicit Table(ArrayRef<ComparedPlan> plans) {
    for (const ComparedPlan &plan : plans)
      if (plan.conflict.empty())
        rows.push_back(&plan);
  }

  void fill() {
    if (rows.empty())
      return;
    const bool hasPeers = rows.front()->certificate.ranks > 1;
    add(
        hasPeers ? "stage" : "offload",
        [](const ComparedPlan &plan) { return plan.variant.label; },
        /*isText=*/!hasPeers);
    addBytes("model state", countState);
    for (Tier tier : {Tier::Device, Tier::Host, Tier::Nvme})
      addBytes((stringifyTier(tier) + " arena").str(),
               [&](const Certificate &of) { return getArena(of, tier).size; });
    if (hasPeers)
      addBytes("memory of all ranks", countHost);
    if (rows.front()->certificate.parameterCount)
      add("state a parameter", [](const ComparedPlan &plan) {
        return statePerParameter(plan.certificate);
      });
    if (hasPeers) {
      addBytes("received a step", [](const Certificate &of) {
        return countWire(of, false, /*inBytes=*/true);
      });
      add("gathers", [](const ComparedPlan &plan) {
        return groupDigits(countWire(plan.certificate, true, false));
      });
      add("reductions", [](const ComparedPlan &plan) {
        return groupDigits(countWire(plan.certificate, false, false));
      });
    }
    for (auto [i, link] : llvm::enumerate(rows.front()->certificate.links))
      addBytes((link.name + " a step").str(),
               [i = i](const Certificate &of) { return of.links[i].bytes; });
    const PipelineOptions &limits = rows.front()->variant.options;
    if (limits.deviceMemory >= 0 || limits.hostMemory >= 0)
      add("fits", fits, /*isText=*/true);
    add(
        "device peak at",
        [](const ComparedPlan &plan) {
          StringRef at = getArena(plan.certificate, Tier::Device).peakAt;
          return (at.empty() ? "the start" : at).str();
        },
        /*isText=*/true);
  }

  void print(llvm::raw_ostream &os) const {
    if (!columns.empty())
      printColumns(os, columns, rows.size());
  }

private:
  SmallVector<const ComparedPlan *> rows;
  std::vector<TextColumn> columns;

  void add(StringRef name,
           llvm::function_ref<std::string(const ComparedPlan &)> cell,
           bool isText = false) {
    TextColumn column{name.str(), {}, isText};
    for (const ComparedPlan *row : rows)
      column.cells.push_back(cell(*row));
    columns.push_back(std::move(column));
  }
  /// Adds a column of bytes, unless all are 0.
  void addBytes(StringRef name,
                llvm::function_ref<int64_t(const Certificate &)> count) {
    if (llvm::any_of(rows, [&](const ComparedPlan *row) {
          return count(row->certificate) != 0;
        }))
      add(name, [&](const ComparedPlan &plan) {
        return inBytes(count(plan.certificate));
      });
  }
};

/// "a, b and c"
std::string enumerate(ArrayRef<std::string> parts) {
  if (parts.size() < 2)
    return llvm::join(parts, "");
  return llvm::join(parts.drop_back(), ", ") + " and " + parts.back();
}

/// Lists the categories in which the peak of `more` differs from that of
/// `less`, the largest difference first.
std::string listChanges(const Certificate::Arena &more,
                        const Certificate::Arena &less) {
  SmallVector<std::pair<int64_t, StringRef>> rises, falls;
  for (auto [a, b] :
       llvm::zip_equal(more.getCategories(), less.getCategories()))
    if (a.second != b.second)
      (a.second > b.second ? rises : falls)
          .emplace_back(std::abs(a.second - b.second), a.first);
  std::vector<std::string> parts;
  for (auto [changes, how] : {std::pair{&rises, " more"}, {&falls, " less"}}) {
    llvm::sort(*changes, std::greater<>());
    for (auto [bytes, name] : *changes)
      parts.push_back(inBytes(bytes) + how + (name == "unused" ? " " : " of ") +
                      name.str());
  }
  return enumerate(parts);
}

/// Explains why `more` needs more device memory than `less`: the growth of its
/// peak, and the gathered parameters.
std::string explain(const Certificate &more, const Certificate &less) {
  const Certificate::Arena &high = getArena(more, Tier::Device),
                           &low = getArena(less, Tier::Device);
  std::string text = "stage " + std::to_string(more.stage) + " needs " +
                     inBytes(high.size - low.size) + " more than stage " +
                     std::to_string(less.stage) + ": at its peak there are " +
                     listChanges(high, low);
  constexpr size_t kNamed = 3;
  std::vector<std::string> copies;
  int64_t rest = 0;
  for (auto [i, live] : llvm::enumerate(high.gathered))
    if (i < kNamed)
      copies.push_back(inBytes(live.bytes) + " of " + live.name);
    else
      rest += live.bytes;
  if (rest)
    copies.push_back(inBytes(rest) + " of others");
  if (!copies.empty())
    text += "; gathered copies take " + enumerate(copies);
  return text;
}

} // namespace

std::string zero::inBytes(int64_t bytes) { return groupDigits(bytes) + " B"; }

void zero::printColumns(llvm::raw_ostream &os,
                        const std::vector<TextColumn> &columns, size_t rows) {
  for (size_t row = 0; row <= rows; ++row) {
    std::string line;
    for (const TextColumn &column : columns) {
      auto cell = [&](size_t i) -> StringRef {
        return i == 0 ? StringRef(column.name) : column.cells[i - 1];
      };
      size_t width = 0;
      for (size_t i = 0; i <= rows; ++i)
        width = std::max(width, cell(i).size());
      llvm::raw_string_ostream out(line);
      out << "  ";
      if (column.isText)
        out << llvm::left_justify(cell(row), width);
      else
        out << llvm::right_justify(cell(row), width);
    }
    os << StringRef(line).rtrim() << '\n';
  }
}

std::string zero::printComparison(StringRef model,
                                  ArrayRef<ComparedPlan> plans) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const PipelineOptions &given = plans.front().variant.options;
  os << "plans of " << model;
  auto *any = llvm::find_if(
      plans, [](const ComparedPlan &plan) { return plan.conflict.empty(); });
  if (any != plans.end() && any->certificate.parameterCount)
    os << ", " << groupDigits(any->certificate.parameterCount) << " parameters";
  os << (given.worldSize > 1
             ? ", on " + groupDigits(given.worldSize) + " ranks; bytes of each"
             : std::string(", on one rank"))
     << '\n';
  Table table(plans);
  table.fill();
  table.print(os);
  for (const ComparedPlan &plan : plans)
    if (!plan.conflict.empty())
      os << "  " << (given.worldSize > 1 ? "stage " : "offload ")
         << plan.variant.label << ": no plan; " << plan.conflict << '\n';
  auto *first = llvm::find_if(plans, [](const ComparedPlan &plan) {
    return plan.certificate.stage == 1;
  });
  if (first == plans.end())
    return text;
  for (const ComparedPlan &plan : plans)
    if (plan.conflict.empty() && plan.certificate.stage > 1 &&
        getArena(plan.certificate, Tier::Device).size >
            getArena(first->certificate, Tier::Device).size)
      os << explain(plan.certificate, first->certificate) << '\n';
  return text;
}

std::string zero::toJson(StringRef model, ArrayRef<ComparedPlan> plans) {
  llvm::json::Array list;
  for (const ComparedPlan &plan : plans) {
    const PipelineOptions &options = plan.variant.options;
    llvm::json::Object one{
        {options.worldSize > 1 ? "stage" : "offload", plan.variant.label}};
    if (!plan.conflict.empty()) {
      one["conflict"] = plan.conflict;
    } else {
      one["model_state"] = countState(plan.certificate);
      one["memory_of_all_ranks"] = countHost(plan.certificate);
      one["fits"] = fits(plan) == "yes";
      one["certificate"] =
          llvm::cantFail(llvm::json::parse(plan.certificate.toJson()));
    }
    list.push_back(std::move(one));
  }
  llvm::json::Object all{{"model", model},
                         {"ranks", plans.front().variant.options.worldSize},
                         {"plans", std::move(list)}};
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
  return text;
}
