//===- OtherTools.cpp - Maps options of other trainers to ours ------------===//
#include "train/options/OtherTools.h"

#include <algorithm>
#include <iterator>
#include <sstream>

using namespace zrt;

static constexpr OtherTool kOtherTools[] = {
#define OTHER(names, program, here) {names, OtherTool::Program::program, here},
#include "train/options/OtherTools.def"
};

const OtherTool *zrt::findOtherTool(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  const OtherTool *found =
      std::find_if(std::begin(kOtherTools), std::end(kOtherTools),
                   [&](const OtherTool &one) {
                     std::istringstream names{std::string(one.names)};
                     using Words = std::istream_iterator<std::string>;
                     return std::find(Words(names), Words(), name) != Words();
                   });
  return found == std::end(kOtherTools) ? nullptr : found;
}
