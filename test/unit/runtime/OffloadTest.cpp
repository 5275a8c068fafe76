//===- OffloadTest.cpp - Plans that keep their state on nvme --------------===//
//
// A parameter w of 5000 elements and its momentum live on nvme.  A step fetches
// both, updates them on the host, and spills them, while the device copies the
// parameter from the host:
//
//   nvme_read    fetch m     fetch w
//   host                              update
//   h2d                               upload w
//   nvme_write                                 spill m    spill w
//
//===----------------------------------------------------------------------===//
#include "train/run/Mains.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "TrainRun.h"

#include <cmath>

using namespace zrt;

namespace {

constexpr uint64_t kElements = 5000, kBytes = kElements * 4;
constexpr uint64_t kRoom = 5 * 4096; ///< of each tensor on nvme and on the host

zrt_ref nvmeRef(uint64_t which) { return {ZRT_NVME, 0, which * kRoom, kBytes}; }
zrt_ref hostRef(uint64_t which) { return {ZRT_HOST, 0, which * kRoom, kBytes}; }
const zrt_ref lrRef = {ZRT_HOST, 0, 4 * kRoom, 4};
const zrt_ref onDevice = deviceRef(4096, kBytes);

/// m' = m / 2 + 1, w' = w - lr m'; w, m, lr, w', m'
void momentum(void *const *args, int64_t begin, int64_t end) {
  const auto *w = static_cast<const float *>(args[0]);
  const auto *m = static_cast<const float *>(args[1]);
  const float lr = *static_cast<const float *>(args[2]);
  auto *nextW = static_cast<float *>(args[3]);
  auto *nextM = static_cast<float *>(args[4]);
  for (int64_t i = begin; i < end; ++i) {
    nextM[i] = m[i] / 2 + 1;
    nextW[i] = w[i] - lr * nextM[i];
  }
}
/// The loss is w[0].
void lossOf(void *const *args, int64_t, int64_t) {
  *static_cast<float *>(args[1]) = static_cast<const float *>(args[0])[0];
}

const int64_t offloadWShape[] = {int64_t{kElements}};
const zrt_member offloadMember = {
    "w", 1, 1, offloadWShape, 0, 0, kElements, {ZRT_INIT_NORMAL, 0, 0, 1}};
const zrt_bucket offloadBucket = {"b0", kElements, 1, 0, &offloadMember, 0, 0};
const zrt_state states[] = {{"param", 0, ZRT_F32, ZRT_WHOLE, 0, nvmeRef(0)},
                            {"momentum", 0, ZRT_F32, ZRT_WHOLE, 0, nvmeRef(1)}};
const zrt_output output = {"loss", ZRT_F32, 0, deviceRef(0, 4)};
const zrt_input lr = {"lr", ZRT_F32, 0, nullptr, lrRef, 0, 0, 0, 0};
const zrt_category categories[] = {{"activations", kBytes, ZRT_DEVICE, 0},
                                   {"parameters", kBytes, ZRT_NVME, 0}};

zrt_copy_desc copyOfTier(const char *name, const zrt_ref &from,
                         const zrt_ref &to) {
  return {name, whole(from), whole(to)};
}

zrt_plan offloadPlan() {
  static const zrt_copy_desc
      fetchM = copyOfTier("fetch momentum of b0", nvmeRef(1), hostRef(1)),
      fetchW = copyOfTier("fetch param of b0", nvmeRef(0), hostRef(0)),
      upload = copyOfTier("upload param of b0", hostRef(0), onDevice),
      spillM = copyOfTier("spill momentum of b0", hostRef(3), nvmeRef(1)),
      spillW = copyOfTier("spill param of b0", hostRef(2), nvmeRef(0));
  const zrt_operand args[] = {whole(hostRef(0)), whole(hostRef(1)),
                              scalar(lrRef), whole(hostRef(2)),
                              whole(hostRef(3))};
  Table table;
  table.add(ZRT_COPY, ZRT_NVME_READ, &fetchM)
      .add(ZRT_COPY, ZRT_NVME_READ, &fetchW)
      .record(ZRT_NVME_READ, 0)
      .wait(ZRT_H2D, 0)
      .wait(ZRT_HOST_STREAM, 0)
      .add(ZRT_COPY, ZRT_H2D, &upload)
      .record(ZRT_H2D, 1)
      .wait(ZRT_COMPUTE, 1)
      .launch(ZRT_COMPUTE, "loss.0", lossOf, 1, 1,
              {tensor(onDevice), scalar(deviceRef(0, 4))})
      .update(ZRT_HOST_STREAM,
              {"momentum of b0", 0, 5, momentum, momentum, args, 0, 0, 0, 0})
      .record(ZRT_HOST_STREAM, 2)
      .wait(ZRT_NVME_WRITE, 2)
      .add(ZRT_COPY, ZRT_NVME_WRITE, &spillM)
      .add(ZRT_COPY, ZRT_NVME_WRITE, &spillW);
  zrt_plan plan = testPlan(table, 8 * 4096);
  plan.arena_bytes[ZRT_HOST] = 4 * kRoom + 4;
  plan.arena_bytes[ZRT_NVME] = 2 * kRoom;
  plan.buckets = &offloadBucket;
  plan.bucket_count = 1;
  plan.states = states;
  plan.state_count = 2;
  plan.inputs = &lr;
  plan.input_count = 1;
  plan.outputs = &output;
  plan.output_count = 1;
  plan.categories = categories;
  plan.category_count = 2;
  return plan;
}

class Offload : public testing::Test {
protected:
  TestFolder folder;
  const std::string path = folder / ".";
  zrt_plan plan = offloadPlan();

