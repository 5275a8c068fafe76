//===- TraceTest.cpp - The output of ZRT_TRACE ----------------------------===//
#include "Collectives.h"
#include "TestFiles.h"

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace zrt;
using namespace zrt::test;
using nlohmann::json;

namespace {

const zrt_ref first = deviceRef(0, 8), second = deviceRef(64, 8),
              third = deviceRef(128, 8);
const zrt_launch_desc nothingDone = {
    "nothing.0", [](void *const *, int64_t, int64_t) {}, 1, 1, 0, 0, nullptr};

class TraceTest : public testing::Test {
protected:
  TestFolder folder;
  Environment traced{"ZRT_TRACE", folder / "t"};

  std::string path(int rank = 0) const {
    return folder / fmt::format("t.{}.jsonl", rank);
  }
  std::vector<json> lines(int rank = 0) const {
    std::vector<json> all;
    std::istringstream text(readFile(path(rank)));
    for (std::string line; std::getline(text, line);)
      all.push_back(json::parse(line));
    return all;
  }
  /// Returns the lines of `runs` runs of `step` on one rank.
  std::vector<json> trace(const Table &step, int runs = 1) const {
    const zrt_plan plan = testPlan(step);
    const ContextPtr ctx = create(plan);
    for (int run = 0; run < runs; ++run)
      EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
    return lines();
  }
  /// Returns "compute 1, h2d 1 after compute 1", without times.
  static std::string order(const std::vector<json> &lines) {
    std::string text;
    for (const json &line : lines) {
      text += text.empty() ? "" : ", ";
      text += fmt::format("{} {}", line["stream"].get<std::string>(),
                          line["number"].get<int>());
      for (const auto &[stream, count] : line["after"].items())
        text += fmt::format(" after {} {}", stream, count.get<int>());
    }
    return text;
  }
};

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

TEST_F(TraceTest, FollowsEventsOverSeveralStreams) {
  EXPECT_EQ(order(trace(Table()
                            .launch(ZRT_COMPUTE, nothingDone)
                            .record(ZRT_COMPUTE, 0)
                            .copy(ZRT_H2D, first, second)
                            .wait(ZRT_H2D, 0)
                            .copy(ZRT_H2D, first, second)
                            .record(ZRT_H2D, 1)
                            // It knows of compute only through h2d.
                            .wait(ZRT_HOST_STREAM, 1)
                            .copy(ZRT_HOST_STREAM, second, third))),
            "compute 1, h2d 1, h2d 2 after compute 1, "
            "host 1 after compute 1 after h2d 2");
}

TEST_F(TraceTest, AnEventKnowsNothingOfLaterWork) {
  EXPECT_EQ(order(trace(Table()
                            .launch(ZRT_COMPUTE, nothingDone)
                            .record(ZRT_COMPUTE, 0)
                            .launch(ZRT_COMPUTE, nothingDone)
                            .record(ZRT_COMPUTE, 1)
                            // Event 0 is waited for late, when both launches
                            // are over.
                            .wait(ZRT_D2H, 1)
                            .copy(ZRT_D2H, first, second)
                            .record(ZRT_D2H, 2)
                            .wait(ZRT_H2D, 0)
                            .copy(ZRT_H2D, first, third)
                            .wait(ZRT_H2D, 2)
                            .copy(ZRT_H2D, first, third))),
            "compute 1, compute 2, d2h 1 after compute 2, h2d 1 after "
            "compute 1, h2d 2 after compute 2 after d2h 1");
}

TEST_F(TraceTest, AWaitForgetsNothing) {
  EXPECT_EQ(order(trace(Table()
                            .record(ZRT_COMPUTE, 0)
                            .launch(ZRT_COMPUTE, nothingDone)
                            .record(ZRT_COMPUTE, 1)
                            .wait(ZRT_H2D, 1)
                            .wait(ZRT_H2D, 0) // of an earlier point
                            .copy(ZRT_H2D, first, second))),
            "compute 1, h2d 1 after compute 1");
}

TEST_F(TraceTest, EveryRunBeginsWithClearedClocks) {
  // In the second program, event 0 is recorded before any operation.
  zrt_plan plan = testPlan(Table()
                               .record(ZRT_COMPUTE, 0)
                               .wait(ZRT_H2D, 0)
                               .copy(ZRT_H2D, first, second));
  plan.programs[ZRT_MICRO] = Table()
                                 .launch(ZRT_COMPUTE, nothingDone)
                                 .record(ZRT_COMPUTE, 0)
                                 .wait(ZRT_H2D, 0)
                                 .copy(ZRT_H2D, first, second)
                                 .program();
  const ContextPtr ctx = create(plan);
  for (const uint32_t program : {ZRT_MICRO, ZRT_STEP})
    ASSERT_EQ(zrt_run(ctx.get(), program), 0);
  const std::vector<json> found = lines();
  EXPECT_EQ(order(found), "compute 1, h2d 1 after compute 1, h2d 1");
  EXPECT_EQ(found[1]["run"], 1);
  EXPECT_EQ(found[2]["run"], 2);
  EXPECT_GE(found[2]["begin"], found[1]["end"]);
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

Table threeStreams() {
  Table table;
  for (int i = 0; i < 4; ++i)
    table.launch(ZRT_COMPUTE, nothingDone)
        .copy(ZRT_H2D, first, second)
        .copy(ZRT_HOST_STREAM, first, third);
  return table;
}

TEST_F(TraceTest, ComesInProgramOrderWithTimes) {
  const Chaos chaos(1);
  const std::vector<json> lines = trace(threeStreams(), 3);
  ASSERT_EQ(lines.size(), 36u);
  std::map<std::string, int64_t> ends;
  for (size_t i = 0; i < lines.size(); ++i) {
    const json &line = lines[i];
    EXPECT_EQ(line["program"], "step");
    EXPECT_EQ(line["run"], i / 12 + 1);
    EXPECT_EQ(line["stream"], (std::vector{"compute", "h2d", "host"})[i % 3]);
    EXPECT_EQ(line["number"], i % 12 / 3 + 1);
    EXPECT_EQ(line["name"], i % 3 ? "copy" : "nothing.0");
    EXPECT_EQ(line.size(), 8u) << line;
    EXPECT_LE(line["begin"], line["end"]);
    int64_t &end = ends[line["stream"]];
    EXPECT_LE(end, line["begin"]);
    end = line["end"];
  }
}

TEST_F(TraceTest, NamesPrograms) {
  zrt_plan plan = testPlan(threeStreams());
  plan.programs[ZRT_COUNT] = plan.programs[ZRT_MICRO] = plan.programs[ZRT_STEP];
  const ContextPtr ctx = create(plan);
  for (const uint32_t program : {ZRT_COUNT, ZRT_MICRO, ZRT_STEP})
    ASSERT_EQ(zrt_run(ctx.get(), program), 0);
  EXPECT_EQ(lines()[0]["program"], "count");
  EXPECT_EQ(lines()[12]["program"], "micro");
  EXPECT_EQ(lines()[24]["program"], "step");
}

TEST_F(TraceTest, HasWhatRanBeforeAFailure) {
  const zrt_launch_desc broken = {"broken.0",
                                  [](void *const *, int64_t, int64_t) { fail("broken kernel"); },
                                  1,
                                  1,
                                  0,
                                  0,
                                  nullptr};
  const zrt_plan plan = testPlan(Table()
                                     .launch(ZRT_COMPUTE, nothingDone)
                                     .launch(ZRT_COMPUTE, broken)
                                     .launch(ZRT_COMPUTE, nothingDone));
  const ContextPtr ctx = create(plan);
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_STREQ(zrt_error_message(ctx.get()), "broken kernel");
  EXPECT_EQ(order(lines()), "compute 1");
}

TEST_F(TraceTest, KeepsAnyName) {
  zrt_launch_desc odd = nothingDone;
  odd.name = "say \"\xff\\\"\n";
  EXPECT_EQ(trace(Table().launch(ZRT_COMPUTE, odd))[0]["name"],
            "say \"\xef\xbf\xbd\\\"\n");
  odd.name = nullptr;
  EXPECT_EQ(trace(Table().launch(ZRT_COMPUTE, odd))[0]["name"], "unnamed");
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// Gathers the slices of one bucket, sums those of another, and sums a scalar.
Table collectives() {
  return Table()
      .collective(ZRT_GATHER, {"all_gather of b0", ZRT_ALL_GATHER, 0, 300, 1.0,
                               0, sliceOfWhole(exportedRef(0, 1200)),
                               whole(exportedRef(4096, 1200)), ZRT_OVER_ALL, 0})
      .collective(ZRT_REDUCE,
                  {"reduce_scatter of b1", ZRT_REDUCE_SCATTER, 0, 300, 1.0, 0,
                   whole(exportedRef(8192, 1200)),
                   sliceOfWhole(exportedRef(12288, 1200)), ZRT_OVER_ALL, 0})
      .collective(ZRT_REDUCE, {"all_reduce of norm", ZRT_ALL_REDUCE, 0, 1, 1.0,
                               0, scalar(deviceRef(0, 4)),
                               scalar(deviceRef(64, 4)), ZRT_OVER_ALL, 0});
}

TEST_F(TraceTest, OfCollectivesSaysWhenRanksMet) {
  for (const int ranks : {1, 2, 3})
    for (const int seed : {1, 2, 3}) {
      const Chaos chaos(seed);
      const zrt_plan plan = ranksPlan(ranks, collectives());
      runRanks(ranks, [&](World &world) {
        const ContextPtr ctx = create(plan, world);
        ASSERT_TRUE(isGood(ctx));
        for (int run = 0; run < 4; ++run)
          ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
              << zrt_error_message(ctx.get());
      });
      std::vector<std::vector<json>> all;
      for (int rank = 0; rank < ranks; ++rank)
        all.push_back(lines(rank));
      for (size_t i = 0; i < 12; ++i)
        for (const auto &mine : all) {
          ASSERT_EQ(mine.size(), 12u);
          const json &line = mine[i];
          EXPECT_EQ(line["kind"], (std::vector{"all_gather", "reduce_scatter",
                                               "all_reduce"})[i % 3]);
          // Two per run on `reduce`, one on `gather`.
          EXPECT_EQ(line["collective"],
                    i % 3 == 0 ? i / 3 + 1 : i / 3 * 2 + i % 3);
          EXPECT_LE(line["begin"], line["arrived"]);
          EXPECT_LE(line["arrived"], line["read"]);
          EXPECT_LE(line["read"], line["end"]);
          for (const auto &peers : all) {
            EXPECT_GE(line["read"], peers[i]["arrived"]);
            if (i % 3 != 2) {
              EXPECT_GE(line["end"], peers[i]["read"]);
            }
          }
        }
    }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_F(TraceTest, ThatCannotBeCreatedIsAnError) {
  const zrt_plan plan = testPlan(threeStreams());
  const Environment elsewhere("ZRT_TRACE", folder / "no/such");
  const ContextPtr ctx = zrt::create(plan);
  EXPECT_EQ(zrt_error_message(ctx.get()),
            "trace: cannot write " + folder / "no/such" +
                ".0.jsonl: no such file or directory; choose a folder that "
                "exists and is writable");
}

TEST_F(TraceTest, ThatOneRankCannotCreateFailsAll) {
  std::filesystem::create_directory(path(1));
  const zrt_plan plan = ranksPlan(2, collectives());
  runRanks(2, [&](World &world) {
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    const std::string message = zrt_error_message(ctx.get());
    EXPECT_HAS(message, "it is a folder");
  });
}

TEST_F(TraceTest, OnAFullDiskEndsTheRun) {
  std::filesystem::create_symlink("/dev/full", path());
  const zrt_plan plan = testPlan(threeStreams());
  const ContextPtr ctx = create(plan);
  ASSERT_TRUE(isGood(ctx));
  EXPECT_NE(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(zrt_error_message(ctx.get()), "cannot write trace of run 1 to " +
                                              path() +
                                              ": no space left on device");
}

TEST_F(TraceTest, IsOffWithoutAPrefix) {
  const Environment none("ZRT_TRACE", "");
  const zrt_plan plan = testPlan(threeStreams());
  const ContextPtr ctx = create(plan);
  EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0);
  EXPECT_EQ(folder.fileCount(), 0u);
}

} // namespace
