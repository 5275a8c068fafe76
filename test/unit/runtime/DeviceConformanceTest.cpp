//===- DeviceConformanceTest.cpp - The common behaviour of all devices ----===//
//
// The behaviours are those of docs/runtime.md, by their letters
// (train/check/Conformance.h).
//
//===----------------------------------------------------------------------===//
#include "train/check/Conformance.h"

#include "DeviceUnderTest.h"

#include <gtest/gtest.h>

using namespace zrt;
using namespace zrt::check;
using namespace zrt::test;

namespace {

struct Case {
  DeviceUnderTest device;
  Property property;
};

/// "cpu1_A_ArenasHave..."
std::string nameOfDevice(const testing::TestParamInfo<Case> &info) {
  return std::string(info.param.device.name) + "_" + info.param.property.name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DeviceUnderTest &device : devicesUnderTest())
    for (const Property &property : conformance())
      all.push_back({device, property});
  return all;
}

class Conformance : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Devices, Conformance, testing::ValuesIn(cases()),
                         nameOfDevice);

/// Returns why the property does not hold, or "".
std::string failureOf(const Property &property, const DeviceUnderTest &device) {
  try {
    property.hold(device);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

TEST_P(Conformance, Holds) {
  EXPECT_EQ(failureOf(GetParam().property, GetParam().device), "");
}

/// Properties that also a device without kernels must have.
TEST(ConformanceWithoutKernels, Holds) {
  DeviceUnderTest device = devicesUnderTest().front();
  device.count = nullptr;
  for (const Property &property : streamProperties())
    if (!property.needsKernels)
      EXPECT_EQ(failureOf(property, device), "") << property.name;
}

} // namespace
