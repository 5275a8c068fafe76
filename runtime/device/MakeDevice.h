//===- MakeDevice.h - Who makes the device of a plan ------------*- C++ -*-===//
//
// A plan names the function that makes its device (zrt_plan.make_device), so that
// a program has the devices that it uses attached, and no others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Device.h"
#include "runtime/store/Store.h"

#include <functional>
#include <memory>

namespace zrt {
class Collectives;
class Transport;
class World;
} // namespace zrt

/// What a maker is given, and where it puts what it has made.  It throws
/// zrt::Error.
struct zrt_device_request {
  const zrt_plan &plan; ///< outlives the device
  int rank;
  bool isGuarded;                    ///< see docs/runtime.md, ZRT_GUARD
  std::unique_ptr<zrt::Store> store; ///< the bytes of nvme, or nullptr
  std::unique_ptr<zrt::Device> device;
  /// Where devices exchange by themselves: called by all ranks together, with the
  /// transport that tells them of failures.
  std::function<std::unique_ptr<zrt::Collectives>(
      zrt::World &, std::unique_ptr<zrt::Transport>)>
      connect;
};
