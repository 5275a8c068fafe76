//===- Digests.cpp - Writes and compares the digests of a run -------------===//
#include "train/run/Digests.h"

#include "abi/Counts.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <numeric>
#include <utility>

using namespace zrt;
using nlohmann::json;

namespace {

/// What of a run its header tells.
json describe(const zrt_plan &plan, const TrainOptions &options,
              const RunPosition &run) {
  json buckets = json::array();
  for (const zrt_bucket &bucket : bucketsOf(plan)) {
    if (bucket.frozen)
      continue;
    json members = json::array();
    for (const zrt_member &member : membersOf(bucket))
      members.push_back(
          {member.name, member.first, member.offset, member.count});
    buckets.push_back({{"name", bucket.name},
                       {"elements", bucket.elements},
                       {"members", members}});
  }
  return {{"digest", kDigestVersion},
          {"model", plan.model ? plan.model : ""},
          {"model_hash", fmt::format("{:016x}", plan.model_hash)},
          {"plan", plan.options ? plan.options : ""},
          {"ranks", plan.world_size},
          {"stage", plan.stage},
          {"group_size", plan.group_size},
          {"accumulate", plan.accumulate},
          {"virtual_shards", plan.virtual_shards},
          {"data", {run.dataBytes, run.dataHash}},
          {"inputs", {run.inputBytes, run.inputHash}},
          {"folder", std::filesystem::current_path().string()},
          {"train", options.repeated},
          {"buckets", buckets}};
}

/// Throws if one rank cannot repeat the sums of the plan's ranks, as zeroc
/// replay does.
void checkReplayed(const zrt_plan &plan) {
  if (plan.context > 1)
    fail("--digest: {} ranks of this plan share each sequence, so zeroc replay "
         "could not repeat them on one; say --digest-for=ranks if only runs on "
         "{} ranks are compared with it, by --against",
         plan.context, plan.world_size);
  if (plan.world_size == 1 || plan.virtual_shards != 0)
    return;
  const uint64_t micro = uint64_t{plan.world_size} * plan.accumulate;
  const std::string fix =
      std::has_single_bit(micro)
          ? fmt::format("compile with --virtual-shards={}", micro)
          : fmt::format("compile with --virtual-shards, for numbers of ranks "
                        "and micro-steps that are powers of two (now {} and "
                        "{})",
                        plan.world_size, plan.accumulate);
  fail(
      "--digest: the sums of this plan depend on its {} ranks, so zeroc replay "
      "could not repeat them on one; {}, or say --digest-for=ranks if only "
      "runs on {} ranks are compared with it, by --against",
      plan.world_size, fix, plan.world_size);
}

/// Buckets that are trained, in the order in which their gradients are ready.
std::vector<uint32_t> gradientOrder(const zrt_plan &plan) {
  std::vector<uint32_t> order;
  for (const zrt_op &op : opsOf(plan.programs[ZRT_STEP]))
    if (op.kind == ZRT_SQUARES)
      order.push_back(squaresOf(op).bucket);
  return order;
}

} // namespace

Digests::Digests(Run &theRun, Logs &theLogs)
    : run(theRun), logs(theLogs), plan(theRun.plan), options(theRun.options) {
  if (options.digest.empty() && options.against.empty())
    return;
  const char *option = options.digest.empty() ? "--against" : "--digest";
  if (plan.programs[ZRT_FIRST].ops)
    fail("{}: the plan leaves the update of a step to the next one; compile "
         "it without --overlap-update and --delayed-update",
         option);
  if (!options.digest.empty() && options.isReplayed)
    checkReplayed(plan);
  if (plan.make_device)
    fail("{}: there are no digests on GPUs; compile with --target=cpu", option);
  for (uint32_t i = 0; i < plan.bucket_count; ++i)
    if (!plan.buckets[i].frozen)
      trained.push_back(i);
  description = describe(plan, options, run.begin);
  if (!options.against.empty()) {
    other = std::make_unique<const DigestFile>(options.against);
    ready = gradientOrder(plan);
    try {
      checkOther(description);
    } catch (const json::exception &) {
      fail("{}: its first line lacks what a run is compared by; it is damaged",
           options.against);
    }
  }
  const json &compared = other ? other->header() : description;
  zrt_plan grouped = {};
  grouped.world_size = compared.at("ranks");
  grouped.group_size = compared.at("group_size");
  groups = std::make_unique<const RankGroups>(grouped);
  stage = compared.at("stage");
}

