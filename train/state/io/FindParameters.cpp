//===- FindParameters.cpp - Finds the ranks that hold a parameter ---------===//
//
// A member that crosses the end of a slice is cut there:
//
//   bucket    |-- member --|. .|----- member -----|. . . .|
//   slices    |  rank 0  |  rank 1  |  rank 2  |  rank 3  |
//
// Of a bucket that groups hold in parts, a rank owns its slice, and holds the
// other slices of its part as well:
//
//   slices    |  rank 0  |  rank 2  |  rank 1  |  rank 3  |   groups of 2
//   held by   |    ranks 0 and 2    |    ranks 1 and 3    |
//
//===----------------------------------------------------------------------===//
#include "train/state/io/Parameters.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "train/state/io/Safetensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

using namespace zrt;

namespace {

std::vector<int64_t> shapeOf(const zrt_member &member) {
  return {member.shape, member.shape + member.rank};
}

const zrt_state &stateOf(const zrt_plan &plan, uint32_t bucket,
                         std::string_view slot) {
  const zrt_state *found = nullptr;
  for (const zrt_state &state : statesOf(plan)) {
    if (state.bucket != bucket || state.slot != slot)
      continue;
    if (found)
      fail("bucket {} has two \"{}\" states", plan.buckets[bucket].name, slot);
    found = &state;
  }
  if (!found)
    fail("bucket {} has no \"{}\" state", plan.buckets[bucket].name, slot);
  if (plan.buckets[bucket].packing != ZRT_UNPACKED) {
    if (found->dtype != ZRT_I8)
      fail("bucket {}: packed parameters are i8, got {}",
           plan.buckets[bucket].name, dtypeName(found->dtype));
    return *found;
  }
  if (found->dtype != ZRT_F32 && found->dtype != ZRT_F64 &&
      found->dtype != ZRT_BF16 && found->dtype != ZRT_F16)
    fail("bucket {}: parameters are f64, f32, bf16 or f16, got {}",
         plan.buckets[bucket].name, dtypeName(found->dtype));
  return *found;
}

/// Throws unless the state is whole, or each rank has its slice of it.
void checkSlices(const zrt_plan &plan, const zrt_bucket &bucket,
                 const zrt_state &state) {
  if (state.extent != ZRT_WHOLE &&
      (plan.world_size == 0 || bucket.elements % plan.world_size != 0))
    fail("bucket {}: its {} elements are not {} slices of one size",
         bucket.name, bucket.elements, plan.world_size);
}

/// The number of elements of the member's parameter; bytes if it is packed.
uint64_t checkMember(const zrt_bucket &bucket, const zrt_member &member) {
  const auto counted = countElements({member.shape, member.rank});
  uint64_t elements = counted.value_or(0);
  if (bucket.packing != ZRT_UNPACKED)
    elements = zrt_packed_bytes(bucket.packing, elements);
  if (!counted || member.first > elements ||
      member.count > elements - member.first)
    fail("parameter {}: shape {} does not have {} elements from {} on",
         member.name, shapeText(shapeOf(member)), member.count, member.first);
  if (member.offset > bucket.elements ||
      member.count > bucket.elements - member.offset)
    fail("parameter {}: {} elements at {} reach past bucket {} of {} elements",
         member.name, member.count, member.offset, bucket.name,
         bucket.elements);
  return elements;
}

void checkSame(const Parameter &parameter, const Parameter &other) {
  if (parameter.shape != other.shape)
    fail("parameter {} is {} in one bucket and {} in another", parameter.name,
         shapeText(parameter.shape), shapeText(other.shape));
  if (parameter.dtype != other.dtype)
    fail("parameter {} is {} in one bucket and {} in another", parameter.name,
         dtypeName(parameter.dtype), dtypeName(other.dtype));
  if (parameter.packing != other.packing)
    fail("parameter {} is packed as {} in one bucket and as {} in another",
         parameter.name, packingName(parameter.packing),
         packingName(other.packing));
  if (parameter.init.kind != other.init.kind ||
      parameter.init.a != other.init.a || parameter.init.b != other.init.b)
    fail("parameter {} starts differently in two buckets", parameter.name);
}

/// Adds the pieces of a member of `bucket`, with their places on `rank`.
void addPieces(const zrt_bucket &bucket, const zrt_member &member,
               const zrt_state &state, const RankGroups &groups, uint32_t rank,
               Parameter &parameter) {
  const uint64_t bytes = dtypeBytes(parameter.dtype);
  const auto add = [&](uint64_t at, uint64_t end, int owner,
                       std::optional<uint64_t> held) {
    const zrt_ref place = {state.ref.tier, 0,
                           state.ref.offset + (at - held.value_or(at)) * bytes,
                           (end - at) * bytes};
    parameter.pieces.push_back({member.first + (at - member.offset), end - at,
                                owner, held ? place : zrt_ref{}});
  };
  const uint64_t end = member.offset + member.count;
  if (state.extent == ZRT_WHOLE && member.offset < end)
    return add(member.offset, end, kEveryRank, /*held=*/0);
  const uint64_t slice = bucket.elements / groups.ranks;
  for (uint64_t at = member.offset; at < end;) {
    const auto number = uint32_t(at / slice);
    const uint64_t next = std::min(end, (number + uint64_t{1}) * slice);
    const uint32_t owner = groups.ownerOf(number);
    std::optional<uint64_t> held; // from this element of the bucket on
    if (state.extent == ZRT_PART && groups.holds(rank, number))
      held = uint64_t{groups.partOf(rank)} * groups.groups * slice;
    else if (owner == rank)
      held = number * slice;
    add(at, next, int(owner), held);
    at = next;
  }
}

void checkTilesOfParameter(Parameter &parameter) {
  auto &pieces = parameter.pieces;
  std::ranges::sort(pieces, {}, &ParameterPiece::first);
  uint64_t covered = 0;
  for (const ParameterPiece &piece : pieces) {
    if (piece.first < covered)
      fail("parameter {}: element {} is in two buckets, or twice in one",
           parameter.name, piece.first);
    if (piece.first > covered)
      break;
    covered += piece.count;
  }
  if (covered != parameter.elements)
    fail("parameter {}: element {} of {} is in no bucket", parameter.name,
         covered, parameter.elements);
}

} // namespace

