//===- RankFile.cpp - One rank's file of a checkpoint ---------------------===//
#include "train/state/checkpoint/RankFile.h"

#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>
#include <cstring>
#include <tuple>

using namespace zrt;

namespace {

/// Pads the header `text` with spaces to whole disk blocks, and sets the length
/// in its first 8 bytes.
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

RankFile zrt::layOut(const State &state, std::vector<StateRange> ranges) {
  // Sort wider elements first, so that all are aligned, and state on drives
  // before state in memory.
  const auto key = [](const StateRange &range) {
    return std::tuple(~dtypeBytes(range.dtype), range.at.tier != ZRT_NVME,
                      range.slot, range.parameter, range.first);
  };
  std::ranges::sort(ranges, {}, key);
  RankFile file;
  std::vector<TensorHeader> tensors;
  for (const StateRange &range : ranges) {
    const Slot &slot = state.slots[range.slot];
    file.names.push_back(rangeName(slot.name,
                                   slot.parameters[range.parameter].name,
                                   range.first, range.count));
    tensors.push_back({file.names.back(),
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

namespace {

/// Calls `visit(i, from, until)` for each range i in block `block`, where it
/// occupies the bytes [from, until) of the data.
template <typename Visit>
void forEachPart(const RankFile &file, uint64_t block, Visit visit) {
  const uint64_t begin = block * kCheckpointBlock,
                 end = std::min(begin + kCheckpointBlock, file.dataBytes);
  // The last range that begins at or before the block.
  auto i =
      size_t(std::upper_bound(file.offsets.begin(), file.offsets.end(), begin) -
             file.offsets.begin() - 1);
  for (; i < file.ranges.size() && file.offsets[i] < end; ++i) {
    const uint64_t from = std::max(begin, file.offsets[i]),
                   until =
                       std::min(end, file.offsets[i] + file.ranges[i].bytes());
    if (from < until)
      visit(i, from, until);
  }
}

/// The first of `count` floats, each of the size of Bits, whose exponent bits
/// (`exponent`) are all set, so that it is infinite or NaN; or `count`.
template <typename Bits>
uint64_t firstWith(Bits exponent, const std::byte *data, uint64_t count) {
  const auto at = [&](uint64_t i) {
    Bits bits;
    std::memcpy(&bits, data + i * sizeof(bits), sizeof(bits));
    return (bits & exponent) == exponent;
  };
  // Test whole stretches first: the compiler vectorizes this loop.
  constexpr uint64_t kStretch = 1024;
  for (uint64_t i = 0; i < count; i += kStretch) {
    const uint64_t end = std::min(count, i + kStretch);
    bool any = false;
    for (uint64_t j = i; j < end; ++j)
      any |= at(j);
    for (uint64_t j = i; any && j < end; ++j)
      if (at(j))
        return j;
  }
  return count;
}

} // namespace

void zrt::readBlock(const RankFile &file, uint64_t block,
                    const ParameterMemory &memory, std::byte *to) {
  forEachPart(file, block, [&](size_t i, uint64_t from, uint64_t until) {
    const zrt_ref &at = file.ranges[i].at;
    memory.read(
        {at.tier, 0, at.offset + (from - file.offsets[i]), until - from},
        to + (from - block * kCheckpointBlock));
  });
}

std::string zrt::firstNonfinite(const RankFile &file, uint64_t block,
                                const std::byte *data) {
  std::string found;
  forEachPart(file, block, [&](size_t i, uint64_t from, uint64_t until) {
    const StateRange &range = file.ranges[i];
    if (range.slot != 0 || range.dtype == ZRT_I8 || !found.empty())
      return;
    const std::byte *values = data + (from - block * kCheckpointBlock);
    const uint64_t count = (until - from) / dtypeBytes(range.dtype);
    const uint64_t first =
        range.dtype == ZRT_F64
            ? firstWith<uint64_t>(uint64_t{0x7ff} << 52, values, count)
        : range.dtype == ZRT_F32
            ? firstWith<uint32_t>(0x7f800000u, values, count)
            : firstWith<uint16_t>(range.dtype == ZRT_BF16 ? 0x7f80u : 0x7c00u,
                                  values, count);
    if (first < count)
      found = fmt::format(
          "{} is not finite at element {}", file.names[i],
          range.first + (from - file.offsets[i]) / dtypeBytes(range.dtype) +
              first);
  });
  return found;
}
