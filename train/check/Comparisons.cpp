//===- Comparisons.cpp - Results of comparing a plan's operations ---------===//
#include "train/check/Comparisons.h"

#include "abi/DeviceEntries.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/LibraryAttention.h"
#include "runtime/plan/OperationFacts.h"
#include "runtime/plan/PlanTable.h"

#include <algorithm>
#include <bit>
#include <string_view>

using namespace zrt;
using namespace zrt::check;

namespace {

bool isAttention(const Comparison &one) {
  const std::string_view name = one.name;
  return one.kind == ZRT_LAUNCH && (name.starts_with("attention") ||
                                    name.starts_with("library_attention"));
}

/// Returns true if the device's kernel of `op` only approximates its twin's
/// results, as on tensor cores and in libraries.
bool rounds(const zrt_plan &plan, const zrt_op &op) {
  if (op.kind != ZRT_LAUNCH)
    return false;
  if (attentionOf(plan, launchOf(op)))
    return true;
  const zrt_device_kernel *kernels = plan.device_kernels,
                          *end = kernels + plan.device_kernel_count;
  return std::any_of(kernels, end, [&](const zrt_device_kernel &kernel) {
    return kernel.fn == launchOf(op).fn &&
           std::string_view(kernel.entry).starts_with(kRoundingEntry);
  });
}

std::string shapeOf(const zrt_op &op) {
  if (op.kind == ZRT_LAUNCH)
    return fmt::format("{} units", launchOf(op).units);
  const OperationFacts facts = factsOf(op);
  if (facts.flops > 0)
    return fmt::format("{}{}, {} to {}", facts.sizes, facts.details,
                       dtypeName(facts.factors), dtypeName(facts.result));
  std::string first;
  forEachOperand(op, [&](const std::string &, const zrt_operand &operand) {
    if (first.empty())
      first =
          fmt::format("{} {}", elementsIn(operand), dtypeName(operand.dtype));
  });
  return first;
}

/// The places of a bucket's members and which decay; launches depend on them.
std::string layoutOf(const zrt_bucket &bucket) {
  std::string text;
  for (const zrt_member &member : membersOf(bucket))
    text +=
        fmt::format(" {}+{}:{}", member.offset, member.count, member.decays);
  return text;
}

/// The key of an operation's kind.
std::string keyOf(const zrt_plan &plan, const zrt_op &op,
                  const std::string &shape) {
  std::string key = fmt::format("{} {}", op.kind, shape);
  visitWork(op, [&](const auto &desc) {
    if constexpr (requires { desc.fn; })
      key += fmt::format(" {}", reinterpret_cast<uintptr_t>(desc.fn));
    if constexpr (requires { desc.plain; })
      key += fmt::format(" {} {}", reinterpret_cast<uintptr_t>(desc.plain),
                         reinterpret_cast<uintptr_t>(desc.decayed));
    if constexpr (hasBucket<decltype(desc)>)
      key += layoutOf(plan.buckets[desc.bucket]);
  });
  forEachOperand(op, [&](const std::string &, const zrt_operand &operand) {
    key += fmt::format(" {} {} {} {} {}", operand.ref.tier, operand.ref.bytes,
                       operand.dtype, operand.extent,
                       std::countr_zero(operand.ref.offset | 256));
  });
  return key;
}

std::string shareText(double share) {
  return share >= 0.01 ? fmt::format("{:.2f}", share)
                       : fmt::format("{:.1g}", share);
}

Finding findingOf(const Comparison &one) {
  Finding finding;
  const Difference &difference = one.difference;
  finding.verdict = !one.isDone && one.failure.empty() ? Verdict::Left
                    : one.holds()                      ? Verdict::Holds
                                                       : Verdict::Fails;
  finding.what = fmt::format("{}: {}", one.name, one.shape);
  std::string &text = finding.found;
  if (!one.failure.empty())
    text = one.failure;
  else if (!one.isDone)
    text = "the run ended before";
  else if (difference.wrong > 0)
    text = fmt::format("{} of {} elements of {}{}; {}", one.wrong.wrong,
                       one.wrong.elements, one.operand,
                       one.wantsBits ? " have other bits"
                                     : " are beyond their tolerance",
                       one.wrong.where);
  else if (one.wantsBits || difference.worst == 0)
    text = "the same bits";
  else
    text = fmt::format("largest error {} of its tolerance",
                       shareText(difference.worst));
  if (one.otherRuns > 0)
    text += fmt::format("; {} of {} repeated runs gave other bits",
                        one.otherRuns, kRuns - 1);
  if (one.operations > 1)
    text += fmt::format(", {} times", one.operations);
  if (!one.how.empty())
    text += fmt::format("; {}", one.how);
  finding.numbers = {{"operations", double(one.operations)},
                     {"elements", double(difference.elements)},
                     {"wrong", double(difference.wrong)},
                     {"other_runs", double(one.otherRuns)}};
  if (!one.wantsBits)
    finding.numbers.emplace_back("largest_error", difference.worst);
  return finding;
}

/// "3 runs each: 20 of 20 hold, for 25 operations".
std::string countText(const std::vector<Finding> &findings) {
  size_t good = 0;
  double operations = 0;
  for (const Finding &finding : findings) {
    good += finding.verdict == Verdict::Holds;
    operations += finding.numbers.front().second;
  }
  return fmt::format("{} of {} hold, for {} operations", good, findings.size(),
                     operations);
}

} // namespace

Comparison *Comparisons::begin(const zrt_plan &plan, const zrt_op &op) {
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string shape = shapeOf(op);
  Comparison *&seen = known[keyOf(plan, op, shape)];
  if (seen) {
    ++seen->operations;
    return nullptr;
  }
  Comparison one = {};
  one.kind = op.kind;
  one.name = nameOf(op);
  one.shape = shape;
  one.isMatmul = factsOf(op).flops > 0;
  one.wantsBits = !one.isMatmul && !rounds(plan, op);
  one.operations = 1;
  return seen = &all.emplace_back(one);
}

std::vector<Section> Comparisons::sections() const {
  Section kernels = {"kernels", "bits of their twins on processors", {}},
          attention = {"attention", "against the twins on processors", {}},
          products = {"products", "against the processors'", {}},
          updates = {"updates",
                     "optimizer, norms, packed weights: bits of the processors",
                     {}},
          copies = {"copies", "bytes of their source", {}};
  for (const Comparison &one : all) {
    Section &section = isAttention(one)         ? attention
                       : one.kind == ZRT_LAUNCH ? kernels
                       : one.kind == ZRT_COPY   ? copies
                       : one.isMatmul           ? products
                                                : updates;
    section.findings.push_back(findingOf(one));
    section.findings.back().isShown =
        &section == &attention || &section == &products;
  }
  std::vector<Section> some;
  for (Section *section : {&kernels, &attention, &products, &updates, &copies})
    if (!section->findings.empty()) {
      section->title += fmt::format(
          "{}: {}",
          section == &copies ? "" : fmt::format(", {} runs each", kRuns),
          countText(section->findings));
      some.push_back(std::move(*section));
    }
  return some;
}
