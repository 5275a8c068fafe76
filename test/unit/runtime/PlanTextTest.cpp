//===- PlanTextTest.cpp - The output of --plan ----------------------------===//
#include "train/report/Report.h"

#include "Collectives.h"
#include "runtime/plan/OperationFacts.h"

using namespace zrt;
using namespace zrt::test;

namespace {

void nothing(void *const *, int64_t, int64_t) {}

TEST(PlanText, HasALineForEachOperation) {
  zrt_matmul_desc product = {};
  product.scale = 1;
  product.name = "c_fc.3";
  product.trans_b = product.has_bias = 1;
  product.batch = 1;
  product.m = 2;
  product.n = 3;
  product.k = 4;
  product.a = tensor(deviceRef(0, 32));
  product.b = tensor(deviceRef(64, 48));
  product.bias = tensor(deviceRef(128, 12));
  product.c = tensor({ZRT_HOST, 0, 192, 24});
  const zrt_operand experts[] = {tensor(deviceRef(0, 48)),
                                 tensor(deviceRef(64, 48))};
  zrt_grouped_desc grouped = {};
  grouped.name = "up.4";
  grouped.trans_w = 1;
  grouped.groups = 2;
  grouped.rows = 5;
  grouped.n = 3;
  grouped.k = 4;
  grouped.x = tensor(deviceRef(128, 80));
  grouped.y = tensor(deviceRef(256, 60));
  grouped.offsets = tensor(deviceRef(320, 12), ZRT_I32);
  grouped.w = experts;
  Table step;
  step.collective(ZRT_GATHER, {"all_gather of b0", ZRT_ALL_GATHER, 0, 64, 1.0,
                               128, slice(exportedRef(0, 128)),
                               whole(exportedRef(4096, 256)), ZRT_OVER_ALL, 0})
      .record(ZRT_GATHER, 0)
      .wait(ZRT_COMPUTE, 0)
      .matmul(ZRT_COMPUTE, product)
      .launch(ZRT_COMPUTE, "gelu.1", nothing, 6, 2,
              {scalar(deviceRef(0, 2), ZRT_BF16)})
      .add(99, 42, nullptr);
  const zrt_operand args[] = {sliceOfWhole(deviceRef(0, 256))};
  step.update(ZRT_COMPUTE,
              {"sgd of b0", 0, 1, nothing, nothing, args, 0, 0, 0, 0});
  step.add(ZRT_GROUPED, ZRT_COMPUTE, &grouped);
  const zrt_plan plan = ranksPlan(2, step);
  EXPECT_EQ(
      planText(plan),
      "plan of test\n"
      "ranks 2, stage 0, 1 micro-step\n"
      "stream 0: compute, class compute\n"
      "stream 1: gather, class gather\n"
      "stream 2: reduce, class reduce\n"
      "stream 3: h2d, class h2d\n"
      "stream 4: d2h, class d2h\n"
      "stream 5: nvme_read, class nvme_read\n"
      "stream 6: nvme_write, class nvme_write\n"
      "stream 7: host, class host\n"
      "stream 8: gather_groups, class gather_groups\n"
      "stream 9: reduce_groups, class reduce_groups\n"
      "stream 10: context, class context\n"
      "program step: 8 operations, 1 events\n"
      "     0  gather        collective all_gather of b0 64 elements: source "
      "device 65536 + 128 f32 slice, result device 69632 + 256 f32 whole\n"
      "     1  gather        record     event 0\n"
      "     2  compute       wait       event 0\n"
      "     3  compute       matmul     c_fc.3 2 x 3 x 4 trans_b bias: A "
      "device 0 "
      "+ 32 "
      "f32 members, B device 64 + 48 f32 members, bias device 128 + 12 f32 "
      "members, C host 192 + 24 f32 members\n"
      "     4  compute       launch     gelu.1 6 by 2: operand 0 device 0 + 2 "
      "bf16 "
      "scalar\n"
      "     5  unknown       unknown    no descriptor\n"
      "     6  compute       update     sgd of b0: operand 0 device 0 + 256 "
      "f32 "
      "slice of whole\n"
      "     7  compute       grouped    up.4 5 x 3 x 4 (groups 2) trans_w: x "
      "device 128 + 80 f32 members, y device 256 + 60 f32 members, offsets "
      "device 320 + 12 i32 members, W0 device 0 + 48 f32 members, W1 device 64 "
      "+ 48 f32 members\n");
}

TEST(OperationFacts, NameTheTypesOfProducts) {
  zrt_operand w[1] = {tensor(deviceRef(0, 24), ZRT_BF16)};
  zrt_grouped_desc d = {};
  d.groups = 1;
  d.x.dtype = ZRT_BF16;
  d.y.dtype = ZRT_F32;
  d.w = w;
  const auto facts = [&] { return factsOf({ZRT_GROUPED, 0, &d}); };
  EXPECT_EQ(facts().factors, ZRT_BF16);
  EXPECT_EQ(facts().result, ZRT_F32);
  d.sums = 1;
  EXPECT_EQ(facts().result, ZRT_BF16);
}

} // namespace
