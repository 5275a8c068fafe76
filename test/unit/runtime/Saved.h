//===- Saved.h - Checkpoints of models made by hand -------------*- C++ -*-===//
#pragma once

#include "train/state/checkpoint/Base.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/Writer.h"

#include "Slices.h"
#include "ThreadWorld.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace zrt::test {

/// Saves the contents of `s` as step `step` of `run`, which has read its frozen
/// parameters from the files of `base`, if that is not "".
inline void saveAll(Slices &s, const std::string &path, int64_t step,
                    RunPosition run = {}, const std::string &base = "") {
  run.step = step;
  runRanks(int(s.ranks), [&](World &world) {
    std::unique_ptr<CheckpointFolder> folder;
    if (world.rank() == 0)
      folder = std::make_unique<CheckpointFolder>(path);
    State state = findState(s.plan, world.rank());
    if (!base.empty()) {
      Base files(base);
      files.hash(world, /*threads=*/2);
      leaveToBase(state, files);
    }
    CheckpointWriter writer(world, state, {}, folder.get());
    writer.save(run, s.memoryOf(world.rank()));
    writer.finish();
    EXPECT_EQ(writer.takeFailure().value_or(""), "");
    EXPECT_EQ(writer.written(), 1);
  });
}

} // namespace zrt::test