void Digests::checkOther(const json &mine) const {
  const std::string &path = options.against;
  const json &theirs = other->header();
  if (theirs.at("model_hash") != mine.at("model_hash"))
    fail("{} is of another model than this program's {}: of {} with {}; "
         "compile that one with its options",
         path, plan.model, theirs.at("model").dump(), theirs.at("plan").dump());
  for (const auto &[key, option] :
       {std::pair("data", "--data"), {"inputs", "--input"}})
    if (theirs.at(key) != mine.at(key))
      fail("{} is of a run that read other {} than this one: {} against {}; "
           "give this run the same",
           path, option, shownBytes(theirs.at(key).at(0).get<uint64_t>()),
           shownBytes(mine.at(key).at(0).get<uint64_t>()));
  const uint32_t ranks = other->ranks(), shards = theirs.at("virtual_shards");
  if (plan.world_size == ranks) {
    for (const char *key :
         {"stage", "group_size", "accumulate", "virtual_shards"})
      if (theirs.at(key) != mine.at(key))
        fail("{} is of a run with {} {}, and this plan has {}; compile it with "
             "the same, or for one rank",
             path, key, theirs.at(key).dump(), mine.at(key).dump());
  } else if (plan.world_size != 1) {
    fail("{} is of a run of {} ranks, which {} or one rank can repeat, and not "
         "{}",
         path, ranks, ranks, plan.world_size);
  } else if (shards == 0) {
    const uint64_t all =
        uint64_t(ranks) * theirs.at("accumulate").get<uint32_t>();
    fail("{} is of a run of {} ranks whose sums depend on their number, so one "
         "rank cannot repeat them; compile such a run with --virtual-shards={}",
         path, ranks, all);
  } else if (plan.virtual_shards != shards) {
    fail("{} is of a run with --virtual-shards={}, and this plan has {}; "
         "compile it with --virtual-shards={} --accumulate={}",
         path, shards, plan.virtual_shards, shards, shards);
  }
  const json &there = theirs.at("buckets"), &here = mine.at("buckets");
  for (size_t i = 0; i < std::max(there.size(), here.size()); ++i)
    if (i >= there.size() || i >= here.size() || there[i] != here[i])
      fail("{}: bucket {} of its run has other parameters than here; compile "
           "with the --bucket-size of that run, whose options are {}",
           path, (i < there.size() ? there : here)[i].at("name").dump(),
           theirs.at("plan").dump());
}

json Digests::header(int64_t first) const {
  if (options.digest.empty())
    return nullptr;
  json all = description;
  all["first"] = first;
  return all;
}

void Digests::checkSteps(int64_t first, int64_t end) const {
  if (!other)
    return;
  if (options.drives) // as many steps as requests make
    end = std::max(first, other->end());
  if (first >= end)
    fail("--against={}: no step is left to compare; the run begins with step "
         "{} and ends before {}",
         options.against, first, end);
  if (first < other->first() || end > other->end())
    fail("--against={}: it has steps {} to {}, and this run makes {} to {}; "
         "give it another --until or --resume",
         options.against, other->first(), other->end() - 1, first, end - 1);
  for (int64_t step = first; step < end; ++step) // before the work
    other->read(step);
}

Checksums Digests::sumsOf(const std::vector<uint64_t> &all, uint32_t bucket,
                          uint32_t rank) const {
  const uint32_t ranks = groups->ranks, slice = groups->sliceOf(rank);
  const auto at = [&](uint32_t what) {
    return all.begin() + int64_t(bucket * ZRT_DIGEST_COUNT + what) * ranks;
  };
  const auto state = [&](uint32_t what) {
    return stage == 0 ? std::accumulate(at(what), at(what) + ranks, uint64_t{})
                      : at(what)[slice];
  };
  return {state(ZRT_READ), at(ZRT_COMPUTED)[rank], state(ZRT_REDUCED),
          state(ZRT_WRITTEN)};
}

