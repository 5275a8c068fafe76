//===- CheckpointReaderTest.cpp - Checkpoints that are not what is asked --===//
#include "runtime/numbers/HalfFloats.h"
#include "train/state/checkpoint/Base.h"
#include "train/state/checkpoint/Export.h"
#include "train/state/checkpoint/Reader.h"

#include "Denied.h"
#include "Saved.h"
#include "Slices.h"
#include "TestFiles.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

using namespace zrt;
using namespace zrt::test;
namespace fs = std::filesystem;

namespace {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A checkpoint of two ranks.
struct Saved : testing::Test {
  const TestFolder folder;
  Slices slices = split(2, ZRT_SLICE, ZRT_SLICE);
  const std::string step = folder / "ck/step-1",
                    file = step + "/rank-00001.safetensors";
  Saved() { saveAll(slices, folder / "ck", 1); }
};

TEST_F(Saved, NamesAFileOfAnotherSize) {
  const uint64_t bytes = fs::file_size(file);
  fs::resize_file(file, bytes - 4);
  EXPECT_ERROR("when it was written; the file is cut short",
               CheckpointReader{step});
  fs::resize_file(file, bytes + 4);
  EXPECT_ERROR("when it was written; the file is another",
               CheckpointReader{step});
}

TEST_F(Saved, NamesBytesThatCannotBeRead) {
  const CheckpointReader reader(step);
  fs::resize_file(file, 4096);
  EXPECT_ERROR("cannot be read: ", reader.verify(0, 1, 1));
}

TEST(LargeCheckpoint, NamesOnlyWhatIsDamaged) {
  constexpr uint64_t kLarge = ZRT_CHECKPOINT_BLOCK / sizeof(float);
  const TestFolder folder;
  Slices s(1);
  s.bucket(ZRT_WHOLE)
      .member("a", {int64_t(kLarge)}, 0, kLarge)
      .member("b", {8}, 0, 8);
  s.finish();
  saveAll(s, folder / "ck", 1);
  const std::string file = folder / "ck/step-1/rank-00000.safetensors";
  fs::resize_file(file, fs::file_size(file) - 1);
  std::ofstream(file, std::ios::app) << '!';
  const std::string error =
      errorOf([&] { CheckpointReader(folder / "ck/step-1").verify(0, 1, 1); });
  EXPECT_HAS(error, ", of param/b[0:8], are not what was written");
}

TEST_F(Saved, IsKnownByItsManifest) {
  EXPECT_TRUE(isCheckpoint(folder / "ck"));
  EXPECT_TRUE(isCheckpoint(step));
  EXPECT_FALSE(isCheckpoint(folder / "none"));
  fs::create_directories(folder / "other");
  EXPECT_FALSE(isCheckpoint(folder / "other"));
  EXPECT_ERROR("there is no checkpoint in " + (folder / "other") +
                   ": neither manifest.json nor folders step-N",
               findCheckpoint(folder / "other"));
  folder.write("other/manifest.json", R"({"name": "an app"})");
  EXPECT_FALSE(isCheckpoint(folder / "other"));
  fs::remove(file);
  saveAll(slices, folder / "ck", 2);
  EXPECT_EQ(intactBefore(folder / "ck/step-2"), ""); // the one before is not
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TEST_F(Saved, FitsItsModelOnly) {
  const CheckpointReader reader(step);
  const State own = findState(slices.plan, 0);
  reader.checkFits(own);
  EXPECT_TRUE(reader.notes(own).empty());
  using Parameters = std::vector<Parameter>;
  for (const auto &[change, error] :
       std::vector<std::pair<std::function<void(Parameters &)>, std::string>>{
           {[](auto &p) { p[0].name = "other"; },
            "it has no parameter other; it is of another model"},
           {[](auto &p) { p.pop_back(); }, "the model has no parameter "},
           {[](auto &p) { p[0].shape.push_back(2); }, ", but the model's is "},
           {[](auto &p) { p[0].frozen = true; },
            "is trained there, and frozen in this plan"},
           {[](auto &p) { p[0].packing = ZRT_NF4; },
            "is packed as nothing there, and as nf4 in this plan"},
           {[](auto &p) {
              for (Parameter &each : p)
                each.dtype = ZRT_F64;
            },
            " is f32, which cannot become f64"}}) {
    State state = own;
    change(state.slots[0].parameters);
    EXPECT_ERROR(error, reader.checkFits(state));
  }
  State adam = own;
  adam.slots.push_back({"m", own.slots[0].parameters});
  EXPECT_ERROR("it has no \"m\" of parameter ", reader.checkFits(adam));
}

TEST_F(Saved, SaysWhatItConvertsAndDoesNotUse) {
  const CheckpointReader reader(step);
  State half = findState(slices.plan, 0);
  for (Parameter &parameter : half.slots[0].parameters)
    parameter.dtype = ZRT_BF16;
  reader.checkFits(half);
  EXPECT_EQ(reader.notes(half),
            std::vector<std::string>{
                "\"param\" of the checkpoint is f32, rounded to bf16"});
  half.slots[0].name = "m";
  EXPECT_EQ(reader.notes(half),
            std::vector<std::string>{"\"param\" of the checkpoint is not used: "
                                     "this optimizer does not keep it"});
}

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

/// A model of which only `bias` and `scale` are trained.
Slices mostlyFrozen(uint32_t ranks, uint32_t trained, uint32_t frozen) {
  Slices s(ranks);
  s.bucket(trained)
      .member("bias", kShapes[0], 0, 5)
      .member("scale", kShapes[2], 0, 1);
  s.bucket(frozen)
      .member("wte", kShapes[4], 0, 21)
      .member("w", kShapes[3], 0, 30);
  s.buckets.back().frozen = 1;
  s.bucket(frozen)
      .member("w", kShapes[3], 30, 14)
      .member("none", kShapes[1], 0, 0);
  s.buckets.back().frozen = 1;
  s.finish();
  return s;
}

struct OnBase : testing::Test {
  const TestFolder folder;
  const std::string base = folder / "model.safetensors",
                    step = folder / "ck/step-1";
  OnBase() { writeModel(base); }

  void save(Slices s) {
    for (uint32_t rank = 0; rank < s.ranks; ++rank)
      s.memory[rank] = s.expected(int(rank), valueOf);
    saveAll(s, folder / "ck", 1, {}, base);
  }
  /// The error of reading with the base at `moved`.
  std::string readError(const std::string &moved = "") {
    return errorOf([&] {
      CheckpointReader reader(step);
      reader.openBase(moved);
      reader.verifyBase({0, 1, 2});
    });
  }
};

TEST_F(OnBase, HoldsWhatIsTrainedAndLoadsAll) {
  std::vector<std::array<uint32_t, 3>> layouts;
  for (const uint32_t ranks : {1, 2, 3})
    for (const uint32_t extent : {ZRT_WHOLE, ZRT_SLICE})
      layouts.push_back({ranks, extent, ranks == 2 ? ZRT_SLICE : extent});
  for (const auto &[ranks, trained, frozen] : layouts) {
    fs::remove_all(folder / "ck");
    save(mostlyFrozen(ranks, trained, frozen));
    CheckpointReader reader(step);
    uint64_t bytes = 0;
    for (const FileRecord &file : reader.manifest().files)
      bytes += file.bytes - file.headerBytes;
    EXPECT_EQ(bytes, 6 * sizeof(float));
    EXPECT_EQ(reader.manifest().base->path, base);
    reader.openBase("");
    EXPECT_EQ(reader.typeOf("w"), zrt_dtype(ZRT_F32));
    for (const auto &[toRanks, toTrained, toFrozen] : layouts) {
      Slices to = mostlyFrozen(toRanks, toTrained, toFrozen);
      for (int rank = 0; rank < int(toRanks); ++rank) {
        reader.verifyBase({rank, int(toRanks), 1});
        const State state = findState(to.plan, rank);
        reader.checkFits(state);
        EXPECT_TRUE(reader.notes(state).empty());
        reader.load(state, to.memoryOf(rank));
        EXPECT_EQ(to.memory[size_t(rank)], to.expected(rank, valueOf));
      }
    }
  }
}

TEST_F(OnBase, ReadsWhatTheRunKept) {
  save(mostlyFrozen(1, ZRT_WHOLE, ZRT_WHOLE));
  Manifest manifest = parseManifest(readFile(step + "/manifest.json"));
  std::vector<float> values(44), packed(44);
  std::vector<std::byte> codes(zrt_packed_bytes(ZRT_INT8, 44));
  for (ParameterRecord &parameter : manifest.parameters)
    if (parameter.name == "w")
      parameter.dtype = ZRT_BF16;
  folder.write("ck/step-1/manifest.json", manifestText(manifest));
  {
    CheckpointReader reader(step);
    reader.openBase("");
    reader.read("param", "w", 0, values);
    for (uint64_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(values[i], widenBrain(narrowBrain(valueOf("w", i))));
  }
  for (ParameterRecord &parameter : manifest.parameters)
    if (parameter.name == "w") {
      parameter.dtype = ZRT_I8;
      parameter.packing = ZRT_INT8;
    }
  folder.write("ck/step-1/manifest.json", manifestText(manifest));
  CheckpointReader reader(step);
  reader.openBase("");
  reader.read("param", "w", 0, codes);
  for (const ParameterRecord &parameter : reader.manifest().parameters)
    if (parameter.name == "w")
      reader.readNumbers(parameter, 0, packed);
  for (uint64_t i = 0; i < packed.size(); ++i) {
    EXPECT_NEAR(packed[i], valueOf("w", i), 343.25 / 254);
    EXPECT_EQ(int(codes[i]), int(std::lround(valueOf("w", i) / 343.25 * 127)));
  }
}

TEST_F(OnBase, IsKnownByItsContent) {
  save(mostlyFrozen(2, ZRT_SLICE, ZRT_SLICE));
  const std::string kept = readFile(base);
  // Other names do not matter.
  fs::create_directory(folder / "moved");
  fs::rename(base, folder / "moved/model.safetensors");
  EXPECT_HAS(readError(), step +
                              ": its frozen parameters are those of the "
                              "base " +
                              base + ": ");
  EXPECT_EQ(readError(folder / "moved"), "");
  const std::string copy = folder.write("copy.safetensors", kept);
  EXPECT_EQ(readError(copy), "");
  std::string other = kept;
  other[other.size() - 3] = char(other[other.size() - 3] ^ 1);
  folder.write("copy.safetensors", other);
  EXPECT_EQ(
      readError(copy),
      fmt::format("{}: the run trained on the base {}, and {} is another: "
                  "bytes 0 to {} of copy.safetensors are others; name the "
                  "files that it was with --base=DIR",
                  step, base, copy, kept.size()));
  folder.write("model.safetensors", other);
  EXPECT_HAS(readError(), "its base " + base +
                              " was changed after the run read it: bytes 0 to");
  writeSafetensors(base, {{"w", "F32", {0}, nullptr, 0}});
  EXPECT_HAS(readError(),
             "was changed after the run read it: model.safetensors has ");
  std::string renamed = kept;
  renamed[renamed.find("\"w\"") + 1] = 'v';
  folder.write("model.safetensors", renamed);
  EXPECT_HAS(readError(), "was changed after the run read it: it has no tensor "
                          "w of shape 11 x 4; name the files");
  folder.write("model.safetensors", kept.substr(0, kept.size() - 4));
  EXPECT_HAS(readError(), "cut short");
}

TEST_F(OnBase, OnlyWhereThereIsOne) {
  Slices s = split(1, ZRT_WHOLE, ZRT_WHOLE); // nothing is frozen
  saveAll(s, folder / "ck", 1, {}, base);
  EXPECT_FALSE(CheckpointReader(step).manifest().base);
  EXPECT_EQ(readError(), "");
  EXPECT_HAS(readError(base), "it holds all parameters, and has no base");
}

TEST_F(OnBase, SaysWhichFileHasChanged) {
  const Base files(base);
  EXPECT_EQ(files.changed(), "");
  EXPECT_TRUE(files.has(base));
  EXPECT_FALSE(files.has(folder / "none"));
  const std::string same = folder.write("same", readFile(base));
  fs::rename(same, base);
  EXPECT_EQ(files.changed(), base);
  fs::remove(base);
  EXPECT_EQ(files.changed(), base);
}

TEST(AbsolutePath, IsThatWhichWasGivenWhereThereIsNoFolder) {
  const TestFolder folder;
  const int status = statusOfChild([&]() -> int {
    fs::create_directory(folder / "gone");
    fs::current_path(folder / "gone");
    fs::remove(folder / "gone");
    EXPECT_EQ(absolutePath("x"), "x");
    EXPECT_EQ(absolutePath("/x/../y/"), "/y");
    std::fflush(nullptr);
    return testing::Test::HasFailure();
  });
  EXPECT_EQ(status, 0);
}

//===----------------------------------------------------------------------===//
// Adapters
//===----------------------------------------------------------------------===//

constexpr const char *kLoraA = "base_model.model.h.lora_A.weight",
                     *kLoraB = "base_model.model.h.lora_B.weight",
                     *kLoraMagnitude =
                         "base_model.model.h.lora_magnitude_vector";
constexpr const char *kLoraConfig =
    R"({"fan_in_fan_out":false,"lora_alpha":2,"r":2,"use_dora":true})";

/// Returns why the adapters of a checkpoint with these shapes, and with zeros,
/// are not merged.
std::string mergeError(
    const std::vector<std::pair<const char *, std::vector<int64_t>>> &shapes,
    const std::string &config = kLoraConfig) {
  Slices s(1);
  s.bucket(ZRT_WHOLE);
  for (const auto &[name, shape] : shapes)
    s.member(name, shape, 0, countedElements(shape));
  s.finish();
  s.memory[0].assign(s.floats, 0);
  const TestFolder folder;
  RunPosition run;
  run.adapters = config;
  saveAll(s, folder / "ck", 1, run);
  ExportRequest request;
  request.checkpoint = folder / "ck";
  request.output = folder / "out.safetensors";
  request.merge = true;
  return exportCheckpoint(request).error;
}

TEST(Merge, NeedsAdaptersThatFit) {
  using Shape = std::vector<int64_t>;
  const Shape weight = {4, 3}, down = {2, 3}, up = {4, 2}, rows = {4};
  EXPECT_EQ(mergeError({{"h.weight", weight},
                        {kLoraA, down},
                        {kLoraB, up},
                        {kLoraMagnitude, rows}}),
            "");
  EXPECT_HAS(mergeError({{"h.weight", weight}}),
             "this run trained no adapters, so there is nothing to merge");
  EXPECT_HAS(
      mergeError({{"h.weight", weight}, {kLoraA, down}, {kLoraB, up}}, ""),
      "does not say how its adapters are scaled");
  EXPECT_HAS(mergeError({{"g.weight", weight}, {kLoraA, down}, {kLoraB, up}}),
             "is the adapter of no matrix h.weight");
  EXPECT_HAS(mergeError({{"h.weight", {4}}, {kLoraA, down}, {kLoraB, up}}),
             "is the adapter of no matrix h.weight");
  EXPECT_HAS(
      mergeError({{"h.weight", weight}, {kLoraA, down}, {kLoraB, {5, 2}}}),
      std::string(kLoraB) + " is not [4, 2], as its weight h.weight needs");
  EXPECT_HAS(mergeError({{"h.weight", weight}, {kLoraA, down}}),
             std::string(kLoraB) +
                 " is not [4, 2], as its weight h.weight needs");
  EXPECT_HAS(mergeError({{"h.weight", weight}, {kLoraA, down}, {kLoraB, up}}),
             std::string(kLoraMagnitude) +
                 " is not [4], as its weight h.weight needs");
  EXPECT_HAS(mergeError({{"wte.weight", weight},
                         {"base_model.model.wte.lora_A.weight", down},
                         {"base_model.model.wte.lora_B.weight", up}}),
             "base_model.model.wte.lora_A.weight is the adapter of a head "
             "whose weight is the embedding, too");
}

} // namespace
