//===- RankFile.cpp - One rank's file of a checkpoint ---------------------===//
#include "runtime/checkpoint/RankFile.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"
#include "runtime/io/Safetensors.h"

#include <algorithm>
#include <cstring>
#include <tuple>

using namespace zrt;

namespace {

constexpr std::pair<zrt_dtype, const char *> kElements[] = {
    {ZRT_F64, "F64"}, {ZRT_F32, "F32"}, {ZRT_BF16, "BF16"}, {ZRT_F16, "F16"}};

/// `text`, a length and so many letters, with spaces up to whole disk blocks.
void padHeader(std::string &text) {
  text.append((kDiskBlock - text.size() % kDiskBlock) % kDiskBlock, ' ');
  const uint64_t length = text.size() - sizeof(length);
  std::memcpy(text.data(), &length, sizeof(length));
}

} // namespace

std::string zrt::rankFileName(int rank) {
  return fmt::format("rank-{:05}.safetensors", rank);
}

std::string zrt::rangeName(std::string_view slot, std::string_view parameter,
                           uint64_t first, uint64_t count) {
  return fmt::format("{}/{}[{}:{}]", slot, parameter, first, first + count);
}

const char *zrt::elementName(zrt_dtype dtype) {
  for (const auto &[known, name] : kElements)
    if (known == dtype)
      return name;
  return "";
}

zrt_dtype zrt::elementType(std::string_view name) {
  for (const auto &[dtype, known] : kElements)
    if (name == known)
      return dtype;
  return 0;
}

RankFile zrt::layOut(const State &state, std::vector<StateRange> ranges) {
  // Elements of more bytes first, so that all are aligned; what has to be read
  // from a drive before what lies in memory.
  const auto key = [](const StateRange &range) {
    return std::tuple(~dtypeBytes(range.dtype), range.at.tier != ZRT_NVME,
                      range.slot, range.parameter, range.first);
  };
  std::sort(ranges.begin(), ranges.end(),
            [&](const auto &x, const auto &y) { return key(x) < key(y); });
  RankFile file;
  std::vector<TensorHeader> tensors;
  for (const StateRange &range : ranges) {
    const Slot &slot = state.slots[range.slot];
    tensors.push_back(
        {rangeName(slot.name, slot.parameters[range.parameter].name,
                   range.first, range.count),
         elementName(range.dtype),
         {static_cast<int64_t>(range.count)},
         range.bytes()});
    file.offsets.push_back(file.dataBytes);
    file.dataBytes += range.bytes();
  }
  file.header = safetensorsHeader(tensors);
  padHeader(file.header);
  file.ranges = std::move(ranges);
  return file;
}

void zrt::readBlock(const RankFile &file, uint64_t block,
                    const ParameterMemory &memory, std::byte *to) {
  const uint64_t begin = block * kCheckpointBlock,
                 end = std::min(begin + kCheckpointBlock, file.dataBytes);
  // The last range that begins at or before the block.
  auto i =
      size_t(std::upper_bound(file.offsets.begin(), file.offsets.end(), begin) -
             file.offsets.begin() - 1);
  for (; i < file.ranges.size() && file.offsets[i] < end; ++i) {
    const StateRange &range = file.ranges[i];
    const uint64_t from = std::max(begin, file.offsets[i]),
                   until = std::min(end, file.offsets[i] + range.bytes());
    if (from >= until)
      continue;
    const zrt_ref part = {range.at.tier, 0,
                          range.at.offset + (from - file.offsets[i]),
                          until - from};
    memory.read(part, to + (from - begin));
  }
}
