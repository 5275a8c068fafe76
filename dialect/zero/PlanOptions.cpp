//===- PlanOptions.cpp - The text of plan options, and their numbers ------===//

#include "dialect/zero/PlanOptions.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <charconv>
#include <limits>

using namespace mlir::zero;
using llvm::StringRef;

llvm::hash_code mlir::zero::hash_value(const PlanOptions &options) {
  llvm::hash_code code = 0;
  visitOptions(options, [&](StringRef, auto field, auto) {
    if constexpr (std::is_same_v<decltype(field), double>)
      code = llvm::hash_combine(code, llvm::bit_cast<uint64_t>(field));
    else
      code = llvm::hash_combine(code, field);
  });
  return code;
}

std::string mlir::zero::optionText(bool value) {
  return value ? "true" : "false";
}
std::string mlir::zero::optionText(int64_t value) {
  return std::to_string(value);
}
std::string mlir::zero::optionText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

bool mlir::zero::readOption(StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}
bool mlir::zero::readOption(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value);
}
bool mlir::zero::readOption(StringRef text, double &value) {
  return !text.getAsDouble(value);
}

/// Of sums that do not depend on the number of ranks.
static std::string findVirtualConflict(const PlanOptions &p) {
  const int64_t leaves = p.virtualShards;
  if (leaves == 0)
    return "";
  const std::string given = optionFlag("virtual-shards", leaves);
  if (!llvm::isPowerOf2_64(leaves) || leaves == 1)
    return given + " is no power of two from 2 on";
  if (p.worldSize * p.accumulate != leaves)
    return given + " is world-size x accumulate, got " +
           optionFlag("world-size", p.worldSize) + " " +
           optionFlag("accumulate", p.accumulate) + "; " +
           (leaves % p.worldSize
                ? "take a world-size that divides it"
                : "give " + optionFlag("accumulate", leaves / p.worldSize));
  return "";
}

/// Of ranks in groups.
static std::string findGroupConflict(const PlanOptions &p) {
  const int64_t group = getGroupSize(p);
  if (group == 0)
    return "";
  std::string given;
  for (auto [name, size] : {std::pair("ranks-per-host", p.ranksPerHost),
                            std::pair("shard-size", p.shardSize),
                            std::pair("secondary-shard", p.secondaryShard)}) {
    if (size == 0)
      continue;
    if (size != group)
      return optionFlag(name, size) + " and a group of " +
             std::to_string(group) +
             " ranks; ranks have one kind of group, give all the same number";
    given = optionFlag(name, size);
  }
  if (group < 2 || group >= p.worldSize || p.worldSize % group)
    return given + " needs 2 groups or more of 2 ranks or more, got " +
           optionFlag("world-size", p.worldSize) +
           "; take a divisor of it between 1 and itself, or drop it";
  return "";
}

/// Of ranks that share sequences.
static std::string findContextConflict(const PlanOptions &p) {
  if (p.context == 1 || p.worldSize == 1 || p.worldSize % p.context == 0)
    return "";
  return optionFlag("context", p.context) + " must divide " +
         optionFlag("world-size", p.worldSize) + "; take a divisor of it";
}

std::optional<Conflict> mlir::zero::findConflict(const PlanOptions &options,
                                                 bool isKnown) {
  if (std::string text = findGroupConflict(options); !text.empty())
    return Conflict{"(C12)", text};
  if (std::string text = findVirtualConflict(options); !text.empty())
    return Conflict{"(C13)", text};
  if (std::string text = findContextConflict(options); !text.empty())
    return Conflict{"(C15)", text};
  return findBrokenRule(options, isKnown);
}

std::optional<Conflict> mlir::zero::findOutOfRange(const PlanOptions &options) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  std::optional<Conflict> found;
  auto check = [&](StringRef usage, auto value, auto low, auto high,
                   StringRef range, StringRef constraint) {
    if (!found && !(value >= low && value <= high))
      found = Conflict{constraint,
                       llvm::formatv("--{0} must be {1}, got {2}",
                                     getOptionName(usage), range, value)};
  };
#define ZERO_COUNT(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,     \
                   LEVEL, EFFECT, HELP)                                        \
  check(USAGE, options.FIELD, int64_t(LOW), int64_t(HIGH), RANGE, "(C3)");
#define ZERO_BYTES(FIELD, GETTER, USAGE, DEFAULT, LOW, SHOWN, GROUP, LEVEL,    \
                   EFFECT, HELP)                                               \
  check(USAGE, options.FIELD, int64_t(0), kMax, "a number of bytes", "(C3)");
#define ZERO_NUMBER(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,    \
                    LEVEL, EFFECT, HELP)                                       \
  check(USAGE, options.FIELD, double(LOW), double(HIGH), RANGE, "(C2)");
#include "abi/PlanOptions.def"
  return found;
}
