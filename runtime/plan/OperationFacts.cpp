//===- OperationFacts.cpp - Work and sizes of operations ------------------===//
#include "runtime/plan/OperationFacts.h"

#include "runtime/plan/PlanTable.h"

using namespace zrt;

namespace {

// A kind without a function of its own has the bytes of its operands.

template <typename Desc>
void addFacts(const Desc &, OperationFacts &) {}

void addFacts(const zrt_launch_desc &d, OperationFacts &facts) {
  facts.details = fmt::format(" {} by {}", d.units, d.grain);
}

void addFacts(const zrt_matmul_desc &d, OperationFacts &facts) {
  facts.flops = 2.0 * double(d.batch) * double(d.m) * double(d.n) * double(d.k);
  facts.factors = d.a.dtype;
  facts.result = d.c.dtype;
  facts.sizes = fmt::format("{} x {} x {}", d.m, d.n, d.k);
  if (d.batch != 1)
    facts.sizes += fmt::format(" (batch {})", d.batch);
  for (const auto &[flag, word] :
       {std::pair(d.trans_a, " trans_a"), std::pair(d.trans_b, " trans_b"),
        std::pair(d.has_bias, " bias"), std::pair(d.accumulate, " accumulate")})
    facts.details += flag ? word : "";
  if (d.scale != 1)
    facts.details += fmt::format(" scale {}", d.scale);
  if (d.packing != ZRT_UNPACKED)
    facts.details += fmt::format(" {}", packingName(d.packing));
}

void addFacts(const zrt_grouped_desc &d, OperationFacts &facts) {
  facts.flops = 2.0 * double(d.rows) * double(d.n) * double(d.k);
  facts.factors = d.x.dtype;
  facts.result = !d.sums ? d.y.dtype : d.groups ? d.w[0].dtype : d.x.dtype;
  facts.sizes =
      fmt::format("{} x {} x {} (groups {})", d.rows, d.n, d.k, d.groups);
  facts.details =
      fmt::format("{}{}", d.sums ? " sums" : "", d.trans_w ? " trans_w" : "");
}

void addFacts(const zrt_unpack_desc &d, OperationFacts &facts) {
  facts.sizes =
      fmt::format("{} elements of {}", d.elements, packingName(d.packing));
}

void addFacts(const zrt_quantize_desc &d, OperationFacts &facts) {
  facts.sizes = fmt::format("{} elements to {}", elementsIn(d.source),
                            dtypeName(d.result.dtype));
}

void addFacts(const zrt_dequantize_desc &d, OperationFacts &facts) {
  facts.sizes = fmt::format("{} elements of {}", elementsIn(d.result),
                            dtypeName(d.source.dtype));
}

void addFacts(const zrt_collective_desc &d, OperationFacts &facts) {
  facts.bytes = double(d.wire_bytes);
  facts.details = fmt::format(
      " {} elements{}{}{}", d.elements,
      d.over != ZRT_OVER_ALL ? fmt::format(" over {}", overName(d.over)) : "",
      d.scale != 1 ? fmt::format(" scale {}", d.scale) : "",
      d.accumulate ? " accumulate" : "");
}

} // namespace

OperationFacts zrt::factsOf(const zrt_op &op, const RankGroups &groups) {
  OperationFacts facts;
  forEachOperand(op, [&](const std::string &, const zrt_operand &operand) {
    facts.bytes += double(bytesOf(operand, groups));
  });
  if (op.kind == ZRT_COPY)
    facts.bytes = double(bytesOf(copyOf(op).source, groups));
  visitWork(op, [&](const auto &desc) { addFacts(desc, facts); });
  return facts;
}
