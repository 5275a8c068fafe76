//===- CheckpointTest.cpp - Contents and checks of checkpoints ------------===//
#include "runtime/hash/ContentHash.h"
#include "train/report/Metrics.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/Manifest.h"
#include "train/state/checkpoint/Reader.h"
#include "train/state/checkpoint/Writer.h"

#include "Saved.h"
#include "Slices.h"
#include "TestFiles.h"
#include "ThreadWorld.h"

#include <array>
#include <filesystem>
#include <set>

using namespace zrt;
using namespace zrt::test;
namespace fs = std::filesystem;

namespace {

//===----------------------------------------------------------------------===//
// Assignment of writers
//===----------------------------------------------------------------------===//

TEST(ShareState, GivesEveryElementToOneRank) {
  for (Slices &s : layouts()) {
    const State state = findState(s.plan, 0);
    const auto shares = shareState(state, int(s.ranks));
    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> seen;
    uint64_t elements = 0;
    for (const auto &share : shares)
      for (const StateRange &range : share)
        for (uint64_t i = 0; i < range.count; ++i, ++elements)
          EXPECT_TRUE(
              seen.insert({range.slot, range.parameter, range.first + i})
                  .second);
    EXPECT_EQ(elements, 71u) << s.ranks << " ranks";
  }
}

TEST(ShareState, SplitsWhatAllHoldEvenly) {
  Slices s(3);
  s.bucket(ZRT_WHOLE).member("w", {3000}, 0, 3000).member("x", {30}, 0, 30);
  s.finish();
  for (const auto &share : shareState(findState(s.plan, 1), 3)) {
    uint64_t bytes = 0;
    for (const StateRange &range : share) {
      EXPECT_NE(range.at.bytes, 0u); // every rank holds it
      bytes += range.bytes();
    }
    EXPECT_EQ(bytes, 4040u);
  }
}

TEST(ShareState, IsTheSameOnAllRanks) {
  for (Slices &s : layouts()) {
    const auto first = shareState(findState(s.plan, 0), int(s.ranks));
    for (int rank = 0; rank < int(s.ranks); ++rank) {
      const auto shares = shareState(findState(s.plan, rank), int(s.ranks));
      for (size_t r = 0; r < shares.size(); ++r) {
        ASSERT_EQ(shares[r].size(), first[r].size());
        for (size_t i = 0; i < shares[r].size(); ++i) {
          EXPECT_EQ(shares[r][i].first, first[r][i].first);
          EXPECT_EQ(shares[r][i].count, first[r][i].count);
        }
      }
      for (const StateRange &range : shares[size_t(rank)])
        EXPECT_EQ(range.at.bytes, range.bytes()); // this rank holds it
    }
  }
}

TEST(FindState, LeavesOutSumsOfGradients) {
  Slices s(1);
  s.bucket(ZRT_WHOLE).member("w", {8}, 0, 8);
  zrt_state grad = s.states[0], m = s.states[0];
  grad.slot = "grad";
  m.slot = "m";
  s.states.insert(s.states.begin(), {grad, m});
  s.finish();
  s.plan.states = s.states.data();
  s.plan.state_count = 3;
  const auto names = [&](bool left) {
    std::string text;
    for (const Slot &slot : findState(s.plan, 0, left).slots)
      text += slot.name + " ";
    return text;
  };
  EXPECT_EQ(names(false), "param m ");
  EXPECT_EQ(names(true), "param grad m ");
}

//===----------------------------------------------------------------------===//
// Manifests
//===----------------------------------------------------------------------===//

Manifest example() {
  Manifest manifest;
  RunPosition &run = manifest.run;
  run.step = 7;
  run.skipped = 2;
  run.skippedInRow = 1;
  run.sequences = 56;
  run.skippedSequences = 16;
  run.begunWith = 8;
  run.function = R"({"rope_theta":"10000.0","text":"0123"})";
  run.shuffles = true;
  run.seed = UINT64_MAX;
  run.weights = {7, 3};
  run.dataBytes = 100;
  run.dataHash = 0xfedcba9876543210;
  run.lossScale = {32768, true, 1, 12};
  run.pending = {6, 4, 0.1f, 0.3f, 2.0f, UINT64_MAX - 1};
  run.options = {{"--lr", "0.1"}, {"model", "a \"name\"\n"}};
  manifest.worldSize = 2;
  manifest.parameters = {{"scalar", {}}, {"w \\ \"x\"", {2, 4}}};
  manifest.files = {{"rank-0", 4096 + 20, 4096, 1, {2}},
                    {"rank-1", 4096 + 16, 4096, 3, {UINT64_MAX}}};
  manifest.tensors = {{"param", "scalar", 0, 1, ZRT_F32, 0},
                      {"param", "w \\ \"x\"", 0, 4, ZRT_F32, 0},
                      {"param", "w \\ \"x\"", 4, 4, ZRT_F32, 1}};
  return manifest;
}

/// Replaces `from` in the manifest's text, and recomputes the hash at its end.
std::string lying(const std::string &from, const std::string &to,
                  const Manifest &manifest = example()) {
  std::string text = manifestText(manifest);
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const size_t end = text.rfind("\"checksum\"");
  text.resize(end);
  return text + fmt::format("\"checksum\":\"{:016x}\"}}\n",
                            contentHash(reinterpret_cast<const std::byte *>(
                                            text.data()),
                                        text.size()));
}

TEST(Manifest, KeepsAll) {
  const std::string text = manifestText(example());
  const Manifest read = parseManifest(text);
  EXPECT_EQ(manifestText(read), text);
  EXPECT_EQ(read.run.seed, UINT64_MAX);
  EXPECT_EQ(read.run.weights, (std::vector<uint64_t>{7, 3}));
  EXPECT_EQ(read.run.lossScale->value, 32768);
  EXPECT_EQ(read.run.pending->lr, 0.1f);
  EXPECT_EQ(read.run.pending->rounding, UINT64_MAX - 1);
  EXPECT_EQ(read.files[1].blocks[0], UINT64_MAX);
  EXPECT_EQ(read.tensors[2].parameter, "w \\ \"x\"");
}

/// The steps of an older one have one size.
TEST(Manifest, OfAnOlderBuildCountsSamples) {
  const RunPosition run =
      parseManifest(lying("\"skipped_sequences\":16,\n\"begun_with\":8,\n", ""))
          .run;
  EXPECT_EQ(run.skippedSequences, 16u);
  EXPECT_EQ(run.begunWith, 8u);
}

TEST(Manifest, KeepsNumbersThatAreNotFinite) {
  constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
  constexpr double kTooLarge = std::numeric_limits<double>::infinity();
  Manifest manifest = example();
  manifest.run.pending->clip = kNoNumber;
  manifest.run.guard = {{1.5, kTooLarge}, {-kTooLarge, 2}, 1};
  const Manifest read = parseManifest(manifestText(manifest));
  EXPECT_TRUE(std::isnan(read.run.pending->clip));
  EXPECT_EQ(read.run.guard->losses, manifest.run.guard->losses);
  EXPECT_EQ(read.run.guard->norms, manifest.run.guard->norms);
  EXPECT_ERROR(
      "7 is no number",
      parseManifest(lying("\"clip\":\"nan\"", "\"clip\":\"7\"", manifest)));
  EXPECT_ERROR(
      "none is no number",
      parseManifest(lying("\"clip\":\"nan\"", "\"clip\":\"none\"", manifest)));
  EXPECT_ERROR(
      "its guard has 1 losses and 2 norms",
      parseManifest(lying("\"losses\":[1.5,", "\"losses\":[", manifest)));
}

TEST(Manifest, ThatItsReaderRefusesIsNotWritten) {
  Manifest manifest = example();
  manifest.run.skipped = 8; // of 7 steps
  EXPECT_ERROR("of which 8 were skipped", manifestText(manifest));
  manifest = example();
  manifest.run.function = R"({"z":"in another order","a":""})";
  EXPECT_ERROR("what this run would write of itself reads as another run",
               manifestText(manifest));
}

TEST(Manifest, IsNotBelievedWhereOneByteIsAnother) {
  const std::string text = manifestText(example());
  for (size_t at = 0; at + 2 < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = char(damaged[at] ^ 1);
    EXPECT_NE(errorOf([&] { parseManifest(damaged); }), "") << at;
    EXPECT_NE(errorOf([&] { parseManifest(text.substr(0, at)); }), "") << at;
  }
}

TEST(Manifest, ThatContradictsItselfIsRefused) {
  parseManifest(lying("\"step\":7", "\"step\":8"));
  const std::string range = R"("first":4,"end":8)",
                    parameter = R"({"name":"w \\ \"x\"","shape":[2,4]})";
  for (const auto &[from, to, error] : std::vector<std::array<std::string, 3>>{
           {R"("step":7)", R"("step":1)",
            "it has 1 steps, of which 2 were skipped"},
           {R"("skipped_sequences":16)", R"("skipped_sequences":57)",
            "it has 56 samples, of which 57 were of skipped steps"},
           {range, R"("first":5,"end":8)", "element 4 of 8 is missing"},
           {range, R"("first":4,"end":7)", "element 7 of 8 is missing"},
           {range, R"("first":0,"end":4)", "is missing, or there twice"},
           {range, R"("first":8,"end":4)", "has elements 8 to 4"},
           {R"("file":1)", R"("file":2)", "is in no file"},
           {R"("dtype":"F32")", R"("dtype":"I8")", "of type I8"},
           {"rank-1", "../x", "no name of a file in it"},
           {R"("ffffffffffffffff")", R"("1","2")",
            "has 4,112 bytes (4.0 KiB) and 2 hashes"},
           {R"("block_bytes":)", R"("block_bytes":1)", "its blocks have 1"},
           {R"("fedcba9876543210")", R"("fedcba987654321x")",
            "fedcba987654321x is no number"},
           {R"("fedcba9876543210")", R"("")", " is no number"},
           {R"("fedcba9876543210")", R"("1fedcba9876543210")",
            "1fedcba9876543210 is no number"},
           {R"("shape":[2,4])", R"("shape":[2,-4])", "has no shape"},
           {",\n" + parameter, "", "is of no parameter"},
           {R"("step":7)", R"("step":"seven")", "it is damaged"},
           {"\"step\":7,\n", "", "it is damaged"},
           {R"("version":1)", R"("version":3)", "it has version 3"},
           {"zeroc checkpoint", "zeroc check", "its format is zeroc check"}})
    EXPECT_ERROR(error, parseManifest(lying(from, to)));
}

