//===- ComparedDevice.h - Compares a device with a CPU twin -----*- C++ -*-===//
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

} // namespace zrt::check
