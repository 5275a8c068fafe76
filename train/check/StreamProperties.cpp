//===- StreamProperties.cpp - Streams, events and errors ------------------===//
#include "train/check/Conformance.h"
#include "train/check/Expect.h"

#include <cstdlib>
#include <optional>

using namespace zrt;
using namespace zrt::check;

namespace {

/// Launches a kernel on integers, in pieces of 64.
Table &launch(Table &table, zrt_stream stream, zrt_kernel_fn kernel,
              const std::vector<zrt_ref> &args, int64_t units = kUnits) {
  std::vector<zrt_operand> operands;
  operands.reserve(args.size());
  for (const zrt_ref &ref : args)
    operands.push_back(tensor(ref, ZRT_I32));
  return table.launch(stream, "kernel.0", kernel, units, 64, operands);
}

void everyUnitOnce(const DeviceUnderTest &device) {
  Table table;
  launch(table, ZRT_COMPUTE, device.count, {numbers(0)});
  launch(table, ZRT_COMPUTE, device.count, {numbers(0)}, 0);
  DeviceRun run(planOf(table), device);
  for (int32_t times = 1; times <= 3; ++times) {
    run.step();
    expectEqual(run.read<int32_t>(numbers(0)), counted(times), "counts");
  }
}

/// A chain through five streams.  Each link needs its event, and each stream
/// makes two copies in order.  Step n makes the n-th count and adds the end of
/// the chain to a sum.  Devices without kernels copy these numbers instead.
zrt_plan chainPlan(const DeviceUnderTest &device) {
  constexpr zrt_stream streams[] = {ZRT_COMPUTE, ZRT_D2H, ZRT_HOST_STREAM,
                                    ZRT_H2D, ZRT_GATHER};
  constexpr uint32_t tiers[] = {ZRT_DEVICE, ZRT_HOST, ZRT_HOST, ZRT_DEVICE,
                                ZRT_DEVICE};
  const auto place = [&](uint32_t i) { return numbers(i, tiers[i]); };
  Table table;
  if (device.hasKernels())
    launch(table, ZRT_COMPUTE, device.count, {numbers(0)});
  else
    table.copy(ZRT_COMPUTE, numbers(6), numbers(0));
  for (uint32_t i = 0; i < 4; ++i)
    table.record(streams[i], i)
        .wait(streams[i + 1], i)
        .copy(streams[i + 1], place(i), numbers(5, tiers[i]))
        .copy(streams[i + 1], numbers(5, tiers[i]), place(i + 1));
  table.record(streams[4], 4).wait(ZRT_COMPUTE, 4);
  if (device.hasKernels())
    launch(table, ZRT_COMPUTE, device.addTo, {numbers(4), numbers(9)});
  else
    table.copy(ZRT_COMPUTE, numbers(4), numbers(9));
  zrt_plan plan = planOf(table);
  // Outputs keep their values from step to step.
  static const zrt_output outputs[] = {{"counter", ZRT_I32, 0, numbers(0)},
                                       {"source", ZRT_I32, 0, numbers(6)},
                                       {"sum", ZRT_I32, 0, numbers(9)}};
  plan.outputs = outputs;
  plan.output_count = 3;
  return plan;
}

/// Runs `steps` steps of the chain.
void runChain(const DeviceUnderTest &device, int32_t steps,
              const std::string &what) {
  DeviceRun run(chainPlan(device), device);
  for (int32_t step = 1; step <= steps; ++step) {
    run.write(numbers(6), counted(step));
    run.step();
    expectEqual(run.read<int32_t>(numbers(9)),
                counted(device.hasKernels() ? step * (step + 1) / 2 : step),
                fmt::format("{}, step {}", what, step));
  }
}

void streamsRunInOrder(const DeviceUnderTest &device) {
  runChain(device, 20, "a chain of streams");
}

/// Sets ZRT_CHAOS while it lives.
class ChaosSeed {
public:
  explicit ChaosSeed(int seed) {
    if (const char *was = std::getenv("ZRT_CHAOS"))
      before = was;
    setenv("ZRT_CHAOS", std::to_string(seed).c_str(), /*overwrite=*/1);
  }
  ~ChaosSeed() {
    if (before)
      setenv("ZRT_CHAOS", before->c_str(), /*overwrite=*/1);
    else
      unsetenv("ZRT_CHAOS");
  }
  ChaosSeed(const ChaosSeed &) = delete;
  ChaosSeed &operator=(const ChaosSeed &) = delete;

private:
  std::optional<std::string> before;
};

void delaysChangeNothing(const DeviceUnderTest &device) {
  for (int seed = 1; seed <= 10; ++seed) {
    const ChaosSeed chaos(seed);
    runChain(device, 4, fmt::format("delays of seed {}", seed));
  }
}

void firstErrorIsKept(const DeviceUnderTest &device) {
  Table table;
  launch(table, ZRT_H2D, device.fails, {}, /*units=*/1)
      .record(ZRT_H2D, 0)
      // A wait ends even after a failure.
      .wait(ZRT_COMPUTE, 0);
  launch(table, ZRT_COMPUTE, device.count, {numbers(0)});
  launch(table, ZRT_H2D, device.fails, {}, /*units=*/1);
  DeviceRun run(planOf(table), device);
  expect(zrt_run(run.get(), ZRT_STEP) != 0, "nobody noticed the failure");
  const std::string first = run.message();
  expect(first.find(device.failure) != std::string::npos, first);
  expect(zrt_run(run.get(), ZRT_STEP) != 0, "it ran after a failure");
  expect(run.message() == first, "another error: " + run.message());
  if (device.outlivesFailures)
    expectEqual(run.read<int32_t>(numbers(0)), counted(0), "counts");
}

void contextsAreApart(const DeviceUnderTest &device) {
  Table broken, counting;
  launch(broken, ZRT_COMPUTE, device.fails, {}, /*units=*/1);
  launch(counting, ZRT_COMPUTE, device.count, {numbers(0)});
  std::optional<DeviceRun> bad(std::in_place, planOf(broken), device);
  expect(zrt_run(bad->get(), ZRT_STEP) != 0, "nobody noticed the failure");
  if (!device.outlivesFailures)
    bad.reset();
  DeviceRun good(planOf(counting), device);
  good.step();
  expectEqual(good.read<int32_t>(numbers(0)), counted(1), "counts");
  expect(good.message().empty(), good.message());
}

} // namespace

std::vector<Property> check::streamProperties() {
  return {
      {"D_EveryUnitIsWorkedOnOnceInPiecesOfGrain", true, everyUnitOnce},
      {"E_StreamsRunInOrderAndWaitForEvents", false, streamsRunInOrder},
      {"F_DelaysChangeNoResult", false, delaysChangeNothing},
      {"K_TheFirstErrorIsKeptAndNothingRunsAfterIt", true, firstErrorIsKept},
      {"L_ContextsDoNotKnowEachOther", true, contextsAreApart},
  };
}
