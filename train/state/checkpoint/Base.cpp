//===- Base.cpp - The files of frozen parameters --------------------------===//
#include "train/state/checkpoint/Base.h"

#include "abi/Counts.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

using namespace zrt;
namespace fs = std::filesystem;

std::string zrt::absolutePath(const std::string &path) {
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  // What ".." is depends on links before it; else links keep their names.
  if (std::ranges::find(absolute, fs::path("..")) != absolute.end())
    absolute = fs::weakly_canonical(absolute.parent_path(), error) /
               absolute.filename();
  if (error)
    return path;
  absolute = absolute.lexically_normal();
  return absolute.has_filename() ? absolute.string()
                                 : absolute.parent_path().string();
}

Base::Stamp Base::stampOf(const std::string &path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0)
    return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

Base::Base(const std::string &path) : opened(path) {
  record.path = absolutePath(path);
  for (const std::string &file : weightFiles(path)) {
    if (!file.ends_with(".json")) // the index says only where tensors are
      paths.push_back(file);
  }
  for (const std::string &file : paths) {
    stamps.push_back(stampOf(file));
    FileRecord one;
    one.name = fs::path(file).filename().string();
    one.bytes = uint64_t(stamps.back().bytes);
    one.blocks.resize(hashedBlocks(one.bytes));
    record.files.push_back(std::move(one));
  }
}

void Base::hash(World &world, int threads) {
  together(world, [&] {
    forEachBlock(record.files, {world.rank(), world.size(), threads},
                 [&](size_t file, uint64_t block) {
                   FileRecord &of = record.files[file];
                   of.blocks[block] = hashOfBlock(paths[file], of, block);
                 });
  });
  for (FileRecord &file : record.files) {
    const size_t count = file.blocks.size();
    std::vector<uint64_t> all(count * size_t(world.size()));
    world.allGather(file.blocks.data(), count * sizeof(uint64_t), all.data());
    // A block is 0 on all ranks but one.
    for (size_t i = 0; i < all.size(); ++i)
      file.blocks[i % count] |= all[i];
  }
}

bool Base::has(const std::string &path) const {
  const Stamp stamp = stampOf(path);
  return stamp != Stamp() && std::ranges::count(stamps, stamp) > 0;
}

std::string Base::changed() const {
  for (size_t i = 0; i < paths.size(); ++i)
    if (stampOf(paths[i]) != stamps[i])
      return paths[i];
  return "";
}

void Base::checkSizes(const BaseRecord &was) const {
  if (record.files.size() != was.files.size())
    fail("it has {} of weights, and had {}",
         plural(record.files.size(), "file"), was.files.size());
  for (size_t i = 0; i < paths.size(); ++i)
    if (record.files[i].bytes != was.files[i].bytes)
      fail("{} has {}, and {} had {}", record.files[i].name,
           shownBytes(record.files[i].bytes), shown(was.files[i].name),
           shownBytes(was.files[i].bytes));
}

void Base::checkBlocks(const BaseRecord &was, const BlockShare &share) const {
  forEachBlock(was.files, share, [&](size_t file, uint64_t block) {
    const FileRecord &of = was.files[file];
    if (hashOfBlock(paths[file], of, block) == of.blocks[block])
      return;
    const auto [begin, end] = rangeOfBlock(of, block);
    fail("bytes {} to {} of {} are others", withCommas(begin), withCommas(end),
         record.files[file].name);
  });
}

BlockShare zrt::shareOfHost(World &world, int threads) {
  const uint64_t own = hostIdentity();
  BlockShare share = {0, 0, threads};
  const std::vector<uint64_t> hosts = world.gather(own);
  for (int rank = 0; rank < world.size(); ++rank)
    if (hosts[size_t(rank)] == own) {
      share.number += rank < world.rank();
      ++share.shares;
    }
  return share;
}

void zrt::leaveToBase(State &state, const Base &base) {
  for (Parameter &parameter : state.slots.front().parameters)
    if (parameter.frozen)
      parameter.tensor = tensorFor(base.files(), parameter.name);
  if (std::ranges::any_of(
          state.slots.front().parameters,
          [](const Parameter &parameter) { return !parameter.tensor.empty(); }))
    state.base = base.described();
}

void zrt::leaveToBase(State &state, const Manifest &manifest,
                      const std::string &path) {
  if (!manifest.base)
    return;
  for (Parameter &parameter : state.slots.front().parameters) {
    const auto known = std::ranges::lower_bound(
        manifest.parameters, parameter.name, {}, &ParameterRecord::name);
    parameter.tensor = known->tensor;
  }
  state.base = {path, manifest.base->files};
}
