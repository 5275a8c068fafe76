//===- MakeDevice.h - Who makes the device of a plan ------------*- C++ -*-===//
//
// A plan names the function that makes its device (zrt_plan.make_device), so that
// a program is linked with the devices that it uses, and no others.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_DEVICE_MAKE_DEVICE_H
#define ZRT_DEVICE_MAKE_DEVICE_H

#include "runtime/core/Device.h"
#include "runtime/store/Store.h"

#include <memory>

/// What a maker is given, and where it puts what it has made.  It throws
/// zrt::Error.
struct zrt_device_request {
  const zrt_plan &plan; ///< outlives the device
  int rank;
  bool isGuarded;                    ///< see docs/runtime.md, ZRT_GUARD
  std::unique_ptr<zrt::Store> store; ///< the bytes of nvme, or nullptr
  std::unique_ptr<zrt::Device> device;
};

#endif // ZRT_DEVICE_MAKE_DEVICE_H