zrt_ref zrt::elementsOf(const ParameterPiece &piece, zrt_dtype dtype,
                        uint64_t first, uint64_t count) {
  const uint64_t bytes = dtypeBytes(dtype);
  return {piece.at.tier, 0, piece.at.offset + first * bytes, count * bytes};
}

bool zrt::hasMasters(const zrt_plan &plan) {
  return std::ranges::any_of(statesOf(plan), [](const zrt_state &state) {
    return std::string_view(state.slot) == "master";
  });
}

/// Finds the parameters, with their places in slot slotOf(bucket) of each
/// bucket; "" excludes the bucket.
template <typename SlotOf>
static std::vector<Parameter> find(const zrt_plan &plan, int rank,
                                   SlotOf slotOf) {
  const RankGroups groups(plan);
  std::vector<Parameter> parameters;
  std::map<std::string_view, size_t> byName;
  for (uint32_t b = 0; b < plan.bucket_count; ++b) {
    const std::string_view slot = slotOf(b);
    if (slot.empty())
      continue;
    const zrt_bucket &bucket = plan.buckets[b];
    const zrt_state &state = stateOf(plan, b, slot);
    checkSlices(plan, bucket, state);
    for (const zrt_member &member : membersOf(bucket)) {
      const uint64_t elements = checkMember(bucket, member);
      const auto [known, isNew] =
          byName.try_emplace(member.name, parameters.size());
      Parameter parameter = {member.name,        shapeOf(member), elements,
                             state.dtype,        member.init,     {},
                             bucket.frozen != 0, bucket.packing};
      if (isNew)
        parameters.push_back(std::move(parameter));
      else
        checkSame(parameters[known->second], parameter);
      addPieces(bucket, member, state, groups, uint32_t(rank),
                parameters[known->second]);
    }
  }
  for (Parameter &parameter : parameters)
    checkTilesOfParameter(parameter);
  std::ranges::sort(parameters, {}, &Parameter::name);
  return parameters;
}

std::vector<Parameter> zrt::findParameters(const zrt_plan &plan, int rank,
                                           std::string_view slot) {
  return find(plan, rank, [&](uint32_t bucket) -> std::string_view {
    return slot != "param" && plan.buckets[bucket].frozen ? "" : slot;
  });
}

std::vector<Parameter> zrt::findExactParameters(const zrt_plan &plan,
                                                int rank) {
  const bool masters = hasMasters(plan);
  return find(plan, rank, [&](uint32_t bucket) {
    return masters && !plan.buckets[bucket].frozen ? "master" : "param";
  });
}

std::vector<Parameter> zrt::findRoundings(const zrt_plan &plan, int rank) {
  const bool masters = hasMasters(plan);
  return find(plan, rank, [&](uint32_t bucket) {
    return masters && !plan.buckets[bucket].frozen ? "param" : "";
  });
}
