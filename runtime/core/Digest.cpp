//===- Digest.cpp - Checksums of the buckets of a step --------------------===//
#include "runtime/core/Digest.h"

#include "runtime/hash/Checksum.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace zrt;

Digest::Digest(const zrt_plan &plan, uint32_t rank, uint32_t ranks)
    : rank(rank), worldSize(plan.world_size), ranks(ranks),
      gradients(plan.bucket_count),
      sums(size_t{plan.bucket_count} * ZRT_DIGEST_COUNT * ranks) {
  if (worldSize != 1 && worldSize != ranks)
    fail("digests of {} ranks can be compared on one rank or on {}, and this "
         "plan is for {}",
         ranks, ranks, worldSize);
  for (const zrt_bucket &bucket : bucketsOf(plan)) {
    if (!bucket.frozen && bucket.elements % ranks != 0)
      fail("bucket {} has {} elements, which {} ranks cannot share",
           bucket.name, withCommas(bucket.elements), ranks);
    buckets.push_back(partOf(bucket, 0, 1));
  }
  readFlip();
}

void Digest::readFlip() {
  const char *text = std::getenv("ZRT_FLIP");
  if (!text || !*text)
    return;
  constexpr std::array<std::string_view, ZRT_DIGEST_COUNT> kinds = {
      "read", "computed", "reduced", "written"};
  std::string_view rest = text;
  bool isGood = std::ranges::count(rest, ':') == 5;
  const auto next = [&] {
    const std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
  };
  const auto number = [&](auto value) {
    const std::string_view part = next();
    const auto [stop, error] = std::from_chars(part.begin(), part.end(), value);
    isGood &= error == std::errc() && stop == part.end();
    return value;
  };
  const auto step = number(uint64_t{});
  const auto onRank = number(uint32_t{});
  const auto *kind = std::ranges::find(kinds, next());
  const auto bucket = number(uint32_t{});
  const auto element = number(uint64_t{}), bit = number(uint64_t{});
  if (!isGood || kind == kinds.end() || bucket >= buckets.size())
    fail("ZRT_FLIP={} is no STEP:RANK:WHAT:BUCKET:ELEMENT:BIT; correct it or "
         "unset it",
         text);
  if (onRank == rank)
    flip = {uint32_t(kind - kinds.begin()), bucket, step, element, bit};
}

uint32_t Digest::beginGradient(uint32_t bucket) {
  return (gradients[bucket]++ * worldSize + rank) % ranks;
}

void Digest::addGradient(uint32_t bucket, uint32_t ofRank, std::byte *values,
                         zrt_dtype dtype, uint64_t begin, uint64_t end) {
  add({ZRT_COMPUTED, bucket, 0, values, dtype}, begin, end, ofRank);
}

void Digest::addRead(const zrt_update_desc &desc, void *const *args,
                     uint64_t first, uint64_t begin, uint64_t end) {
  // Scalars are between the operands and the results.
  for (uint32_t i = 0, slot = 1;
       i < desc.arg_count && desc.args[i].extent != ZRT_SCALAR; ++i) {
    const zrt_operand &arg = desc.args[i];
    const bool isGradient = i == desc.gradient;
    // Beside a master the parameter is not read, and in some tiers not there.
    if (desc.master && i == 0 && !isGradient)
      continue;
    const bool isParameter = i == desc.master || i == 0;
    auto *values =
        static_cast<std::byte *>(args[i]) - first * dtypeBytes(arg.dtype);
    if (isGradient && arg.ref.gradient_of)
      addGradient(desc.bucket, 0, values, arg.dtype, first + begin,
                  first + end);
    add({isGradient ? uint32_t(ZRT_REDUCED) : uint32_t(ZRT_READ), desc.bucket,
         isGradient || isParameter ? 0 : slot++, values, arg.dtype},
        first + begin, first + end);
  }
}

void Digest::addWritten(const zrt_update_desc &desc, void *const *args,
                        uint64_t first, uint64_t begin, uint64_t end) {
  uint32_t result = desc.arg_count;
  while (result > 0 && desc.args[result - 1].extent != ZRT_SCALAR)
    --result;
  const uint32_t parameter = result, last = desc.arg_count - 1;
  for (; result <= last; ++result) {
    const zrt_dtype dtype = desc.args[result].dtype;
    uint32_t number = result - parameter;
    // The master comes first, and last the parameter that is its rounding.
    if (desc.master && result == parameter) {
      if (dtype == ZRT_F32)
        continue; // equal
      number = last - parameter;
    } else if (desc.master && result == last) {
      number = 0;
    }
    add({ZRT_WRITTEN, desc.bucket, number,
         static_cast<std::byte *>(args[result]) - first * dtypeBytes(dtype),
         dtype},
        first + begin, first + end);
  }
}

void Digest::flipIn(const Flip &place, const Values &values, uint64_t begin,
                    uint64_t end) {
  const uint64_t bytes = dtypeBytes(values.dtype);
  if (place.step != steps || place.what != values.what ||
      place.bucket != values.bucket ||
      place.bit / (8 * bytes) != values.operand || place.element < begin ||
      place.element >= end || hasFlipped.exchange(true))
    return;
  values.first[place.element * bytes + place.bit / 8 % bytes] ^=
      std::byte(1 << place.bit % 8);
}

void Digest::add(const Values &values, uint64_t begin, uint64_t end,
                 std::optional<uint32_t> ofRank) {
  // Other operands' elements have other places.
  constexpr uint64_t kBetweenOperands = 0x2545f491;
  const uint64_t bytes = dtypeBytes(values.dtype),
                 slice = buckets[values.bucket].elements / ranks;
  for (const Segment &member : buckets[values.bucket].members) {
    uint64_t from = std::max(begin, member.begin);
    const uint64_t to = std::min(end, member.end);
    if (flip && from < to)
      flipIn(*flip, values, from, to);
    while (from < to) {
      const uint64_t number = ofRank ? *ofRank : from / slice;
      const uint64_t stop = ofRank ? to : std::min(to, (number + 1) * slice);
      sumOf(values, number) +=
          checksum(values.first + from * bytes, bytes, stop - from,
                   from + values.operand * kBetweenOperands);
      from = stop;
    }
  }
}

void Digest::take(uint64_t *out) {
  if (flip && flip->step == steps && !hasFlipped)
    fail("ZRT_FLIP: rank {} has no such element in step {}", rank, steps);
  for (std::atomic<uint64_t> &sum : sums)
    *out++ = sum.exchange(0);
  std::ranges::fill(gradients, 0);
  ++steps;
}
