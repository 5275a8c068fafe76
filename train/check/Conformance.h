//===- Conformance.h - Properties that all devices share --------*- C++ -*-===//
//
// docs/runtime.md lists the properties by letter.  Each is a function that
// throws if the property does not hold.  Unit tests call them for every device,
// and --device-check calls them for the device of a plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/check/DeviceUnderTest.h"

#include <vector>

namespace zrt::check {

struct Property {
  const char *name; ///< "A_ArenasHaveThePlansSizeAndAreZero"
  bool needsKernels;
  /// Throws zrt::Error with what the device did instead.
  void (*hold)(const DeviceUnderTest &device);
};

/// All properties, in the order of their letters.
std::vector<Property> conformance();

/// The properties by topic.
std::vector<Property> memoryProperties();
std::vector<Property> streamProperties();
std::vector<Property> matmulProperties();
std::vector<Property> bucketProperties();

} // namespace zrt::check
