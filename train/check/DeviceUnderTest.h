//===- DeviceUnderTest.h - A device and its kernels for tests ---*- C++ -*-===//
//
// Conformance.h checks properties of every device.  A DeviceUnderTest describes
// a device to it: how to make one, and a few kernels in the device's own code,
// if it has them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Context.h"
#include "runtime/text/Error.h"
#include "runtime/transport/Transport.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zrt::check {

struct DeviceUnderTest {
  const char *name;
  /// Makes a device with threads.
  std::function<std::unique_ptr<Device>(const zrt_plan &)> make;

  // Either all of these kernels are set or none.
  zrt_kernel_fn count; ///< args[0][i] += i + 1, i32; one more in a bad piece
  zrt_kernel_fn addTo; ///< args[1][i] += args[0][i], i32
  zrt_kernel_fn fails; ///< throws "broken kernel"
  /// args[3][i] = args[0][i] - args[2][0] * (args[1][i] + decay * args[0][i]),
  /// f32, with a decay of 0 and of 1.
  zrt_kernel_fn plain, decayed;

  /// The message of an operation whose kernel fails.
  const char *failure = "broken kernel";
  /// Whether other contexts and host access can use the device after a failure.
  bool outlivesFailures = true;
  /// Whether a 16-bit product may have an f32 bias.
  bool hasWideBias = true;

  bool hasKernels() const { return count != nullptr; }
};

/// A context of one rank on a device.
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

  /// Reads the device's bytes by host access.
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
