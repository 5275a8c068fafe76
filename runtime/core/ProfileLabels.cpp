//===- ProfileLabels.cpp - Labels of the lines in a profile ---------------===//
#include "runtime/core/ProfileLabels.h"

#include "runtime/plan/OperationFacts.h"
#include "runtime/plan/PlanTable.h"

#include <algorithm>
#include <string_view>

using namespace zrt;

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns e.g. "kernel" for "kernel.3".
std::string_view withoutNumber(std::string_view text) {
  const size_t end = text.find_last_not_of("0123456789");
  const bool isNumbered =
      end != text.npos && end + 1 < text.size() && text[end] == '.';
  return isNumbered ? text.substr(0, end) : text;
}

/// Returns e.g. "h.*.attn" for "h.3.attn".
std::string withoutLayers(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    const bool isPart =
        end > i && i > 0 && text[i - 1] == '.' &&
        (end == text.size() || text[end] == '.' || text[end] == ',');
    end = std::max(end, i + 1);
    result += isPart ? "*" : text.substr(i, end - i);
    i = end;
  }
  return result;
}

/// Returns true if `text` has a line of a file, such as "mlp.mlir:46".
bool hasLine(std::string_view text) {
  for (size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1))
    if (at + 1 < text.size() && isDigit(text[at + 1]))
      return true;
  return false;
}

/// The label of a single operation.
struct Kind {
  std::string name, sizes;
  std::string key; ///< equal for operations in one group
};

Kind kindOf(const zrt_op &op) {
  if (op.kind == ZRT_COPY) {
    const zrt_copy_desc &d = copyOf(op);
    const std::string name =
        fmt::format("copy {} -> {}", tierName(d.source.ref.tier),
                    tierName(d.result.ref.tier));
    return {name, "", name};
  }
  constexpr std::string_view kOf = " of ";
  const std::string_view text = nameOf(op);
  const size_t at = text.find(kOf);
  Kind kind = {std::string(withoutNumber(text.substr(0, at))), "", ""};
  bool isModel = false;
  visitDevice(op,
              [&](const auto &desc) { isModel = !hasBucket<decltype(desc)>; });
  const std::string_view where =
      isModel && at != text.npos ? text.substr(at + kOf.size()) : "";
  const OperationFacts facts = factsOf(op);
  if (!facts.sizes.empty())
    kind.sizes = " " + facts.sizes;
  if (hasLine(where)) {
    kind.key = op.kind == ZRT_LAUNCH
                   ? fmt::format("kernel {}",
                                 reinterpret_cast<uintptr_t>(launchOf(op).fn))
                   : "lines " + kind.name + kind.sizes + facts.details;
    kind.name += std::string(kOf) + std::string(where);
    return kind;
  }
  if (!where.empty())
    kind.name += std::string(kOf) + withoutLayers(where);
  kind.key = kind.name + kind.sizes;
  return kind;
}

} // namespace

ProfileLabels::ProfileLabels(const zrt_plan &plan) {
  for (const zrt_op &op : opsOf(plan)) {
    if (!isWork(op))
      continue;
    const Kind kind = kindOf(op);
    Alike &alike = kinds[kind.key];
    if (alike.names.empty())
      alike.first = kind.name;
    alike.names.insert(kind.name);
  }
}

std::string ProfileLabels::of(const zrt_op &op) const {
  const Kind kind = kindOf(op);
  const Alike &alike = kinds.at(kind.key);
  const size_t others = alike.names.size() - 1;
  return alike.first + (others ? fmt::format(" and {} like it", others) : "") +
         kind.sizes;
}
