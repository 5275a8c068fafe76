//===- ranks.cpp - A job of several processes, for tests ------------------===//
//
//   mpirun -n N zrt_ranks N bits       rank 0 prints a hash of all results
//   mpirun -n N zrt_ranks N kill       the last rank kills itself in run 3
//   mpirun -n N zrt_ranks N stop       ... stops itself
//   mpirun -n N zrt_ranks N fail       ... fails in a kernel
//   mpirun -n N zrt_ranks N throw      ... fails outside of any run
//   mpirun -n N zrt_ranks N early      ... fails before ranks are connected
//   mpirun -n N zrt_ranks N asleep     ... stops itself before that
//   mpirun -n N zrt_ranks N unborn     ... stops itself before MPI starts
//   mpirun -n N zrt_ranks N groups     bits, in groups of two ranks
//   mpirun -n N zrt_ranks N spill      bits, and each spills to DIR=$TMPDIR
//   mpirun -n N zrt_ranks N speed      times of 64 MiB
//   zrt_ranks N wait                   waits for a signal and prints it
//   zrt_ranks N read                   each reads its standard input
//
// Needs no model and no compiler: the program consists of a few collectives.
//
//===----------------------------------------------------------------------===//
#include "runtime/core/Context.h"
#include "runtime/hash/Hash.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "runtime/world/World.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace zrt;

