//===- ProfileLabelsTest.cpp - Labels of the rows of a profile ------------===//
#include "runtime/core/ProfileLabels.h"

#include "test/unit/runtime/TestPlan.h"
#include <gtest/gtest.h>

using namespace zrt;

namespace {

void one(void *const *, int64_t, int64_t) {}
void other(void *const *, int64_t, int64_t) {}

class Labels : public testing::Test {
protected:
  void launch(const char *name, zrt_kernel_fn fn = one) {
    table.launch(ZRT_COMPUTE, name, fn, 1, 1, {});
  }
  void matmul(const char *name, int64_t n, bool isTransposed = false,
              int64_t batch = 1) {
    zrt_matmul_desc d = {};
    d.scale = 1;
    d.name = name;
    d.m = 4;
    d.n = n;
    d.k = 8;
    d.batch = batch;
    d.trans_b = isTransposed;
    table.matmul(ZRT_COMPUTE, d);
  }
  /// Returns the labels of all operations, in their order.
  std::vector<std::string> all() const {
    const zrt_plan plan = testPlan(table);
    const ProfileLabels labels(plan);
    std::vector<std::string> result;
    for (const zrt_op &op : opsOf(plan.programs[ZRT_STEP]))
      if (isWork(op))
        result.push_back(labels.of(op));
    return result;
  }
  Table table;
};

using Texts = std::vector<std::string>;

TEST_F(Labels, OfBucketsAreWhatIsDone) {
  table.squares(ZRT_COMPUTE, {"sum_squares of b0", 0, 0, {}, {}})
      .record(ZRT_COMPUTE, 0)
      .squares(ZRT_COMPUTE, {"sum_squares of b12", 0, 0, {}, {}})
      .copy(ZRT_COMPUTE, deviceRef(0, 8), deviceRef(8, 8));
  launch("grad_norm");
  launch("toy.3");
  EXPECT_EQ(all(), (Texts{"sum_squares", "sum_squares", "copy device -> device",
                          "grad_norm", "toy"}));
}

TEST_F(Labels, OfLayersAreOne) {
  launch("kernel.2 of h.0.ln_1");
  launch("kernel.2 of h.11.ln_1");
  launch("kernel.3 of h.1.ln_1, h.0");
  launch("attention.4 of h.3.attn.q, h.3.attn.k and 2 more", other);
  matmul("matmul of h.0.c_fc", 16);
  matmul("matmul of h.1.c_fc", 16);
  matmul("matmul of h.1.c_fc", 32, false, 3);
  launch("kernel.5 of v2.1x");
  EXPECT_EQ(
      all(),
      (Texts{"kernel of h.*.ln_1", "kernel of h.*.ln_1",
             "kernel of h.*.ln_1, h.*",
             "attention of h.*.attn.q, h.*.attn.k and 2 more",
             "matmul of h.*.c_fc 4 x 16 x 8", "matmul of h.*.c_fc 4 x 16 x 8",
             "matmul of h.*.c_fc 4 x 32 x 8 (batch 3)", "kernel of v2.1x"}));
}

TEST_F(Labels, OfLinesAreOneWhereTheyDoTheSame) {
  launch("kernel.2 of m.mlir:7");
  launch("kernel.2 of m.mlir:19");
  launch("kernel.2 of m.mlir:31,30");
  launch("kernel.3 of y (m.mlir:8)", other);
  matmul("matmul of m.mlir:9", 16);
  matmul("matmul of m.mlir:21", 16);
  matmul("matmul of m.mlir:21", 16, true);
  matmul("matmul of m.mlir:22", 24);
  matmul("matmul", 24);
  EXPECT_EQ(all(),
            (Texts{"kernel of m.mlir:7 and 2 like it",
                   "kernel of m.mlir:7 and 2 like it",
                   "kernel of m.mlir:7 and 2 like it", "kernel of y (m.mlir:8)",
                   "matmul of m.mlir:9 and 1 like it 4 x 16 x 8",
                   "matmul of m.mlir:9 and 1 like it 4 x 16 x 8",
                   "matmul of m.mlir:21 4 x 16 x 8",
                   "matmul of m.mlir:22 4 x 24 x 8", "matmul 4 x 24 x 8"}));
}

} // namespace
