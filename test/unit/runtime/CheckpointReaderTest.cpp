//===- CheckpointReaderTest.cpp - Checkpoints that are not what is asked --===//
#include "train/state/checkpoint/Export.h"
#include "train/state/checkpoint/Reader.h"

#include "Saved.h"
#include "Slices.h"
#include "TestFiles.h"

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
}

} // namespace