namespace {

constexpr uint64_t kPrivate = 1 << 20;
uint64_t ranks = 1, elements = 0;
std::string_view mode;
int me = 0, run = 0;

zrt_ref refAt(uint64_t offset, uint64_t count) {
  return {ZRT_DEVICE, 0, offset, count * 4};
}
zrt_collective_desc gather, reduce, norm, gatherFirst, reduceFirst;
zrt_launch_desc fault;
zrt_input inputs[3];
zrt_copy_desc spill, fetch;
const zrt_event_desc spilled = {0, 0};
zrt_op table[8];
const zrt_stream_desc streams[] = {{"compute", ZRT_COMPUTE, 0},
                                   {"gather", ZRT_GATHER, 0},
                                   {"reduce", ZRT_REDUCE, 0},
                                   {"nvme_read", ZRT_NVME_READ, 0},
                                   {"nvme_write", ZRT_NVME_WRITE, 0}};

/// The bytes that a rank spills and then fetches.
constexpr uint64_t kSpilled = (3 << 20) + 12;
constexpr zrt_ref kKept = {ZRT_HOST, 0, 0, kSpilled},
                  kOnNvme = {ZRT_NVME, 0, 0, kSpilled},
                  kFetched = {ZRT_HOST, 0, 4 << 20, kSpilled};

void misbehave(void *const *, int64_t, int64_t) {
  if (me != int(ranks) - 1 || run != 3)
    return;
  if (mode == "kill")
    raise(SIGKILL);
  if (mode == "stop")
    raise(SIGSTOP);
  if (mode == "fail")
    fail("the kernel is broken");
}

/// Spills the rank's bytes to nvme and fetches them.
void addSpill(zrt_plan &plan) {
  const auto operand = [](const zrt_ref &ref) {
    return zrt_operand{ref, ZRT_F32, ZRT_MEMBERS};
  };
  spill = {"spill of b2", operand(kKept), operand(kOnNvme)};
  fetch = {"fetch of b2", operand(kOnNvme), operand(kFetched)};
  table[4] = {ZRT_COPY, 4, &spill};
  table[5] = {ZRT_RECORD, 4, &spilled};
  table[6] = {ZRT_WAIT, 3, &spilled};
  table[7] = {ZRT_COPY, 3, &fetch};
  plan.stream_count = 5;
  plan.arena_bytes[ZRT_HOST] = 8 << 20;
  plan.arena_bytes[ZRT_NVME] = 4 << 20;
  plan.programs[ZRT_STEP] = {table, 8, 1, 0};
}

/// Collectives in two steps: over members and over groups of two ranks.
void useGroups(zrt_plan &plan) {
  plan.group_size = 2;
  gatherFirst = gather;
  gatherFirst.over = ZRT_OVER_GROUPS;
  gatherFirst.result.extent = gather.source.extent = ZRT_PART_OF_WHOLE;
  gather.over = reduceFirst.over = ZRT_OVER_MEMBERS;
  reduceFirst = reduce;
  reduceFirst.over = ZRT_OVER_MEMBERS;
  reduceFirst.scale = 1;
  // Behind the summed slice.
  reduceFirst.result.ref =
      refAt(reduce.result.ref.offset + (reduce.result.ref.bytes + 63) / 64 * 64,
            elements / 2);
  reduceFirst.result.extent = ZRT_PART;
  reduce.over = ZRT_OVER_GROUPS;
  reduce.source = reduceFirst.result;
  const uint64_t part = elements / 2 * 4, slice = elements / ranks * 4;
  gatherFirst.wire_bytes = reduce.wire_bytes = part - slice;
  gather.wire_bytes = reduceFirst.wire_bytes = part;
  table[4] = table[3];
  table[3] = table[2];
  table[2] = {ZRT_COLLECTIVE, table[3].stream, &gatherFirst};
  table[5] = table[1];
  table[1].descriptor = &reduceFirst;
  plan.programs[ZRT_STEP].op_count = 6;
}

zrt_plan makePlan(uint64_t count) {
  elements = count / ranks * ranks;
  const uint64_t bytes = (elements * 4 + 4095) / 4096 * 4096;
  const uint64_t wire = (ranks - 1) * (elements / ranks) * 4;
  const uint64_t slice = elements / ranks;
  const zrt_ref all = refAt(kPrivate, elements);
  gather = {"all_gather of b0",
            ZRT_ALL_GATHER,
            0,
            elements,
            1.0,
            wire,
            {all, ZRT_F32, ZRT_SLICE_OF_WHOLE},
            {all, ZRT_F32, ZRT_WHOLE},
            ZRT_OVER_ALL,
            0};
  reduce = {"reduce_scatter of b1",
            ZRT_REDUCE_SCATTER,
            0,
            elements,
            1.0 / double(ranks),
            wire,
            {refAt(kPrivate + bytes, elements), ZRT_F32, ZRT_WHOLE},
            {refAt(kPrivate + 2 * bytes, slice), ZRT_F32, ZRT_SLICE},
            ZRT_OVER_ALL,
            0};
  norm = {"all_reduce of norm",
          ZRT_ALL_REDUCE,
          0,
          2,
          1.0,
          (ranks - 1) * 16,
          {refAt(0, 4), ZRT_F64, ZRT_MEMBERS},
          {refAt(64, 4), ZRT_F64, ZRT_MEMBERS},
          ZRT_OVER_ALL,
          0};
  fault = {"fault", misbehave, 1, 1, 0, 0, nullptr};
  table[0] = {ZRT_LAUNCH, ZRT_REDUCE, &fault};
  table[1] = {ZRT_COLLECTIVE, ZRT_REDUCE, &reduce};
  // At the same time they would disturb each other's measurement.
  table[2] = {ZRT_COLLECTIVE,
              zrt_stream(mode == "speed" ? ZRT_REDUCE : ZRT_GATHER), &gather};
  table[3] = {ZRT_COLLECTIVE, ZRT_COMPUTE, &norm};
  zrt_plan plan = {};
  plan.abi_version = ZRT_ABI_VERSION;
  plan.world_size = uint32_t(ranks);
  plan.accumulate = 1;
  plan.model = "ranks";
  plan.arena_bytes[ZRT_DEVICE] = kPrivate + 3 * bytes;
  plan.exported_begin = kPrivate;
  plan.streams = streams;
  plan.stream_count = 3;
  plan.programs[ZRT_STEP] = {table, 4, 0, 0};
  if (mode == "spill")
    addSpill(plan);
  if (mode == "groups")
    useGroups(plan);
  inputs[0] = {"gather", ZRT_F32, 0, nullptr, gather.source.ref, 0, 0, 0, 0};
  const zrt_collective_desc &first = mode == "groups" ? reduceFirst : reduce;
  inputs[1] = {"reduce", ZRT_F32, 0, nullptr, first.source.ref, 0, 0, 0, 0};
  inputs[2] = {"norm", ZRT_F64, 0, nullptr, norm.source.ref, 0, 0, 0, 0};
  plan.inputs = inputs;
  plan.input_count = 3;
  return plan;
}

float *at(zrt_context *ctx, const zrt_ref &ref) {
  return reinterpret_cast<float *>(ctx->run->device().memory(ref));
}

void fill(zrt_context *ctx) {
  uint64_t x = uint64_t(me) * 7919 + uint64_t(run) * 104729 + 1;
  const auto next = [&] {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return float(int64_t(x >> 40) - (1 << 23)) / float(1 << (x >> 33 & 15));
  };
  const uint64_t slice = elements / ranks,
                 number = mode == "groups" ? me % 2 * (ranks / 2) + me / 2 : me;
  for (uint64_t i = 0; i < slice; ++i)
    at(ctx, gather.source.ref)[number * slice + i] = next();
  for (uint64_t i = 0; i < elements; ++i)
    at(ctx, inputs[1].ref)[i] = next();
  for (int i = 0; i < 2; ++i)
    reinterpret_cast<double *>(at(ctx, norm.source.ref))[i] = next();
}

/// Throws unless the spilled bytes have been fetched.
void checkFetched(zrt_context *ctx) {
  std::vector<char> bytes(kSpilled);
  if (zrt_read(ctx, &kFetched, bytes.data(), kSpilled) != 0)
    throw Error(zrt_error_message(ctx));
  if (bytes != std::vector<char>(kSpilled, char(me + run)))
    fail("it has fetched something else");
}

void bits(zrt_context *ctx, World &world) {
  Hash hash;
  const auto add = [&](const zrt_ref &ref) {
    hash.add({reinterpret_cast<const char *>(at(ctx, ref)), ref.bytes});
  };
  for (run = 0; run < 5; ++run) {
    fill(ctx);
    if (mode == "spill") {
      const std::vector<char> bytes(kSpilled, char(me + run));
      zrt_write(ctx, &kKept, bytes.data(), kSpilled);
    }
    if (zrt_run(ctx, ZRT_STEP) != 0)
      throw Error(zrt_error_message(ctx));
    if (mode == "spill")
      checkFetched(ctx);
    add(gather.result.ref);
    add(reduce.result.ref);
    add(norm.result.ref);
  }
  if (const std::string text = ctx->run->traffic.difference(); !text.empty())
    fail("{}", text);
  const uint64_t mine = hash.get();
  std::vector<uint64_t> all(ranks);
  world.allGather(&mine, sizeof mine, all.data());
  if (me == 0) {
    for (const uint64_t one : all)
      std::printf("%016llx ", static_cast<unsigned long long>(one));
    std::printf("\n");
  }
}

void speed(zrt_context *ctx) {
  fill(ctx);
  std::vector<double> times[3];
  for (run = 10; run < 25; ++run) {
    ctx->run->traffic.start();
    if (zrt_run(ctx, ZRT_STEP) != 0)
      throw Error(zrt_error_message(ctx));
    for (const TrafficRow &row : ctx->run->traffic.rows(std::nullopt))
      times[collectiveOf(*row.op).kind].push_back(row.seconds);
  }
  for (const uint32_t kind : {ZRT_ALL_GATHER, ZRT_REDUCE_SCATTER}) {
    std::sort(times[kind].begin(), times[kind].end());
    const double median = times[kind][times[kind].size() / 2];
    if (me == 0)
      std::printf("%s: %.0f us, %.2f GB/s\n",
                  kind == ZRT_ALL_GATHER ? "all_gather" : "reduce_scatter",
                  median * 1e6, double(elements) * 4 / median * 1e-9);
  }
}

/// Exits with status 40 when a signal arrives.
void waitForSignal() {
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
    struct sigaction action = {};
    action.sa_handler = [](int number) {
      std::fprintf(stderr, "rank %d: signal %d\n", me, number);
      std::fflush(stderr);
      usleep(300'000); // a second signal would be reported, too
      _exit(40);
    };
    action.sa_flags = SA_NODEFER;
    sigaction(number, &action, nullptr);
  }
  while (true)
    pause();
}

void readInput() {
  int bytes = 0;
  while (std::getchar() != EOF)
    ++bytes;
  std::printf("rank %d: %d bytes\n", me, bytes);
}

void job(World &world) {
  me = world.rank();
  if (mode == "wait")
    waitForSignal();
  if (mode == "read")
    return readInput();
  if (mode == "early" && me == int(ranks) - 1)
    fail("no data");
  if (mode == "asleep" && me == int(ranks) - 1)
    raise(SIGSTOP);
  const zrt_plan plan =
      makePlan(mode == "speed" ? uint64_t{16} << 20 : 1'000'003);
  zrt_world handle = {world};
  zrt_context *ctx = nullptr;
  const zrt_status made = zrt_create(&plan, &ctx);
  struct Destroy {
    zrt_context *ctx;
    ~Destroy() { zrt_destroy(ctx); }
  } destroy{ctx};
  const char *folder = getenv("TMPDIR");
  const zrt_setup setup = {1, 0, folder, 1, 0};
  if (made != 0 || zrt_start(ctx, &setup, &handle) != 0)
    throw Error(zrt_error_message(ctx));
  if (mode == "speed")
    return speed(ctx);
  if (mode == "throw" && me == int(ranks) - 1) {
    world.abort("the disk is full");
    fail("the disk is full");
  }
  bits(ctx, world);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  ranks = std::strtoull(argv[1], nullptr, 10);
  mode = argv[2];
  // The launcher's signal must not arrive before our message.
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGTERM, &action, nullptr);
  const char *launched = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!launched)
    launched = std::getenv("RANK");
  if (mode == "unborn" && launched && std::to_string(ranks - 1) == launched)
    raise(SIGSTOP);
  std::unique_ptr<World> world;
  try {
    world = connectWorld(uint32_t(ranks));
    job(*world);
    return 0;
  } catch (const Error &error) {
    if (error.what()[0])
      std::fprintf(stderr, "rank %d: %s\n", me, error.what());
    if (world) {
      world->abort(error.what());
      if (mode == "fail")
        world->leave(1);
    }
    return 1;
  }
}
