//===- Conformance.h - What every device does alike -------------*- C++ -*-===//
//
// docs/runtime.md lists it, by letters.  Each is a function that throws where it does
// not hold: unit tests call them for every device, --device-check for that of a plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/check/DeviceUnderTest.h"

#include <vector>

namespace zrt::check {

struct Property {
  const char *name; ///< "A_ArenasHaveThePlansSizeAndAreZero"
  bool needsKernels;
  /// Throws zrt::Error: what the device did.
  void (*hold)(const DeviceUnderTest &device);
};

/// In the order of their letters.
std::vector<Property> conformance();

/// Its parts, by what they are of.
std::vector<Property> memoryProperties();
std::vector<Property> streamProperties();
std::vector<Property> productProperties();
std::vector<Property> bucketProperties();

} // namespace zrt::check
