//===- Findings.cpp - The findings of a device check ----------------------===//
#include "train/check/Findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace zrt;
using namespace zrt::check;

namespace {

template <typename Wanted>
size_t count(const std::vector<Section> &sections, Wanted wanted) {
  size_t all = 0;
  for (const Section &section : sections)
    all += static_cast<size_t>(std::count_if(section.findings.begin(),
                                             section.findings.end(), wanted));
  return all;
}

/// The mark of a verdict on the page, and its word in JSON.
struct Spelling {
  const char *mark, *word;
};
Spelling spellingOf(Verdict verdict) {
  constexpr Spelling kSpellings[] = {
      {"ok", "holds"}, {"FAIL", "fails"}, {"", "measured"}, {"-", "left"}};
  return kSpellings[size_t(verdict)];
}

bool isOnPage(const Finding &finding) {
  return finding.isShown || finding.verdict == Verdict::Fails;
}

} // namespace

size_t check::failuresOf(const std::vector<Section> &sections) {
  return count(sections, [](const Finding &finding) {
    return finding.verdict == Verdict::Fails;
  });
}

size_t check::comparedIn(const std::vector<Section> &sections) {
  return count(sections, [](const Finding &finding) {
    return finding.verdict == Verdict::Holds ||
           finding.verdict == Verdict::Fails;
  });
}

std::string check::pageText(const std::string &heading,
                            const std::vector<Section> &sections) {
  std::string text = heading + "\n";
  for (const Section &section : sections) {
    text += fmt::format("{}: {}\n", section.name, section.title);
    size_t width = 0;
    for (const Finding &finding : section.findings)
      if (isOnPage(finding) && finding.what.size() <= 72)
        width = std::max(width, finding.what.size());
    for (const Finding &finding : section.findings)
      if (isOnPage(finding))
        text += fmt::format("  {:<4}  {:<{}}  {}\n",
                            spellingOf(finding.verdict).mark, finding.what,
                            width, finding.found);
  }
  const size_t failures = failuresOf(sections);
  return text + (failures == 0
                     ? fmt::format("all {} hold\n", comparedIn(sections))
                     : fmt::format("FAIL: {} of {} do not hold\n", failures,
                                   comparedIn(sections)));
}

std::string check::pageJson(const std::string &heading,
                            const std::vector<Section> &sections) {
  using Json = nlohmann::ordered_json;
  Json all = {{"check", heading},
              {"holds", failuresOf(sections) == 0},
              {"compared", comparedIn(sections)},
              {"failures", failuresOf(sections)},
              {"sections", Json::array()}};
  for (const Section &section : sections) {
    Json findings = Json::array();
    for (const Finding &finding : section.findings) {
      Json one = {{"verdict", spellingOf(finding.verdict).word},
                  {"what", finding.what},
                  {"found", finding.found}};
      for (const auto &[name, number] : finding.numbers)
        one[name] = number;
      findings.push_back(std::move(one));
    }
    all["sections"].push_back({{"name", section.name},
                               {"title", section.title},
                               {"findings", std::move(findings)}});
  }
  return all.dump(1) + "\n";
}