TEST(Manifest, ThatLiesAboutItsBaseIsRefused) {
  EXPECT_HAS(manifestText(example()), "\"version\":1,");
  Manifest manifest = example();
  manifest.parameters.push_back(
      {"x", {3}, true, ZRT_UNPACKED, "a.x", ZRT_BF16});
  manifest.base = {"/a \"model\"", {{".x", 9 << 20, 0, 0, {7, 8, UINT64_MAX}}}};
  const std::string text = manifestText(manifest);
  EXPECT_HAS(text, "\"version\":2,"); // older programs do not know it
  const Manifest read = parseManifest(text);
  EXPECT_EQ(manifestText(read), text);
  EXPECT_EQ(read.base->path, manifest.base->path);
  EXPECT_EQ(read.base->files[0].blocks, manifest.base->files[0].blocks);
  EXPECT_EQ(read.parameters.back().tensor, "a.x");
  EXPECT_EQ(read.parameters.back().dtype, zrt_dtype(ZRT_BF16));
  for (const auto &[from, to, error] : std::vector<std::array<std::string, 3>>{
           {"\"base\":", "\"face\":", "and there is no base"},
           {",\"frozen\":true", "",
            "is tensor a.x of a base, and it was trained"},
           {"\"BF16\"", "\"BF17\"", "is tensor a.x of a base, and has no type"},
           {",\"tensor\":\"a.x\"", "", "element 0 of 3 is missing"},
           {"\"parameter\":\"scalar\"", "\"parameter\":\"x\"",
            "element 0 of 1 is missing"},
           {"9437184", "19437184", "and 3 hashes"},
           {"\"path\"", "\"math\"", "it is damaged"}})
    EXPECT_ERROR(error, parseManifest(lying(from, to, manifest)));
}

