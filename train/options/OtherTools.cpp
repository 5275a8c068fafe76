//===- OtherTools.cpp - Maps options of other trainers to ours ------------===//
#include "train/options/OtherTools.h"

#include <algorithm>

using namespace zrt;

static constexpr OtherTool kOtherTools[] = {
#define OTHER(name, program, here) {name, OtherTool::Program::program, here},
#include "train/options/OtherTools.def"
};

const OtherTool *zrt::findOtherTool(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  const OtherTool *found =
      std::find_if(std::begin(kOtherTools), std::end(kOtherTools),
                   [&](const OtherTool &one) { return one.name == name; });
  return found == std::end(kOtherTools) ? nullptr : found;
}
