//===- LinkReport.cpp - Reports the bytes moved between tiers -------------===//
#include "train/report/Report.h"

#include "runtime/plan/PlanTable.h"

using namespace zrt;

namespace {

/// Sums count(bytes) over the copies of a step that use `link`.
template <typename Count>
uint64_t sumOver(const zrt_plan &plan, uint32_t link, Count count) {
  uint64_t sum = 0;
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    for (const zrt_op &op : opsOf(plan.programs[p]))
      if (op.kind == ZRT_COPY && linkOf(copyOf(op)) == link)
        sum += runsPerStep(plan, p) * count(copyOf(op).source.ref.bytes);
  return sum;
}

/// "12.3 days", "4.5 years"
std::string spanText(double days) {
  constexpr double kYear = 365;
  if (days >= 2 * kYear)
    return fmt::format("{:.1f} years", days / kYear);
  return days >= 2 ? fmt::format("{:.1f} days", days)
                   : fmt::format("{:.1f} hours", days * 24);
}

} // namespace

uint64_t zrt::runsPerStep(const zrt_plan &plan, uint32_t program) {
  const uint64_t k = plan.accumulate;
  switch (program) {
  case ZRT_COUNT:
    return k <= 1 ? 0 : plan.layered ? 1 : k;
  case ZRT_MICRO:
    return k > 0 ? k - 1 : 0;
  case ZRT_STEP:
    return 1;
  default: // once in a run
    return 0;
  }
}

uint64_t zrt::linkBytesPerStep(const zrt_plan &plan, uint32_t link) {
  return sumOver(plan, link, [](uint64_t bytes) { return bytes; });
}

uint64_t zrt::writtenPerStep(const zrt_plan &plan) {
  return sumOver(plan, ZRT_NVME_WRITE, [](uint64_t bytes) {
    return (bytes + ZRT_NVME_BLOCK - 1) / ZRT_NVME_BLOCK * ZRT_NVME_BLOCK;
  });
}

std::string zrt::linksText(const zrt_plan &plan) {
  std::string text;
  for (const uint32_t link : {ZRT_H2D, ZRT_D2H, ZRT_NVME_READ, ZRT_NVME_WRITE})
    if (const uint64_t bytes = linkBytesPerStep(plan, link))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          streamClassName(link), shownBytes(bytes));
  return text;
}

std::string zrt::enduranceText(const zrt_plan &plan, double secondsPerStep,
                               std::optional<double> terabytes) {
  const uint64_t bytes = writtenPerStep(plan) * plan.world_size;
  const double perDay = double(bytes) / secondsPerStep * 86'400;
  std::string text = fmt::format(
      "{}{} written to nvme in a step, {:.3g} TB in a day of steps of "
      "{:.1f} ms",
      shownBytes(bytes), plan.world_size > 1 ? " of all ranks" : "",
      perDay * 1e-12, secondsPerStep * 1e3);
  if (terabytes && bytes > 0)
    text += fmt::format("; drives that are rated for {:g} TB last {}",
                        *terabytes, spanText(*terabytes * 1e12 / perDay));
  return text;
}