void Digests::gather(int64_t step) {
  zrt_context *ctx = run.context.get();
  World &world = run.world;
  std::vector<uint64_t> all(size_t{plan.bucket_count} * ZRT_DIGEST_COUNT *
                            groups->ranks);
  if (zrt_take_digest(ctx, all.data()) != 0)
    fail("step {}: {}", step, zrt_error_message(ctx));
  const bool isAlone = world.size() == 1;
  std::vector<Checksums> mine;
  for (uint32_t rank = 0; rank < groups->ranks; ++rank)
    if (isAlone || rank == uint32_t(world.rank()))
      for (const uint32_t bucket : trained)
        mine.push_back(sumsOf(all, bucket, rank));
  sums.resize(groups->ranks * trained.size());
  if (isAlone)
    sums = mine;
  else
    world.allGather(mine.data(), mine.size() * sizeof(Checksums), sums.data());
}

void Digests::afterStep(StepMetrics &step) {
  if (!groups)
    return;
  gather(step.step);
  if (other && different.empty())
    compare(step.step);
  logs.writeDigest(step.step, sums);
  if (!different.empty())
    run.diverge(different);
}

std::string Digests::bucketText(size_t number) const {
  const zrt_bucket &bucket = plan.buckets[trained[number]];
  std::string text = fmt::format("{} ({}", bucket.name, bucket.members->name);
  if (bucket.member_count > 1)
    text += fmt::format(" and {} more", bucket.member_count - 1);
  return text + ")";
}

std::string Digests::differenceText(uint32_t what, const Place &first,
                                    size_t ranks, bool isBegin) const {
  const std::string bucket = bucketText(first.bucket);
  std::string text;
  switch (what) {
  case ZRT_READ:
    text = fmt::format("rank {} read another parameter or optimizer state of "
                       "bucket {} than {}: bits changed while it was kept",
                       first.rank, bucket,
                       isBegin ? "the checkpoint has" : "it had written");
    break;
  case ZRT_COMPUTED:
    text = fmt::format("rank {} computed another gradient of bucket {} than "
                       "this run, from the same state",
                       first.rank, bucket);
    break;
  case ZRT_REDUCED:
    text = fmt::format("rank {} got another sum of the gradients of bucket {} "
                       "than this run, of the same gradients: the sum or the "
                       "collective was wrong",
                       first.rank, bucket);
    break;
  default:
    text = fmt::format("rank {} updated bucket {} to other values than this "
                       "run, from the same state and gradient",
                       first.rank, bucket);
  }
  if (ranks > 1)
    text += fmt::format("; so did {} other rank{}", ranks - 1,
                        ranks > 2 ? "s" : "");
  if (ranks > 1 && what == ZRT_COMPUTED)
    text += ": what they read may differ, such as rounded copies of parameters";
  return text;
}

void Digests::compare(int64_t step) {
  if (step >= other->end())
    fail("--against={}: it has steps {} to {}, and requests have made step {}; "
         "give it a run of as many",
         options.against, other->first(), other->end() - 1, step);
  const bool isBegin = !std::exchange(hasBegun, true);
  const std::vector<Checksums> theirs = other->read(step);
  std::vector<size_t> order(trained.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (uint32_t what = 0; what < ZRT_DIGEST_COUNT; ++what) {
    // Gradients are wrong from one on, which is computed before the others.
    if (what == ZRT_COMPUTED)
      std::ranges::stable_sort(order, {}, [this](size_t number) {
        return std::ranges::find(ready, trained[number]) - ready.begin();
      });
    std::vector<Place> found; // the first of each rank
    for (uint32_t rank = 0; rank < groups->ranks; ++rank)
      for (const size_t number : order) {
        const size_t at = rank * trained.size() + number;
        if (sums[at][what] == theirs[at][what])
          continue;
        found.push_back({rank, number});
        break;
      }
    if (!found.empty()) {
      different = fmt::format(
          "step {}: {}", step,
          differenceText(what, found.front(), found.size(), isBegin));
      return;
    }
  }
}

std::string Digests::agreement() const {
  const uint64_t rows =
      uint64_t(run.counts.here()) * groups->ranks * trained.size();
  return fmt::format(
      "steps {} to {} agree: {} x {}, {} checksums\n", run.counts.first(),
      run.counts.done() - 1, plural(groups->ranks, "rank"),
      plural(trained.size(), "bucket"), withCommas(rows * ZRT_DIGEST_COUNT));
}
