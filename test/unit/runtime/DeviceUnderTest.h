//===- DeviceUnderTest.h - The devices of a test program --------*- C++ -*-===//
#pragma once

#include "train/check/DeviceUnderTest.h"

#include "TestPlan.h"

#include <vector>

namespace zrt::test {

using check::DeviceRun;
using check::DeviceUnderTest;

/// Returns the devices of the linked program.
std::vector<DeviceUnderTest> devicesUnderTest();

} // namespace zrt::test
