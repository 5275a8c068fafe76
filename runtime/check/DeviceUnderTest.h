//===- DeviceUnderTest.h - A device, and kernels of its own -----*- C++ -*-===//
//
// Conformance.h states what every device does.  A device takes part by a
// DeviceUnderTest: how it is made, and a few kernels in its own code, if it has them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/Error.h"
#include "runtime/core/Context.h"
#include "runtime/transport/Transport.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zrt::check {

struct DeviceUnderTest {
  const char *name;
  /// With threads.
  std::function<std::unique_ptr<Device>(const zrt_plan &)> make;

  // All of these or none.
  zrt_kernel_fn count; ///< args[0][i] += i + 1, i32; one more in a bad piece
  zrt_kernel_fn addTo; ///< args[1][i] += args[0][i], i32
  zrt_kernel_fn fails; ///< throws "broken kernel"
  /// args[3][i] = args[0][i] - args[2][0] * (args[1][i] + decay * args[0][i]),
  /// f32, with a decay of 0 and of 1.
  zrt_kernel_fn plain, decayed;

  /// Of an operation with a kernel that fails.
  const char *failure = "broken kernel";
  /// Whether the device can be used after it, by others and by host access.
  bool outlivesFailures = true;
  /// Whether a product of 16 bits may have a bias of f32.
  bool hasWideBias = true;

  bool hasKernels() const { return count != nullptr; }
};

/// A context on a device, of one rank.
class DeviceRun {
public:
  DeviceRun(const zrt_plan &plan, const DeviceUnderTest &device) {
    context.plan = plan;
    ContextParts parts;
    parts.chaos = std::make_unique<ChaosDelays>(0);
    parts.device = device.make(context.plan);
    parts.collectives = std::make_unique<Transport>(
        context.plan, parts.device->exported(), nullptr, *parts.chaos);
    context.run = std::make_unique<Context>(context.plan, 0, std::move(parts),
                                            context.error);
  }

  zrt_context *get() { return &context; }
  Device &device() { return context.run->device(); }
  std::string message() const { return zrt_error_message(&context); }
  /// Throws zrt::Error.
  void step() {
    if (zrt_run(&context, ZRT_STEP) != 0)
      throw Error(message());
  }

  /// The device's bytes, by host access.
  template <typename T>
  std::vector<T> read(const zrt_ref &ref) {
    std::vector<T> values(ref.bytes / sizeof(T));
    device().read(ref, values.data());
    return values;
  }
  template <typename T>
  void write(const zrt_ref &ref, const std::vector<T> &values) {
    if (ref.bytes != values.size() * sizeof(T))
      fail("{} bytes are written to a range of {}", values.size() * sizeof(T),
           ref.bytes);
    device().write(ref, values.data());
  }

private:
  zrt_context context;
};

} // namespace zrt::check