TEST(Manifest, ThatLiesAboutPackedParametersIsRefused) {
  // 100 elements of nf4 need two blocks and a group: 74 bytes.
  Manifest manifest = example();
  manifest.parameters.push_back({"x", {4, 25}, true, ZRT_NF4});
  manifest.tensors.push_back({"param", "x", 0, 33, ZRT_I8, 0});
  manifest.tensors.push_back({"param", "x", 33, 41, ZRT_I8, 1});
  const Manifest read = parseManifest(manifestText(manifest));
  EXPECT_EQ(manifestText(read), manifestText(manifest));
  EXPECT_EQ(read.parameters.back().packing, uint32_t(ZRT_NF4));
  EXPECT_ERROR("param of parameter x: element 73 of 74 is missing",
               parseManifest(lying("\"first\":33,\"end\":74",
                                   "\"first\":33,\"end\":73", manifest)));
  EXPECT_ERROR("param of parameter x: element 74 of 136 is missing",
               parseManifest(lying("\"nf4\"", "\"int8\"", manifest)));
  EXPECT_ERROR("is packed as fp4, which this program does not know",
               parseManifest(lying("\"nf4\"", "\"fp4\"", manifest)));
  EXPECT_ERROR("param of parameter x, which is packed as nothing, has elements "
               "of type I8",
               parseManifest(lying(",\"packing\":\"nf4\"", "", manifest)));
  EXPECT_ERROR("which is packed as nf4, has elements of type F32",
               parseManifest(lying("\"I8\"", "\"F32\"", manifest)));
}

