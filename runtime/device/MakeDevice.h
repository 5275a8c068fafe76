//===- MakeDevice.h - The request to make a plan's device -------*- C++ -*-===//
//
// A plan names the function that makes its device (zrt_plan.make_device), so
// that only the devices that a program uses are attached to it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Device.h"

#include <functional>
#include <memory>

namespace zrt {
class Collectives;
class Transport;
class World;

/// Returns the plan of the host's processors beside a device: without its tier.
inline zrt_plan planOfHost(zrt_plan plan) {
  plan.arena_bytes[ZRT_DEVICE] = plan.exported_begin = 0;
  return plan;
}
} // namespace zrt

/// The arguments of a zrt_device_maker, and the results that it fills in.  The
/// maker throws zrt::Error.
struct zrt_device_request {
  const zrt_plan &plan; ///< outlives the device
  int rank;
  /// The number of the rank among those of its host, of which each takes
  /// another device.
  int rankOnHost;
  /// The host's processors, with the host and nvme tiers only.
  std::unique_ptr<zrt::Device> host;
  std::unique_ptr<zrt::Device> device;
  /// Set if devices exchange data among themselves.  All ranks call it
  /// together, with the transport that reports failures to them.
  std::function<std::unique_ptr<zrt::Collectives>(
      zrt::World &, std::unique_ptr<zrt::Transport>)>
      connect;
};
