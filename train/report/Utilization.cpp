//===- Utilization.cpp - Measures the utilization of the machine ----------===//
#include "train/report/Utilization.h"

#include "runtime/plan/OperationFacts.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "train/state/io/Json.h"

#include <map>

using namespace zrt;

/// The flops (2 m n k) of a program's products on one rank, by operand type.
static std::map<zrt_dtype, double> flopsByType(const zrt_program &program) {
  std::map<zrt_dtype, double> flops;
  for (const zrt_op &op : opsOf(program))
    if (isWork(op)) {
      const OperationFacts facts = factsOf(op);
      if (facts.flops > 0)
        flops[facts.factors] += facts.flops;
    }
  return flops;
}

static std::map<zrt_dtype, double> flopsOfStep(const zrt_plan &plan) {
  auto flops = flopsByType(plan.programs[ZRT_STEP]);
  if (!plan.layered)
    for (const auto &[dtype, more] : flopsByType(plan.programs[ZRT_MICRO]))
      flops[dtype] += more * double(plan.accumulate - 1);
  return flops;
}

Utilization::Utilization(zrt_context *ctx, const zrt_plan &plan) {
  double seconds = 0, flops = 0; // of products only
  for (const auto &[dtype, some] : flopsOfStep(plan)) {
    flops += some;
    seconds += some / zrt_matmul_rate(ctx, dtype);
  }
  if (flops == 0)
    fail("--utilization: this plan has no matmuls");
  rate = flops / seconds;
  model = executed = flops;
  // A plan from another compiler has no flops of attention.
  const nlohmann::json certificate = parsePlanJson(plan.certificate);
  if (!certificate.is_object() || !certificate.contains("flops"))
    return;
  model = certificate["flops"].value("model", flops);
  executed = certificate["flops"].value("executed", flops);
}

std::string Utilization::text(double milliseconds) const {
  return fmt::format(
      "MFU {:.1f} %, HFU {:.1f} % of the {:.0f} GFLOP/s that the "
      "products of a rank reach with nothing else",
      100 * share(model, milliseconds), 100 * share(executed, milliseconds),
      rate * 1e-9);
}