  ContextPtr start(uint32_t verifies = 0) {
    const zrt_setup setup = {1, 2, path.c_str(), verifies, 0};
    zrt_context *ctx = nullptr;
    zrt_create(&plan, &ctx);
    zrt_start(ctx, &setup, nullptr);
    return ContextPtr(ctx);
  }

  /// Returns w after `steps` steps from w[i] = i with a rate of 0.25.
  std::vector<float> trained(const ContextPtr &ctx, int steps) {
    std::vector<float> w(kElements);
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = float(i);
    const zrt_ref at = nvmeRef(0);
    const float rate = 0.25;
    zrt_write(ctx.get(), &at, w.data(), kBytes);
    zrt_write(ctx.get(), &lrRef, &rate, 4);
    for (int i = 0; i < steps; ++i)
      zrt_run(ctx.get(), ZRT_STEP);
    std::fill(w.begin(), w.end(), NAN);
    zrt_read(ctx.get(), &at, w.data(), kBytes);
    return w;
  }
  static std::vector<float> expected(int steps) {
    std::vector<float> w(kElements);
    for (size_t i = 0; i < w.size(); ++i) {
      float m = 0;
      w[i] = float(i);
      for (int step = 0; step < steps; ++step) {
        m = m / 2 + 1;
        w[i] -= 0.25f * m;
      }
    }
    return w;
  }

  TrainRun run;
  std::string &out = run.out, &err = run.err;
  int train(std::vector<std::string> args) {
    args.insert(args.begin(), {"--lr", "0.25"});
    return run(plan, args);
  }
};

TEST_F(Offload, TrainsWhatLiesOnNvme) {
  const ContextPtr ctx = start();
  EXPECT_EQ(trained(ctx, 5), expected(5)) << zrt_error_message(ctx.get());
  EXPECT_EQ(zrt_arena_bytes(ctx.get(), ZRT_NVME), 2 * kRoom);
  EXPECT_EQ(ctx->run->traffic.bytes(ZRT_NVME_READ), 5 * 2 * kBytes);
  EXPECT_EQ(ctx->run->traffic.bytes(ZRT_NVME_WRITE), 5 * 2 * kBytes);
  EXPECT_EQ(ctx->run->traffic.bytes(ZRT_H2D), 5 * kBytes);
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED), "");
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_NOTE), "");
}

TEST_F(Offload, ChaosAndGuardsChangeNothing) {
  for (int seed = 1; seed <= 30; ++seed) {
    const Chaos chaos(seed);
    const Environment guard("ZRT_GUARD", "1");
    const ContextPtr ctx = start();
    ASSERT_EQ(trained(ctx, 4), expected(4)) << "seed " << seed;
    EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED), "");
  }
}

TEST_F(Offload, DrivesThatAreSlowOrAskAgainChangeNothing) {
  for (const char *fault :
       {"short@2", "eagain@2", "eintr@3", "nopin", "nouring", "nodirect"}) {
    const Environment setting("ZRT_STORE_FAULT", fault);
    const ContextPtr ctx = start(/*verifies=*/1);
    EXPECT_EQ(trained(ctx, 3), expected(3)) << fault;
    EXPECT_EQ(std::string(zrt_report(ctx.get(), ZRT_NOTE))
                      .find("cannot be locked (cannot allocate memory)") !=
                  std::string::npos,
              fault == std::string("nopin"));
    EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED), "") << fault;
  }
}

TEST_F(Offload, AFaultNamesTheOperationAndEndsTheProgram) {
  const auto messageUnder = [&](const char *fault) {
    const Environment setting("ZRT_STORE_FAULT", fault);
    const ContextPtr ctx = start(/*verifies=*/1);
    // The first requests come from host access.
    (void)trained(ctx, 5);
    return std::string(zrt_error_message(ctx.get()));
  };
  // Host access has made two requests before, one of them a write.
  EXPECT_EQ(messageUnder("eio@3").find("fetch momentum of b0: reading "), 0u);
  EXPECT_EQ(messageUnder("cut@3").find("fetch momentum of b0: reading "), 0u);
  EXPECT_EQ(messageUnder("enospc@2").find("spill momentum of b0: writing "),
            0u);
  EXPECT_EQ(messageUnder("flip@5").find("fetch param of b0: reading "), 0u);
}

