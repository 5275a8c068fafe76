//===- ComparedDevice.h - A device beside the processors --------*- C++ -*-===//
//
// Stands between the core and a device, and looks at what that does while a plan
// runs: real operands, at the plan's places.  Of each operation that is to be
// compared
//
//   before   its operands are copied to a CpuDevice, the twin
//   then     the device executes it, and again from the same operands: the same
//            bits each time
//   after    the twin executes it, and all operands are compared
//
// So each comparison starts from the device's own bytes, errors do not add up, and
// what an operation writes beyond its results shows where it is another operand.
// The training goes on with what the device has computed, or with the twin's results
// where it is wrong.
//
// Streams that the host's processors serve are not compared, only their copies.
// Nothing is repeated by the device itself: there are no graphs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/check/Comparisons.h"
#include "runtime/core/Device.h"
#include "runtime/device/cpu/CpuDevice.h"

#include <functional>
#include <memory>
#include <vector>

namespace zrt::check {

class ComparedDevice final : public Device {
public:
  /// `device` executes `plan`, of `rank`; what it shows goes to `shown`.  The twin
  /// needs as much host memory as operations that are compared touch, at most that
  /// of the device arena.  Throws zrt::Error.
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
  double productRate(zrt_dtype dtype) override {
    return device->productRate(dtype);
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
  void launch(zrt_stream stream, const zrt_launch_desc &desc) override;
  void multiply(zrt_stream stream, const zrt_matmul_desc &desc) override;
  void multiplyGroups(zrt_stream stream, const zrt_grouped_desc &desc) override;
  void dequantize(zrt_stream stream, const zrt_dequantize_desc &desc) override;
  void update(zrt_stream stream, const zrt_update_desc &desc,
              const BucketPart &bucket) override;
  void sumSquares(zrt_stream stream, const zrt_squares_desc &desc,
                  const BucketPart &bucket) override;
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
  /// Bytes of an operand, and what they are.
  struct Range {
    std::string name;
    zrt_ref ref;
    zrt_dtype dtype;
  };

  bool isCompared(zrt_stream stream) const;
  /// Executes `op` by `work`, compared if it is the first of its kind.
  void execute(const zrt_op &op, const Work &work);
  void compare(const zrt_op &op, const Work &work, Comparison &shown);
  /// Each once.
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

} // namespace zrt::check