//===----------------------------------------------------------------------===//
// From layout to layout
//===----------------------------------------------------------------------===//

TEST(Checkpoint, GoesFromEveryLayoutIntoEveryOther) {
  const TestFolder folder;
  int64_t step = 0;
  for (Slices &from : layouts()) {
    for (uint32_t rank = 0; rank < from.ranks; ++rank)
      from.memory[rank] = from.expected(int(rank), valueOf);
    saveAll(from, folder / "ck", ++step);
    const CheckpointReader reader(checkpointPath(folder / "ck", step));
    EXPECT_EQ(reader.manifest().worldSize, from.ranks);
    for (Slices &to : layouts())
      for (int rank = 0; rank < int(to.ranks); ++rank) {
        const State state = findState(to.plan, rank);
        reader.checkFits(state);
        reader.verify(rank, int(to.ranks), 1);
        reader.load(state, to.memoryOf(rank));
        auto expected = to.expected(rank, valueOf);
        // Padding is unchanged.
        for (size_t i = 0; i < expected.size(); ++i)
          if (to.memory[size_t(rank)][i] != kUntouched)
            ASSERT_EQ(to.memory[size_t(rank)][i], expected[i]);
          else
            ASSERT_EQ(expected[i], kUntouched);
      }
  }
}

TEST(Checkpoint, NamesTheBytesThatAreDamaged) {
  const TestFolder folder;
  Slices s = split(2, ZRT_SLICE, ZRT_SLICE);
  for (uint32_t rank = 0; rank < 2; ++rank)
    s.memory[rank] = s.expected(int(rank), valueOf);
  saveAll(s, folder / "ck", 1);
  saveAll(s, folder / "ck", 2);
  const std::string path = folder / "ck/step-2/rank-00001.safetensors";
  const std::string bytes = readFile(path);
  const auto open = [&] {
    CheckpointReader(folder / "ck/step-2").verify(0, 1, 2);
  };
  for (size_t at = 0; at < bytes.size(); at += at < 64 || at >= 4096 ? 1 : 61) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ 4);
    folder.write("ck/step-2/rank-00001.safetensors", damaged);
    EXPECT_ERROR(at < 4096 ? "its header, bytes 0 to 4096" : "param/bias[0:5]",
                 open());
  }
  folder.write("ck/step-2/rank-00001.safetensors", bytes);
  open();
  EXPECT_EQ(intactBefore(folder / "ck/step-2"), folder / "ck/step-1");
  EXPECT_EQ(intactBefore(folder / "ck/step-2/"), folder / "ck/step-1");
  EXPECT_EQ(intactBefore(folder / "ck/step-1"), "");
  EXPECT_EQ(findCheckpoint(folder / "ck"), folder / "ck/step-2");
  EXPECT_EQ(findCheckpoint(folder / "ck/step-1"), folder / "ck/step-1");
}

TEST(Checkpoint, WhoseManifestIsOfOtherFilesIsRefused) {
  const TestFolder folder;
  Slices s = split(2, ZRT_SLICE, ZRT_SLICE);
  saveAll(s, folder / "ck", 1);
  Manifest manifest =
      parseManifest(readFile(folder / "ck/step-1/manifest.json"));
  for (TensorRecord &tensor : manifest.tensors)
    tensor.dtype = ZRT_BF16;
  folder.write("ck/step-1/manifest.json", manifestText(manifest));
  EXPECT_ERROR("of BF16 as the manifest says",
               CheckpointReader(folder / "ck/step-1"));
}

TEST(CheckpointFaults, AreRead) {
  const auto read = [](const char *text, int rank) {
    setenv("ZRT_CHECKPOINT_FAULT", text, 1);
    return CheckpointFaults(rank);
  };
  for (const char *bad : {"kill", "kill@", "fire@copy", "eio@never",
                          "eio@copy#x", "eio@copy:x", "@copy"})
    EXPECT_ERROR(fmt::format("ZRT_CHECKPOINT_FAULT={} is no "
                             "KIND@POINT[#N][:RANK]",
                             bad),
                 read(bad, 0));
  CheckpointFaults mine = read("eio@sync#2:1", 1),
                   others = read("eio@sync#2:1", 0);
  EXPECT_EQ(mine.reach("sync"), 0);
  EXPECT_EQ(mine.reach("copy"), 0);
  EXPECT_EQ(mine.reach("sync"), EIO);
  EXPECT_EQ(mine.reach("sync"), 0);
  EXPECT_EQ(others.reach("sync") + others.reach("sync"), 0);
  unsetenv("ZRT_CHECKPOINT_FAULT");
}

