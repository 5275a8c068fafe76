//===- Utilization.cpp - How much of the machine steps use ----------------===//
#include "runtime/main/Utilization.h"

#include "runtime/Error.h"
#include "runtime/PlanTable.h"
#include "runtime/io/Json.h"

#include <map>

using namespace zrt;

/// 2 m n k of all products of a program of one rank, by type of the operands.
static std::map<zrt_dtype, double> flopsByType(const zrt_program &program) {
  std::map<zrt_dtype, double> flops;
  for (const zrt_op &op : opsOf(program))
    if (op.kind == ZRT_MATMUL) {
      const zrt_matmul_desc &d = matmulOf(op);
      flops[d.a.dtype] +=
          2.0 * double(d.batch) * double(d.m) * double(d.n) * double(d.k);
    } else if (op.kind == ZRT_GROUPED_MATMUL) {
      const zrt_grouped_desc &d = groupedOf(op);
      flops[d.x.dtype] += 2.0 * double(d.rows) * double(d.n) * double(d.k);
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

void Utilization::measure(zrt_context *ctx, const zrt_plan &plan) {
  double seconds = 0, flops = 0; // of products, alone
  for (const auto &[dtype, some] : flopsOfStep(plan)) {
    flops += some;
    seconds += some / zrt_product_rate(ctx, dtype);
  }
  if (flops == 0)
    fail("--utilization: this plan has no matrix products");
  rate = flops / seconds;
  model = executed = flops;
  // A plan that was made otherwise says nothing of attention.
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
      100 * ofModel(milliseconds), 100 * ofExecuted(milliseconds), rate * 1e-9);
}
