//===- CollectiveProperties.cpp - Checks collectives on known numbers -----===//
#include "runtime/numbers/HalfArrays.h"
#include "runtime/system/Clock.h"
#include "runtime/transport/RankedSum.h"
#include "train/check/Comparisons.h"
#include "train/check/DeviceSections.h"
#include "train/check/Expect.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

using namespace zrt;
using namespace zrt::check;

namespace {

using Bytes = std::vector<std::byte>;

/// `count` elements that depend on the rank.
Bytes seeded(zrt_dtype dtype, uint64_t count, uint64_t rank) {
  if (dtype == ZRT_F64 || isConvertible(dtype))
    return bytesOf(some<double>(count, rank + 1), dtype);
  Bytes bytes(count * dtypeBytes(dtype));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte((i * 37 + rank * 11) & 1);
  return bytes;
}

class ExpectedCollective {
public:
  ExpectedCollective(const zrt_collective_desc &desc, uint32_t rank,
                     const RankGroups &groups)
      : d(desc), source(refOf(d.source, rank, groups)),
        result(refOf(d.result, rank, groups)) {
    const uint64_t count = source.bytes / dtypeBytes(d.source.dtype);
    const Party party = groups.partyOver(d.over, rank);
    const bool bySlice = d.order == ZRT_IN_TREE_OF_SLICES;
    own = bySlice ? groups.sliceOf(rank) : party.own;
    for (size_t place = 0; place < party.size(); ++place)
      parts.push_back(seeded(d.source.dtype, count,
                             bySlice ? groups.ownerOf(uint32_t(place))
                                     : uint64_t(party.ranks[place])));
    old = seeded(d.result.dtype, result.bytes / dtypeBytes(d.result.dtype),
                 1000 + rank);
  }

  void write(zrt_context *ctx) const {
    // In place, the source is part of the result, or the result of the source.
    if (!isInPlace() || d.kind == ZRT_ALL_GATHER)
      put(ctx, result, old);
    put(ctx, source, parts[own]);
  }

  Bytes expected() const {
    if (d.kind == ZRT_ALL_GATHER || d.kind == ZRT_ALL_TO_ALL) {
      const bool isCut = d.kind == ZRT_ALL_TO_ALL;
      const auto piece = long(source.bytes / (isCut ? parts.size() : 1)),
                 first = isCut ? long(own) * piece : 0;
      Bytes all;
      for (const Bytes &part : parts)
        all.insert(all.end(), part.begin() + first,
                   part.begin() + first + piece);
      return all;
    }
    const bool isSmall = d.kind == ZRT_ALL_REDUCE;
    const uint64_t share = isSmall ? 0 : source.bytes / parts.size();
    std::vector<const std::byte *> sources;
    sources.reserve(parts.size());
    for (const Bytes &part : parts)
      sources.push_back(part.data() + own * share);
    Bytes sum = old;
    if (isSmall) {
      smallSum(sources, d, sum.data());
      return sum;
    }
    rankedSum(sources.data(), sources.size(), d.source.dtype,
              share / dtypeBytes(d.source.dtype), float(d.scale),
              d.accumulate != 0, d.order != ZRT_IN_RANK_ORDER, d.result.dtype,
              sum.data());
    return sum;
  }

  Bytes read(zrt_context *ctx) const {
    Bytes bytes(result.bytes);
    if (zrt_read(ctx, &result, bytes.data(), bytes.size()) != 0)
      throw Error(zrt_error_message(ctx));
    return bytes;
  }

private:
  bool isInPlace() const {
    return source.tier == result.tier &&
           source.offset < result.offset + result.bytes &&
           result.offset < source.offset + source.bytes;
  }
  static void put(zrt_context *ctx, const zrt_ref &to, const Bytes &bytes) {
    if (zrt_write(ctx, &to, bytes.data(), to.bytes) != 0)
      throw Error(zrt_error_message(ctx));
  }

