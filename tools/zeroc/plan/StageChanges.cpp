//===- StageChanges.cpp - Why a higher stage needs more memory ------------===//

#include "tools/zeroc/plan/PlanTable.h"
#include "tools/zeroc/plan/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::zero;

/// "a, b and c"
static std::string enumerate(ArrayRef<std::string> parts) {
  if (parts.size() < 2)
    return llvm::join(parts, "");
  return llvm::join(parts.drop_back(), ", ") + " and " + parts.back();
}

/// Lists the categories in which the peak of `more` differs from that of
/// `less`, the largest difference first.
static std::string listChanges(const Certificate::Arena &more,
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

std::string zero::explainGrowth(const Certificate &more,
                                const Certificate &less) {
  const Certificate::Arena &high = more.arenas[int(Tier::Device)],
                           &low = less.arenas[int(Tier::Device)];
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