TEST(Checkpoint, IsGivenUpByAllRanksTogether) {
  const TestFolder folder;
  Slices s = split(3, ZRT_SLICE, ZRT_SLICE);
  setenv("ZRT_CHECKPOINT_FAULT", "eio@block:2", 1);
  runRanks(3, [&](World &world) {
    std::unique_ptr<CheckpointFolder> mine;
    if (world.rank() == 0)
      mine = std::make_unique<CheckpointFolder>(folder / "ck");
    const State state = findState(s.plan, world.rank());
    CheckpointWriter writer(world, state, {}, mine.get());
    for (const int64_t step : {1, 2}) {
      RunPosition run;
      run.step = step;
      writer.save(run, s.memoryOf(world.rank()));
      writer.finish();
      const std::string failure = writer.takeFailure().value_or("");
      if (step == 1)
        EXPECT_EQ(
            failure.rfind("checkpoint of step 1: rank 2: cannot write", 0), 0u)
            << failure;
      else
        EXPECT_EQ(failure, "");
    }
  });
  unsetenv("ZRT_CHECKPOINT_FAULT");
  EXPECT_EQ(checkpointSteps(folder / "ck"), std::vector<int64_t>{2});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "ck"), {}), 2);
}

/// Returns true once the last file of a checkpoint in the folder is begun.
bool isEnding(const std::string &folder) {
  for (const auto &entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "manifest.json"))
      return true;
  return false;
}

TEST(Checkpoint, IsCompletedThoughTheRunEndsMeanwhile) {
  const TestFolder folder;
  Slices s = split(1, ZRT_WHOLE, ZRT_WHOLE);
  setenv("ZRT_CHECKPOINT_FAULT", "slow@manifest", 1);
  runRanks(1, [&](World &world) {
    CheckpointFolder mine(folder / "ck");
    const State state = findState(s.plan, 0);
    CheckpointWriter writer(world, state, {}, &mine);
    RunPosition run;
    run.step = 1;
    writer.save(run, s.memoryOf(0));
    while (!isEnding(folder / "ck"))
      writer.look();
  });
  unsetenv("ZRT_CHECKPOINT_FAULT");
  CheckpointReader(folder / "ck/step-1").verify(0, 1, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "ck"), {}), 2);
}

TEST(Checkpoint, IsGivenUpWhereItsFolderIsGone) {
  const TestFolder folder;
  Slices s = split(2, ZRT_SLICE, ZRT_SLICE);
  runRanks(2, [&](World &world) {
    std::unique_ptr<CheckpointFolder> mine;
    if (world.rank() == 0) {
      mine = std::make_unique<CheckpointFolder>(folder / "ck");
      fs::remove_all(folder / "ck");
    }
    const State state = findState(s.plan, world.rank());
    CheckpointWriter writer(world, state, {}, mine.get());
    RunPosition run;
    run.step = 3;
    writer.save(run, s.memoryOf(world.rank()));
    writer.finish();
    const std::string why = "cannot write checkpoints to " + (folder / "ck") +
                            ": no such file or directory";
    EXPECT_EQ(writer.takeFailure().value_or(""),
              world.rank() == 0
                  ? "checkpoint of step 3: " + why
                  : "checkpoint of step 3: rank 0 failed: " + why);
    EXPECT_EQ(writer.written(), 0);
  });
}

TEST(MetricsFile, KeepsLinesBeforeAStep) {
  const TestFolder folder;
  const auto after = [&](const std::string &old, int64_t step) {
    const std::string path = folder.write("m", old);
    MetricsFile file;
    file.open(path, step);
    file.close();
    return readFile(path);
  };
  EXPECT_EQ(after("{\"step\":0}\n{\"step\":1}\n{\"step\":2}\n", 2),
            "{\"step\":0}\n{\"step\":1}\n");
  EXPECT_EQ(after("{\"step\":0}\n{\"step\":1}\n", 0), "");
  EXPECT_EQ(after("{\"step\":0}\n{\"step\":1", 9), "{\"step\":0}\n");
  // A file of another program is not changed.
  const std::string foreign = "{\"step\":0}\nsomething\n{\"step\":1}\n";
  EXPECT_ERROR("is no file of metrics: \"something\" is not a step",
               after(foreign, 9));
  EXPECT_EQ(readFile(folder / "m"), foreign);
  EXPECT_EQ(after("", 9), "");
}

} // namespace
