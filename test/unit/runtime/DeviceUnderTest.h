//===- DeviceUnderTest.h - The devices of a test program --------*- C++ -*-===//
#ifndef TEST_UNIT_RUNTIME_DEVICE_UNDER_TEST_H
#define TEST_UNIT_RUNTIME_DEVICE_UNDER_TEST_H

#include "runtime/check/DeviceUnderTest.h"

#include "TestPlan.h"

#include <vector>

namespace zrt::test {

using check::DeviceRun;
using check::DeviceUnderTest;

/// Those of the program that is linked.
std::vector<DeviceUnderTest> devicesUnderTest();

} // namespace zrt::test

#endif // TEST_UNIT_RUNTIME_DEVICE_UNDER_TEST_H
