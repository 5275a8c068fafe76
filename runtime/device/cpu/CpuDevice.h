//===- CpuDevice.h - Runs plans on the processors of a host -----*- C++ -*-===//
#pragma once

#include "runtime/core/Device.h"
#include "runtime/device/cpu/Team.h"
#include "runtime/device/cpu/gemm/Gemm16.h"
#include "runtime/device/memory/Arena.h"
#include "runtime/store/Store.h"

#include <array>
#include <memory>
#include <vector>

namespace zrt {

/// Throws unless this machine has the instructions that `plan` was compiled
/// for.
void checkMachine(const zrt_plan &plan);

class CpuDevice final : public Device {
public:
  /// Maps the arenas of `plan`, which is used only in this call.  With
  /// `isGuarded` the arenas are open to kernels only while a program runs.
  /// `store` is the nvme tier, or nullptr.  Throws zrt::Error.
  explicit CpuDevice(const zrt_plan &plan, bool isGuarded = false,
                     std::unique_ptr<Store> store = nullptr);

  /// The threads of `compute` are bound to `processors` if there are as many;
  /// those of class host sleep while idle; every other stream has one thread.
  /// Throws zrt::Error.
  void startThreads(const zrt_plan &plan, int threads,
                    std::vector<int> processors, int hostThreads) override;

  uint64_t arenaBytes(uint32_t tier) const override {
    return tier == ZRT_NVME && store ? store->bytes() : arenas[tier].size();
  }
  std::byte *memory(const zrt_ref &ref) const override {
    return arenas[ref.tier].data() + ref.offset;
  }
  void read(const zrt_ref &from, void *to) override;
  void write(const zrt_ref &to, const void *from) override;
  void fill(const zrt_ref &to, unsigned char byte) override;
  std::string note() const override;
  ExportedMemory exported() const override {
    return arenas[ZRT_DEVICE].exported();
  }

  double matmulRate(zrt_dtype dtype) override;

  void addTo(Digest &some) override { digest = &some; }

  void beginProgram() override;
  void endProgram() override;

  void check(const zrt_op &op) const override;
  int threads() const override { return computeThreads; }
  int hostThreads() const override { return hostStreamThreads; }
  void work(const zrt_op &op, const BucketPart *bucket) override;
  uint64_t copy(zrt_stream stream, const zrt_ref &from,
                const zrt_ref &to) override;

private:
  void run(zrt_stream stream, const zrt_launch_desc &desc);
  void run(zrt_stream stream, const zrt_matmul_desc &desc);
  void run(zrt_stream stream, const zrt_grouped_desc &desc);
  void run(zrt_stream stream, const zrt_unpack_desc &desc);
  void run(zrt_stream stream, const zrt_update_desc &desc,
           const BucketPart &bucket);
  void run(zrt_stream stream, const zrt_squares_desc &desc,
           const BucketPart &bucket);
  void run(zrt_stream stream, const zrt_quantize_desc &desc,
           const BucketPart &bucket);
  void run(zrt_stream stream, const zrt_dequantize_desc &desc,
           const BucketPart &bucket);

  std::byte *hostMemory(const zrt_ref &ref) const {
    return arenas[ref.tier].hostView() + ref.offset;
  }

  /// Creates a stream's lane to nvme.
  std::unique_ptr<Lane> openLane();

  struct Stream {
    std::unique_ptr<Team> team;
    std::unique_ptr<Lane> lane;    ///< to nvme, if the stream is such a link
    std::vector<void *> arguments; ///< of the kernel that runs now
  };

  /// Returns the addresses of `count` operands, valid until the stream's next
  /// operation.
  std::vector<void *> &addresses(zrt_stream stream, const zrt_operand *args,
                                 uint32_t count);

  const Kernel16 kernel16;
  std::array<Arena, ZRT_TIER_COUNT> arenas; ///< the one of nvme is empty
  const std::unique_ptr<Store> store;       ///< nullptr without nvme
  const bool isGuarded;
  std::string pinNote; ///< why host memory is not locked
  std::vector<Stream> streams;
  int computeThreads = 0, hostStreamThreads = 0;
  Digest *digest = nullptr;
};

} // namespace zrt
