//===- PlanDevice.h - The device of a compiled plan, for others -*- C++ -*-===//
#pragma once

#include "runtime/core/Device.h"
#include "runtime/zrt.h"

#include <list>
#include <memory>
#include <string>

namespace zrt::check {

/// Makes devices as a compiled plan has them, for plans made by hand.
class PlanDevice {
public:
  /// `nvmePath`: folders of the nvme tier; "": that of temporary files.
  PlanDevice(const zrt_plan &compiled, int rank, std::string nvmePath)
      : compiled(compiled), rank(rank), nvmePath(std::move(nvmePath)) {}

  /// With threads; this outlives it.  Throws zrt::Error.
  std::unique_ptr<Device> make(const zrt_plan &plan);

private:
  const zrt_plan &compiled;
  const int rank;
  const std::string nvmePath;
  std::list<zrt_plan> plans; ///< a device refers to its own
};

} // namespace zrt::check
