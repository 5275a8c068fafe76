//===- Space.cpp - Stripes the bytes of a store over its folders ----------===//
#include "runtime/store/Space.h"

#include "runtime/store/Blocks.h"
#include "runtime/text/Error.h"

#include <algorithm>

using namespace zrt;

uint64_t zrt::bytesInFolder(uint64_t bytes, uint64_t which, uint64_t count) {
  const uint64_t whole = bytes / kStripe, rest = bytes % kStripe;
  return (whole / count + (which < whole % count)) * kStripe +
         (which == whole % count ? roundUpToBlock(rest) : 0);
}

Space::Space(uint64_t bytes, const std::vector<std::string> &folders,
             std::shared_ptr<Faults> theFaults, bool verifies)
    : faults(std::move(theFaults)), size(bytes) {
  for (size_t i = 0; i < folders.size(); ++i) {
    auto file = std::make_unique<const SpaceFile>(
        folders[i], bytesInFolder(bytes, i, folders.size()), *faults);
    for (const auto &other : files)
      if (file->isBeside(*other))
        fail("--nvme-path: {} and {} are one folder; name each once",
             other->folder(), file->folder());
    files.push_back(std::move(file));
  }
  if (verifies)
    verified.emplace(bytes);
}

Space::Place Space::placeOf(uint64_t offset) const {
  const uint64_t stripe = offset / kStripe, count = files.size();
  return {files[stripe % count].get(),
          stripe / count * kStripe + offset % kStripe};
}

std::string Space::note() const {
  std::string all;
  for (const auto &file : files)
    if (!file->note().empty())
      all += (all.empty() ? "" : "\n") + file->note();
  return all;
}
