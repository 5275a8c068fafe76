//===- ComparedDevice.cpp - Compares a device with a CPU twin -------------===//
//
// Wraps a device and checks its operations while a plan runs, with real
// operands at the plan's places.  For each operation to compare:
//
//   before   the operands are copied to a CpuDevice, the twin
//   then     the device executes it several times from the same operands; the
//            bits must be equal
//   after    the twin executes it, and all operands are compared
//
// So each comparison starts from the device's own bytes, and errors do not
// accumulate.  A write outside the results is found if it hits another operand.
// The training continues with the device's results, or with the twin's if the
// device's are wrong.
//
// Operations on host and NVMe streams, and those with operands outside device
// memory, are not compared.  There are no graphs, so the device cannot repeat
// operations without this wrapper.
//
//===----------------------------------------------------------------------===//
#include "train/check/ComparedDevice.h"

#include "runtime/device/cpu/CpuDevice.h"
#include "runtime/plan/LibraryAttention.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/start/Start.h"
#include "runtime/text/Error.h"
#include "train/check/Differences.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace zrt;
using namespace zrt::check;

namespace {

/// The plan for the twin: without exported memory, host arena and NVMe.
zrt_plan planOfTwin(zrt_plan plan) {
  plan.exported_begin = plan.arena_bytes[ZRT_DEVICE];
  plan.arena_bytes[ZRT_HOST] = plan.arena_bytes[ZRT_NVME] = 0;
  return plan;
}

/// Returns true if all operands are in device memory.
bool isOnDevice(const zrt_op &op) {
  bool isOnDevice = true;
  forEachOperand(op, [&](const std::string &, const zrt_operand &operand) {
    isOnDevice &= operand.ref.bytes == 0 || operand.ref.tier == ZRT_DEVICE;
  });
  return isOnDevice;
}

class ComparedDevice final : public Device {
public:
  /// `device` executes `plan` on `rank`; the results of comparisons go to
  /// `shown`.  The twin needs as much host memory as the compared operations
  /// touch, at most the size of the device arena.  Throws zrt::Error.
  ComparedDevice(const zrt_plan &plan, int rank, Comparisons &shown,
                 std::unique_ptr<Device> device);

  uint64_t arenaBytes(uint32_t tier) const override {
    return device->arenaBytes(tier);
  }
  std::byte *memory(const zrt_ref &ref) const override {
    return device->memory(ref);
  }
  void read(const zrt_ref &from, void *to) override { device->read(from, to); }
  void write(const zrt_ref &to, const void *from) override {
    device->write(to, from);
  }
  void fill(const zrt_ref &to, unsigned char byte) override {
    device->fill(to, byte);
  }
  std::string note() const override { return device->note(); }
  ExportedMemory exported() const override { return device->exported(); }
  void startThreads(const zrt_plan &plan, int threads,
                    std::vector<int> processors, int hostThreads) override {
    device->startThreads(plan, threads, std::move(processors), hostThreads);
  }
  double matmulRate(zrt_dtype dtype) override {
    return device->matmulRate(dtype);
  }
  std::string howMultiplied(const zrt_matmul_desc &desc) const override {
    return device->howMultiplied(desc);
  }
  std::optional<uint64_t> bytesInUse() const override {
    return device->bytesInUse();
  }
  void beginProgram() override { device->beginProgram(); }
  void endProgram() override { device->endProgram(); }

  void check(const zrt_op &op) const override;
  int threads() const override { return device->threads(); }
  int hostThreads() const override { return device->hostThreads(); }
  void work(const zrt_op &op, const BucketPart *bucket) override;
  uint64_t copy(zrt_stream stream, const zrt_ref &from,
                const zrt_ref &to) override;
  void record(zrt_stream stream, uint32_t event) override {
    device->record(stream, event);
  }
  void wait(zrt_stream stream, uint32_t event) override {
    device->wait(stream, event);
  }
  void finish(zrt_stream stream) override { device->finish(stream); }
  void bringToHost(zrt_stream stream, const zrt_ref &ref) override {
    device->bringToHost(stream, ref);
  }
  void bringBack(zrt_stream stream, const zrt_ref &ref) override {
    device->bringBack(stream, ref);
  }

private:
  using Work = std::function<void(Device &)>;
  /// The bytes of an operand, with its name and type.
  struct Range {
    std::string name;
    zrt_ref ref;
    zrt_dtype dtype;
  };

