//===- TiersTest.cpp - Copies between tiers, and work on the host ---------===//
#include "runtime/core/PlanChecks.h"
#include "runtime/device/cpu/Team.h"

#include "TestFiles.h"
#include "TestPlan.h"

#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

using namespace zrt;

namespace {

zrt_ref hostTier(uint64_t offset, uint64_t bytes) {
  return {ZRT_HOST, 0, offset, bytes};
}
zrt_ref nvmeTier(uint64_t offset, uint64_t bytes) {
  return {ZRT_NVME, 0, offset, bytes};
}

zrt_plan planOfTiers(const Table &step) {
  zrt_plan plan = testPlan(step);
  plan.arena_bytes[ZRT_HOST] = plan.arena_bytes[ZRT_NVME] = 1 << 16;
  return plan;
}

std::string tierRefusal(const Table &step) {
  const zrt_plan plan = planOfTiers(step);
  const std::string message = errorOf([&] { checkTables(plan); });
  const std::string place = "program step, operation 0, ";
  EXPECT_EQ(message.substr(0, message.empty() ? 0 : place.size()),
            message.empty() ? "" : place);
  return message.empty() ? "" : message.substr(place.size());
}
std::string copyRefusal(zrt_stream stream, const zrt_ref &from,
                        const zrt_ref &to) {
  return tierRefusal(Table().copy(stream, from, to));
}

void noWork(void *const *, int64_t, int64_t) {}

TEST(Tiers, CopiesRunOnTheStreamOfTheirLink) {
  const zrt_ref device = deviceRef(0, 100), host = hostTier(0, 100),
                nvme = nvmeTier(4096, 100);
  EXPECT_EQ(copyRefusal(ZRT_H2D, host, device), "");
  EXPECT_EQ(copyRefusal(ZRT_D2H, device, host), "");
  EXPECT_EQ(copyRefusal(ZRT_NVME_READ, nvme, host), "");
  EXPECT_EQ(copyRefusal(ZRT_NVME_WRITE, host, nvme), "");
  EXPECT_EQ(copyRefusal(ZRT_HOST_STREAM, host, hostTier(200, 100)), "");
  EXPECT_EQ(copyRefusal(ZRT_D2H, host, device),
            "copy: a copy from host to device runs on a stream of class h2d, "
            "not of d2h");
  EXPECT_EQ(copyRefusal(ZRT_COMPUTE, device, host),
            "copy: a copy from device to host runs on a stream of class d2h, "
            "not of compute");
  EXPECT_EQ(copyRefusal(ZRT_NVME_READ, host, nvme),
            "copy: a copy from host to nvme runs on a stream of class "
            "nvme_write, not of nvme_read");
  EXPECT_EQ(copyRefusal(ZRT_NVME_READ, nvme, device),
            "copy: no copy goes from nvme to device; go by the host");
  EXPECT_EQ(copyRefusal(ZRT_NVME_WRITE, device, nvme),
            "copy: no copy goes from device to nvme; go by the host");
  EXPECT_EQ(copyRefusal(ZRT_NVME_WRITE, nvme, nvmeTier(8192, 100)),
            "copy: no copy goes from nvme to nvme; go by the host");
}

TEST(Tiers, CopiesToAndFromNvmeBeginWithABlock) {
  EXPECT_EQ(
      copyRefusal(ZRT_NVME_READ, nvmeTier(512, 100), hostTier(0, 100)),
      "copy: source: offset 512 of nvme is not a multiple of 4096, as nvme "
      "needs it");
  EXPECT_EQ(
      copyRefusal(ZRT_NVME_READ, nvmeTier(0, 100), hostTier(64, 100)),
      "copy: result: offset 64 of host is not a multiple of 4096, as nvme "
      "needs it");
}

TEST(Tiers, ASliceOfAWholeIsCopiedFromAndToASlice) {
  const auto refusalOf = [](uint32_t from, uint32_t to, uint64_t bytes) {
    const zrt_copy_desc desc = {"copy",
                                {hostTier(0, 64), ZRT_I8, from},
                                {deviceRef(0, bytes), ZRT_I8, to}};
    zrt_plan plan = planOfTiers(Table().add(ZRT_COPY, ZRT_H2D, &desc));
    plan.world_size = 2;
    return errorOf([&] { checkTables(plan); });
  };
  EXPECT_EQ(refusalOf(ZRT_SLICE, ZRT_SLICE_OF_WHOLE, 128), "");
  EXPECT_EQ(refusalOf(ZRT_SLICE, ZRT_SLICE_OF_WHOLE, 64),
            "program step, operation 0, copy: a copy of 64 bytes goes to a "
            "range of 32 bytes");
  EXPECT_EQ(refusalOf(ZRT_MEMBERS, ZRT_SLICE_OF_WHOLE, 128),
            "program step, operation 0, copy: a copy of a slice of whole has a "
            "slice on its other side, got members");
}

TEST(Tiers, OnlyCopiesReachNvme) {
  EXPECT_EQ(tierRefusal(Table().launch(ZRT_COMPUTE, "it", noWork, 1, 1,
                                       {tensor(hostTier(0, 64))})),
            "");
  EXPECT_EQ(tierRefusal(Table().launch(ZRT_COMPUTE, "it", noWork, 1, 1,
                                       {tensor(nvmeTier(0, 64))})),
            "it: operand 0: it lies on nvme, and a launch works in memory; "
            "copy it to the host before");
}

//===----------------------------------------------------------------------===//
// The stream of the host
//===----------------------------------------------------------------------===//

std::set<std::thread::id> threads;
std::mutex threadsMutex;
void writeThread(void *const *, int64_t, int64_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::lock_guard<std::mutex> lock(threadsMutex);
  threads.insert(std::this_thread::get_id());
}

size_t threadsOf(zrt_stream stream, const zrt_setup &setup) {
  threads.clear();
  zrt_plan plan = testPlan(Table().launch(stream, "it", writeThread, 8, 1, {}));
  zrt_context *made = nullptr;
  zrt_create(&plan, &made);
  const ContextPtr ctx(made);
  EXPECT_EQ(zrt_start(made, &setup, nullptr), 0);
  EXPECT_EQ(zrt_run(made, ZRT_STEP), 0);
  EXPECT_EQ(zrt_host_threads(made),
            setup.host_threads ? setup.host_threads : setup.threads);
  return threads.size();
}

TEST(HostStream, HasATeamOfItsOwn) {
  EXPECT_EQ(threadsOf(ZRT_HOST_STREAM, {2, 0, nullptr, 0, 0}), 2u);
  EXPECT_EQ(threadsOf(ZRT_HOST_STREAM, {1, 3, nullptr, 0, 0}), 3u);
  EXPECT_EQ(threadsOf(ZRT_COMPUTE, {1, 3, nullptr, 0, 0}), 1u);
  EXPECT_EQ(threadsOf(ZRT_H2D, {2, 3, nullptr, 0, 0}), 1u);
}

double processorSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

TEST(HostStream, SleepsWhileItHasNothingToDo) {
  Team team(2, {}, /*watchful=*/false);
  const double before = processorSeconds();
  // A team that spins would be awake for the whole time.
  for (int i = 0; i < 100; ++i) {
    team.parallelFor(2, [](int64_t, int64_t) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(processorSeconds() - before, 0.06);
}

//===----------------------------------------------------------------------===//
// The ledger
//===----------------------------------------------------------------------===//

TEST(TrafficLedger, CountsWhatGoesFromTierToTier) {
  zrt_plan plan =
      testPlan(Table()
                   .copy(ZRT_D2H, deviceRef(0, 100), hostTier(0, 100))
                   .copy(ZRT_H2D, hostTier(128, 60), deviceRef(256, 60))
                   .copy(ZRT_H2D, hostTier(192, 7), deviceRef(320, 7))
                   .copy(ZRT_COMPUTE, deviceRef(0, 50), deviceRef(128, 50)));
  plan.arena_bytes[ZRT_HOST] = 4096;
  const ContextPtr ctx = create(plan);
  TrafficLedger &traffic = ctx->run->traffic;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(traffic.bytes(ZRT_D2H), 300u);
  EXPECT_EQ(traffic.bytes(ZRT_H2D), 201u);
  EXPECT_EQ(traffic.bytes(ZRT_NVME_READ), 0u);
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED), "");
  const std::string table = zrt_report(ctx.get(), ZRT_TRAFFIC);
  EXPECT_HAS(table, "h2d                 6            201");
  traffic.row(ZRT_STEP, 1).bytes -= 1;
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED),
               "copy moved 179 bytes in 3 calls, but the plan says 60 bytes a "
               "call");
  zrt_profile(ctx.get());
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_TRAFFIC), "");
  EXPECT_STREQ(zrt_report(ctx.get(), ZRT_UNPREDICTED), "");
}

} // namespace
