//===- PlanDevice.h - Makes a compiled plan's device for checks -*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/Device.h"

#include <list>
#include <memory>
#include <string>

namespace zrt::check {

/// Makes devices of a compiled plan's kind for plans built by HandPlan.h.
class PlanDevice {
public:
  /// `nvmePath`: folders of the NVMe tier; "": the folder of temporary files.
  /// `rankOnHost` is the number of the rank on its host.
  PlanDevice(const zrt_plan &compiled, int rankOnHost, std::string nvmePath)
      : compiled(compiled), rankOnHost(rankOnHost),
        nvmePath(std::move(nvmePath)) {}

  /// Makes a device with threads; this object must outlive it.  Throws
  /// zrt::Error.
  std::unique_ptr<Device> make(const zrt_plan &plan);

private:
  const zrt_plan &compiled;
  const int rankOnHost;
  const std::string nvmePath;
  std::list<zrt_plan> plans; ///< devices refer to these
};

} // namespace zrt::check
