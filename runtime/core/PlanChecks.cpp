//===- PlanChecks.cpp - Checks that this runtime can run a plan -----------===//
#include "runtime/core/PlanChecks.h"

#include "abi/Counts.h"
#include "runtime/numbers/Shape.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <bit>

using namespace zrt;

static void checkTensor(const zrt_plan &plan, const zrt_ref &ref,
                        zrt_dtype dtype, uint64_t elements,
                        const std::string &what) {
  checkRef(plan, ref, what);
  const uint64_t size = dtypeBytes(dtype);
  if (size == 0)
    fail("{}: dtype {} does not exist", what, dtype);
  if (elements > ref.bytes / size)
    fail("{}: {} elements of {} bytes need more than its {}", what, elements,
         size, shownBytes(ref.bytes));
}

static void checkGroups(const zrt_plan &plan) {
  const uint32_t size = plan.group_size, hosts = plan.ranks_per_host;
  if (size != 0 &&
      (size < 2 || size >= plan.world_size || plan.world_size % size != 0))
    fail("the plan has groups of {}; they have 2 or more of its {} ranks, and "
         "divide these",
         size, plan.world_size);
  if (hosts != 0 && hosts != size)
    fail("the plan has {} ranks on a host and groups of {}; both are the same",
         hosts, size);
  if (plan.context > 1 && plan.world_size % plan.context != 0)
    fail("the plan has {} ranks for a sequence, which do not divide its {}",
         plan.context, plan.world_size);
  const uint32_t shards = plan.virtual_shards;
  if (shards != 0 &&
      (!std::has_single_bit(shards) || shards % plan.world_size != 0))
    fail("the plan has {} virtual shards on {} ranks; they are a power of two, "
         "and dealt out evenly",
         shards, plan.world_size);
  for (const zrt_bucket &bucket : bucketsOf(plan))
    if (shards != 0 && bucket.elements % shards != 0)
      fail("bucket {}: its {} elements are not {} virtual shards of one size",
           bucket.name ? bucket.name : "?", bucket.elements, shards);
}

void zrt::checkVersion(const zrt_plan &plan) {
  if (plan.abi_version != ZRT_ABI_VERSION)
    fail(
        "the plan has ABI version {}, this runtime {}; compile the model again "
        "with the zeroc of this runtime",
        plan.abi_version, ZRT_ABI_VERSION);
}

void zrt::checkPlan(const zrt_plan &plan) {
  if (plan.world_size == 0)
    fail("the plan is for 0 ranks");
  if (!plan.programs[ZRT_STEP].ops && !plan.programs[ZRT_PREFILL].ops &&
      !plan.programs[ZRT_SCORE].ops)
    fail("the plan has no step");
  checkGroups(plan);
  const RankGroups groups(plan);
  const uint64_t device = plan.arena_bytes[ZRT_DEVICE];
  if (plan.world_size > 1 &&
      (plan.exported_begin > device ||
       (plan.exported_begin < device && plan.exported_begin % 4096 != 0)))
    fail("the plan exports the device arena from {} on; that must be a "
         "multiple of 4096, or the arena's {}",
         withCommas(plan.exported_begin), shownBytes(device));

  for (const zrt_state &state : statesOf(plan)) {
    const std::string what =
        fmt::format("state \"{}\" of bucket {}", state.slot ? state.slot : "?",
                    state.bucket);
    if (state.bucket >= plan.bucket_count)
      fail("{}: the plan has {} buckets", what, plan.bucket_count);
    const uint64_t elements = plan.buckets[state.bucket].elements;
    if (state.extent != ZRT_WHOLE && state.extent != ZRT_SLICE &&
        !(state.extent == ZRT_PART && groups.exist()))
      fail("{}: it is {}; a state is whole, a slice or{} a part", what,
           extentName(state.extent), groups.exist() ? "" : ", in groups,");
    checkTensor(plan, state.ref, state.dtype,
                elements / groups.sharesOf(state.extent), what);
  }
  for (const zrt_input &input : inputsOf(plan)) {
    const std::string what =
        fmt::format("input \"{}\"", input.name ? input.name : "?");
    const auto elements = countElements({input.shape, input.rank});
    if (!elements)
      fail("{}: its shape is not a shape", what);
    checkTensor(plan, input.ref, input.dtype, *elements, what);
  }
  for (const zrt_output &output : outputsOf(plan))
    checkTensor(plan, output.ref, output.dtype, 1,
                fmt::format("output \"{}\"", output.name ? output.name : "?"));
  for (const zrt_ref &cache : cachesOf(plan))
    checkRef(plan, cache, "a cache");
  checkTables(plan);
}

void zrt::checkRanks(const zrt_plan &plan, int ranks) {
  if (plan.world_size != static_cast<uint32_t>(ranks))
    fail("compiled for {1}, started with {2}; start {0} or compile with "
         "--world-size={2}",
         plan.world_size, plural(plan.world_size, "rank"), ranks);
}
