//===- DeviceUnderTest.h - The devices of a test program --------*- C++ -*-===//
#pragma once

#include "runtime/check/DeviceUnderTest.h"

#include "TestPlan.h"

#include <vector>

namespace zrt::test {

using check::DeviceRun;
using check::DeviceUnderTest;

/// Those of the program that is linked.
std::vector<DeviceUnderTest> devicesUnderTest();

} // namespace zrt::test