TEST_F(Offload, APlanWithNvmeNeedsAPath) {
  zrt_context *ctx = nullptr;
  zrt_create(&plan, &ctx);
  const ContextPtr owner(ctx);
  const zrt_setup setup = {};
  EXPECT_NE(zrt_start(ctx, &setup, nullptr), 0);
  EXPECT_STREQ(zrt_error_message(ctx), "the plan keeps 40,960 bytes (40.0 KiB) "
                                       "on nvme; say in which folders, with "
                                       "--nvme-path=DIR[,DIR...]");
}

//===----------------------------------------------------------------------===//
// The training binary
//===----------------------------------------------------------------------===//

TEST_F(Offload, TheLoopTrainsAndSavesIt) {
  const std::vector<std::string> args = {"--steps", "4", "--nvme-path", path,
                                         "--save"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = args;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(train(with({folder / "a"})), 0) << err;
  for (const char *part :
       {", 2 on the host\n", "nvme 40,960 bytes (40.0 KiB)", "final loss",
        "links     h2d 20,000 bytes (19.5 KiB), nvme_read 40,000 bytes (39.1 "
        "KiB), nvme_write "
        "40,000 bytes (39.1 KiB) in a step\n",
        "40,960 bytes (40.0 KiB) written to nvme in a step, "})
    EXPECT_HAS(out, part) << part << "\n" << out;
  EXPECT_HAS_NOT(out, "note ");
  ASSERT_EQ(train(with({folder / "b", "--verify-reads", "--profile",
                        "--nvme-endurance", "600"})),
            0)
      << err;
  EXPECT_EQ(readFile(folder / "a"), readFile(folder / "b"));
  for (const char *part :
       {"; drives that are rated for 600 TB last ", "between tiers:\n",
        "  nvme_write          6         120000 "})
    EXPECT_HAS(out, part) << part << "\n" << out;
  {
    const Chaos chaos(7);
    const Environment fault("ZRT_STORE_FAULT", "nouring");
    ASSERT_EQ(train(with({folder / "c"})), 0) << err;
    EXPECT_EQ(readFile(folder / "a"), readFile(folder / "c"));
    EXPECT_HAS(out, "note      nvme tier: no io_uring here");
  }
  ASSERT_EQ(train({"--steps", "0", "--nvme-path", path, "--init", folder / "a",
                   "--save", folder / "d"}),
            0)
      << err;
  EXPECT_EQ(readFile(folder / "a"), readFile(folder / "d"));
}

TEST_F(Offload, TheCertificateHasItsTiers) {
  ASSERT_EQ(train({"--certificate"}), 0);
  EXPECT_EQ(out, "memory certificate of test, bytes at the peak\n"
                 "ranks 1, stage 0, 1 micro-step\n"
                 "  activations                        20,000      19.5 KiB\n"
                 "  device arena                       32,768      32.0 KiB\n"
                 "  host arena                         81,924      80.0 KiB\n"
                 "  nvme parameters                    20,000      19.5 KiB\n"
                 "  nvme arena                         40,960      40.0 KiB\n"
                 "  h2d each step                      20,000      19.5 KiB\n"
                 "  nvme_read each step                40,000      39.1 KiB\n"
                 "  nvme_write each step               40,000      39.1 KiB\n");
}

TEST_F(Offload, TheLoopSaysWhatIsWrongWithThePath) {
  const auto refused = [&](const std::string &text, int status,
                           std::vector<std::string> more) {
    more.insert(more.begin(), {"--steps", "2"});
    EXPECT_EQ(train(more), status) << err;
    EXPECT_EQ(err.find("train: error: " + text), 0u) << err;
  };
  refused("--nvme-path is missing; this plan keeps 40,960 bytes (40.0 KiB) of "
          "each rank on "
          "nvme: name a folder on the drive, or several as A,B\n",
          2, {});
  refused("--nvme-path must be DIR[,DIR...], got \"/a,,/b\"\n", 2,
          {"--nvme-path", "/a,,/b"});
  refused("--nvme-endurance must be a number of terabytes above 0, got x\n", 2,
          {"--nvme-path", path, "--nvme-endurance", "x"});
  refused("--nvme-path: " + (folder / "none") + ": no such file or directory",
          1, {"--nvme-path", folder / "none"});
  const Environment fault("ZRT_STORE_FAULT", "enospc@4");
  EXPECT_EQ(train({"--steps", "2", "--nvme-path", path}), 1);
  EXPECT_HAS(err, "train: error: step 0: spill ");
  EXPECT_HAS(err, " of b0: writing ");
  plan = testPlan(Table());
  for (const char *option :
       {"--nvme-path=/tmp", "--nvme-endurance=1", "--verify-reads"})
    refused(std::string(option).substr(0, std::string(option).find('=')) +
                ": this plan keeps nothing on nvme; compile the model with "
                "--offload=nvme, or drop the option\n",
            2, {option});
}

} // namespace