  bool isCompared(zrt_stream stream) const;
  void compare(const zrt_op &op, const Work &work, Comparison &shown);
  /// The ranges of the operands, without duplicates.
  std::vector<Range> rangesOf(const zrt_op &op) const;
  std::vector<std::vector<std::byte>>
  contents(const std::vector<Range> &ranges) const;
  void judge(const zrt_op &op, const std::vector<Range> &ranges,
             const std::vector<std::vector<std::byte>> &given,
             const std::vector<std::vector<std::byte>> &found,
             Comparison &shown) const;

  const zrt_plan &plan;
  const uint32_t rank;
  Comparisons &shown;
  const std::unique_ptr<Device> device;
  CpuDevice twin;
};

ComparedDevice::ComparedDevice(const zrt_plan &thePlan, int theRank,
                               Comparisons &theShown,
                               std::unique_ptr<Device> theDevice)
    : plan(thePlan), rank(uint32_t(theRank)), shown(theShown),
      device(std::move(theDevice)), twin(planOfTwin(thePlan)) {
  twin.startThreads(planOfTwin(thePlan), device->hostThreads(), {},
                    /*hostThreads=*/1);
}

bool ComparedDevice::isCompared(zrt_stream stream) const {
  const uint32_t kind = plan.streams[stream].stream_class;
  return kind != ZRT_HOST_STREAM && kind != ZRT_NVME_READ &&
         kind != ZRT_NVME_WRITE;
}

void ComparedDevice::check(const zrt_op &op) const {
  device->check(op);
  if (isCompared(op.stream))
    twin.check(op);
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

std::vector<ComparedDevice::Range>
ComparedDevice::rangesOf(const zrt_op &op) const {
  std::vector<Range> ranges;
  const zrt_device_attention *library =
      op.kind == ZRT_LAUNCH ? attentionOf(plan, launchOf(op)) : nullptr;
  const zrt_operand *room =
      library ? &launchOf(op).args[library->room.operand - 1] : nullptr;
  forEachOperand(op, [&](const std::string &name, const zrt_operand &operand) {
    if (&operand == room)
      return; // a library leaves anything there
    // Use the rank's part only: other operations may work on the rest of a
    // whole bucket at the same time.
    const zrt_ref ref = refOf(operand, rank, RankGroups(plan));
    const bool isKnown =
        std::any_of(ranges.begin(), ranges.end(), [&](const Range &other) {
          return other.ref.offset == ref.offset && other.ref.bytes == ref.bytes;
        });
    if (ref.bytes > 0 && !isKnown)
      ranges.push_back({name, ref, operand.dtype});
  });
  return ranges;
}

std::vector<std::vector<std::byte>>
ComparedDevice::contents(const std::vector<Range> &ranges) const {
  std::vector<std::vector<std::byte>> all;
  for (const Range &range : ranges) {
    all.emplace_back(range.ref.bytes);
    device->read(range.ref, all.back().data());
  }
  return all;
}

void ComparedDevice::compare(const zrt_op &op, const Work &work,
                             Comparison &result) {
  const std::vector<Range> ranges = rangesOf(op);
  device->finish(op.stream);
  for (const Range &range : ranges)
    device->read(range.ref, twin.memory(range.ref));
  if (op.kind == ZRT_MATMUL)
    result.how = device->howMultiplied(matmulOf(op));
  try {
    work(*device);
    device->finish(op.stream);
    const auto found = contents(ranges);
    std::vector<std::vector<std::byte>> given;
    given.reserve(ranges.size());
    for (const Range &range : ranges)
      given.emplace_back(twin.memory(range.ref),
                         twin.memory(range.ref) + range.ref.bytes);
    for (int run = 1; run < kRuns; ++run) {
      for (size_t i = 0; i < ranges.size(); ++i)
        if (const std::byte *before = twin.memory(ranges[i].ref);
            std::memcmp(found[i].data(), before, found[i].size()) != 0)
          device->write(ranges[i].ref, before);
      work(*device);
      device->finish(op.stream);
      result.otherRuns += contents(ranges) != found;
    }
    work(twin);
    judge(op, ranges, given, found, result);
    result.isDone = true;
    // Write correct results, so that later operations do not fail, too.
    if (!result.holds())
      for (const Range &range : ranges)
        device->write(range.ref, twin.memory(range.ref));
  } catch (const std::exception &error) {
    result.failure = error.what();
    throw;
  }
}

void ComparedDevice::judge(const zrt_op &op, const std::vector<Range> &ranges,
                           const std::vector<std::vector<std::byte>> &given,
                           const std::vector<std::vector<std::byte>> &found,
                           Comparison &result) const {
  for (size_t i = 0; i < ranges.size(); ++i) {
    const zrt_ref &ref = ranges[i].ref;
    const bool isC =
        op.kind == ZRT_MATMUL && ref.offset == matmulOf(op).c.ref.offset;
    Difference one;
    if (isC) {
      const zrt_matmul_desc &d = matmulOf(op);
      one = compareMatmuls(d,
                           {twin.memory(d.a.ref), twin.memory(d.b.ref),
                            d.has_bias ? twin.memory(d.bias.ref) : nullptr},
                           found[i].data(), twin.memory(ref));
    } else if (op.kind == ZRT_GROUPED && isResult(groupedOf(op), ref.offset)) {
      one = compareGroups(
          groupedOf(op), ref,
          [&](const zrt_ref &at) { return twin.memory(at); }, found[i].data());
    } else if (op.kind == ZRT_LAUNCH && !result.wantsBits &&
               std::memcmp(given[i].data(), twin.memory(ref), ref.bytes) != 0) {
      one = compareRounded(ranges[i].dtype, found[i].data(), twin.memory(ref),
                           ref.bytes);
    } else {
      one = compareBits(ranges[i].dtype, found[i].data(), twin.memory(ref),
                        ref.bytes);
    }
    if (result.difference.wrong == 0 && one.wrong > 0) {
      result.operand = ranges[i].name;
      result.wrong = one;
    }
    result.difference.add(one);
  }
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void ComparedDevice::work(const zrt_op &op, const BucketPart *bucket) {
  const auto workOf = [&](Device &by) { by.work(op, bucket); };
  Comparison *first =
      isCompared(op.stream) && isOnDevice(op) ? shown.begin(plan, op) : nullptr;
  if (first)
    compare(op, workOf, *first);
  else
    workOf(*device);
}

uint64_t ComparedDevice::copy(zrt_stream stream, const zrt_ref &from,
                              const zrt_ref &to) {
  const std::string name =
      fmt::format("{} to {}", tierName(from.tier), tierName(to.tier));
  const zrt_copy_desc desc = {
      name.c_str(), {from, ZRT_I8, ZRT_MEMBERS}, {to, ZRT_I8, ZRT_MEMBERS}};
  Comparison *first = shown.begin(plan, {ZRT_COPY, stream, &desc});
  if (!first)
    return device->copy(stream, from, to);
  device->finish(stream);
  std::vector<std::byte> sent(from.bytes), arrived(from.bytes);
  device->read(from, sent.data());
  const uint64_t moved = device->copy(stream, from, to);
  device->finish(stream);
  device->read({to.tier, 0, to.offset, from.bytes}, arrived.data());
  first->difference = first->wrong =
      compareBits(ZRT_I8, arrived.data(), sent.data(), from.bytes);
  first->operand = "what arrived";
  first->isDone = true;
  return moved;
}

} // namespace

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

zrt_status check::startCompared(zrt_context *ctx, const zrt_setup *setup,
                                zrt_world *world, Comparisons &shown) {
  const int rank = world ? world->world.rank() : 0;
  return startAround(*ctx, *setup, world ? &world->world : nullptr,
                     [&](std::unique_ptr<Device> device) {
                       return std::make_unique<ComparedDevice>(
                           ctx->plan, rank, shown, std::move(device));
                     });
}

std::optional<uint64_t> check::bytesInUse(zrt_context *ctx) {
  return ctx->run->device().bytesInUse();
}
