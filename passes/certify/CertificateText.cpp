//===- CertificateText.cpp - The certificate as a text table --------------===//

#include "passes/certify/Certificate.h"

#include "abi/Counts.h"
#include "dialect/zero/BytesText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;

std::string zero::groupDigits(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t i = static_cast<int64_t>(digits.size()) - 3;
       i > (digits[0] == '-'); i -= 3)
    digits.insert(i, ",");
  return digits;
}

SmallVector<std::pair<StringRef, int64_t>>
Certificate::Arena::getCategories() const {
  return {{"parameters", parameters},
          {"master parameters", masters},
          {"gradients", gradients},
          {"optimizer state", optimizerState},
          {"communication buffers", communication},
          {"activations", activations},
          {"workspace", workspace},
          {"inputs and outputs", io},
          {"keys and values", caches},
          {"unused", unused}};
}

SmallVector<Certificate::ArenaInUse> Certificate::getArenasInUse() const {
  SmallVector<ArenaInUse> inUse;
  for (auto [number, arena] : llvm::enumerate(arenas)) {
    auto tier = static_cast<Tier>(number);
    StringRef name = stringifyTier(tier);
    if (tier == Tier::Device)
      inUse.push_back({name, "", &arena});
    else if (arena.size > 0)
      inUse.push_back({name, name.str() + " ", &arena});
  }
  return inUse;
}

std::string Certificate::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](StringRef name, int64_t bytes) {
    os << "  " << llvm::left_justify(name, 24)
       << llvm::right_justify(groupDigits(bytes), 20) << " B"
       << llvm::format("%12.2f MiB\n", bytes / 1048576.0);
  };
  os << "memory certificate\n";
  const bool hasTiers = getArenasInUse().size() > 1;
  for (const auto &[tier, prefix, arena] : getArenasInUse()) {
    // With several tiers each has a heading, and lists only its own categories.
    if (hasTiers)
      os << "  " << tier << ":\n";
    for (auto [name, bytes] : arena->getCategories())
      if (bytes || (!hasTiers && name != "communication buffers" &&
                    name != "master parameters" && name != "keys and values"))
        line(name, bytes);
    line((tier + " arena").str(), arena->size);
  }
  if (parameterCount) {
    int64_t held = 0, padding = 0;
    for (const Term &term : modelState) {
      held += term.held;
      padding += getPadding(term);
    }
    os << "  model state: "
       << llvm::format("%.2f", double(held - padding) / double(parameterCount))
       << " bytes a parameter + " << groupDigits(padding)
       << " bytes of padding, " << groupDigits(parameterCount) << " parameters";
    if (ranks > 1)
      os << "; stage " << stage << " on " << ranks << " ranks";
    if (group)
      os << " in groups of " << group;
    if (context > 1)
      os << ", " << context << " for a sequence";
    os << '\n';
    for (const Term &term : modelState) {
      os << "    " << llvm::left_justify(term.name, 22)
         << llvm::right_justify(groupDigits(term.held), 20) << " B = ";
      if (term.sharded)
        os << groupDigits(term.sharded) << " / " << ranks
           << (term.whole || term.grouped ? " + " : "");
      if (term.grouped)
        os << groupDigits(term.grouped) << " / " << group
           << (term.whole ? " + " : "");
      if (term.whole || !(term.sharded || term.grouped))
        os << groupDigits(term.whole);
      os << " + padding " << groupDigits(getPadding(term)) << '\n';
    }
  }
  if (ranks > 1) {
    int64_t all = 0;
    for (const Wire &each : wire)
      all += each.bytes;
    os << "  wire: each rank receives " << bytesText(all) << " a step\n";
    for (const Wire &each : wire)
      os << "    " << llvm::left_justify(each.name, group ? 28 : 22)
         << llvm::right_justify(groupDigits(each.bytes), group ? 14 : 20)
         << " B  in " << zrt::plural(uint64_t(each.calls), "call") << '\n';
  }
  if (evaluation)
    os << "  evaluation: " << bytesText(evaluation)
       << " of the device arena at most\n";
  if (generation)
    os << "  generation: " << bytesText(generation)
       << " of the device arena at most\n";
  for (const auto &[tier, prefix, arena] : getArenasInUse()) {
    os << "  " << prefix << "peak: " << bytesText(arena->peak) << " live at "
       << (arena->peakAt.empty() ? "the start" : arena->peakAt) << '\n';
    if (!arena->largest.empty())
      os << "  live at the " << prefix << "peak:\n";
    for (const Arena::Live &live : arena->largest)
      os << "    " << llvm::right_justify(groupDigits(live.bytes), 20) << " B  "
         << live.name << '\n';
  }
  if (time) {
    os << llvm::formatv("  time: {0:f2} ms a step, simulated on {1}",
                        1e3 * time->seconds, time->machine);
    if (time->error)
      os << llvm::formatv(", whose operations are off by {0:f1} % in the mean",
                          100 * time->error);
    os << '\n';
    if (time->joules || time->dollars)
      os << llvm::formatv("    {0:f1} J and ${1:f6} a step, of all ranks\n",
                          time->joules, time->dollars);
  }
  for (const std::string &what : outside)
    os << "  outside the arenas: " << what << '\n';
  return text;
}