  const zrt_collective_desc &d;
  const zrt_ref source, result;
  std::vector<Bytes> parts; ///< sources of ranks, in the order of the sum
  size_t own = 0;           ///< this rank's place in their order
  Bytes old;                ///< the result's content before
};

/// One operation of each kind, and the number of that kind.
std::vector<std::pair<zrt_op, uint64_t>> kindsOf(const zrt_plan &plan) {
  std::vector<std::pair<zrt_op, uint64_t>> kinds;
  std::map<std::string, size_t> known;
  for (const zrt_op &op : opsOf(plan)) {
    if (op.kind != ZRT_COLLECTIVE)
      continue;
    const zrt_collective_desc &d = collectiveOf(op);
    const std::string key = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {}", op.stream, d.over,
        std::countr_zero(d.source.ref.offset | 256),
        std::countr_zero(d.result.ref.offset | 256), d.kind, d.accumulate,
        d.elements, d.scale, d.source.dtype, d.source.extent, d.result.dtype,
        d.result.extent,
        int64_t(d.source.ref.offset) - int64_t(d.result.ref.offset) == 0);
    const auto [at, isNew] = known.try_emplace(key, kinds.size());
    if (isNew)
      kinds.emplace_back(op, 0);
    ++kinds[at->second].second;
  }
  return kinds;
}

Finding compare(zrt_context *ctx, uint32_t program,
                const zrt_collective_desc &desc, const RankGroups &groups,
                uint64_t operations, World &world) {
  const ExpectedCollective collective(desc, uint32_t(world.rank()), groups);
  const Bytes expected = collective.expected();
  Difference difference;
  double best = 0;
  for (int run = 0; run < kRuns; ++run) {
    collective.write(ctx);
    world.barrier();
    const auto start = Clock::now();
    if (zrt_run(ctx, program) != 0)
      throw Error(zrt_error_message(ctx));
    best = std::max(best, double(desc.wire_bytes) / secondsSince(start) * 1e-9);
    const Bytes found = collective.read(ctx);
    difference.add(compareBits(desc.result.dtype, found.data(), expected.data(),
                               expected.size()));
  }
  Finding finding;
  finding.what = fmt::format(
      "{}: {} {} to {}{}{}", desc.name, desc.elements,
      dtypeName(desc.source.dtype), dtypeName(desc.result.dtype),
      desc.over == ZRT_OVER_ALL ? ""
                                : fmt::format(", over {}", overName(desc.over)),
      desc.accumulate ? ", accumulating" : "");
  finding.verdict = difference.wrong > 0 ? Verdict::Fails : Verdict::Holds;
  finding.found =
      difference.wrong > 0
          ? fmt::format("{} of {} elements, in {} runs, have other bits; {}",
                        difference.wrong, difference.elements, kRuns,
                        difference.where)
          : fmt::format("the same bits; {:.2f} GB/s received", best);
  if (operations > 1)
    finding.found += fmt::format(", {} times", operations);
  finding.numbers = {{"operations", double(operations)},
                     {"elements", double(difference.elements)},
                     {"wrong", double(difference.wrong)},
                     {"gigabytes_per_second", best}};
  return finding;
}

struct Destroy {
  void operator()(zrt_context *ctx) const { zrt_destroy(ctx); }
};

} // namespace

Section check::compareCollectives(const zrt_plan &plan, const zrt_setup &setup,
                                  World &world) {
  Section section = {
      "collectives",
      fmt::format("sums in the order of ranks, {} runs each, on {} ranks",
                  kRuns, world.size()),
      {}};
  const auto kinds = kindsOf(plan);
  for (size_t first = 0; first < kinds.size(); first += ZRT_PROGRAM_COUNT) {
    const size_t count =
        std::min<size_t>(kinds.size() - first, ZRT_PROGRAM_COUNT);
    zrt_plan some = plan;
    // Every program needs an operation: unused programs repeat the first.
    for (size_t i = 0; i < ZRT_PROGRAM_COUNT; ++i)
      some.programs[i] = {&kinds[first + (i < count ? i : 0)].first, 1, 0, 0};
    zrt_context *made = nullptr;
    const zrt_status status = zrt_create(&some, &made);
    std::unique_ptr<zrt_context, Destroy> ctx(made);
    zrt_world peers = {world};
    if (status != 0 || zrt_start(made, &setup, &peers) != 0)
      throw Error(zrt_error_message(made));
    for (size_t i = 0; i < count; ++i)
      section.findings.push_back(
          compare(made, uint32_t(i), collectiveOf(kinds[first + i].first),
                  RankGroups(plan), kinds[first + i].second, world));
    // Wait until all ranks have finished, destroy the context, and wait until
    // all ranks have released the memory that they share.
    world.barrier();
    ctx.reset();
    world.barrier();
  }
  return section;
}
