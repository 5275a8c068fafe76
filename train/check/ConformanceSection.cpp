//===- ConformanceSection.cpp - Checks the shared properties --------------===//
#include "train/check/Conformance.h"
#include "train/check/DeviceSections.h"
#include "train/check/Expect.h"
#include "train/check/PlanDevice.h"

#include <cctype>

using namespace zrt;
using namespace zrt::check;

/// Turns "A_ArenasHaveThePlansSize" into "A  arenas have the plans size".
static std::string wordsOf(const std::string &name) {
  std::string text = name.substr(0, 1) + " ";
  for (const char letter : name.substr(2)) {
    if (std::isupper(static_cast<unsigned char>(letter)))
      text += ' ';
    text += char(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

Section check::conformanceOf(const zrt_plan &plan, int rankOnHost,
                             const std::string &nvmePath) {
  Section section = {"conformance", "what every device does", {}};
  PlanDevice devices(plan, rankOnHost, nvmePath);
  DeviceUnderTest device = {};
  device.name = "device";
  device.make = [&](const zrt_plan &some) { return devices.make(some); };
  device.hasWideBias = false;
  // While one device exists, further ones start quickly.
  const zrt_plan keptPlan = idle(4096);
  const std::unique_ptr<Device> kept = devices.make(keptPlan);
  std::string left;
  for (const Property &property : conformance()) {
    if (property.needsKernels) {
      left += (left.empty() ? "" : ", ") + std::string(property.name, 1);
      continue;
    }
    Finding finding;
    finding.what = wordsOf(property.name);
    try {
      property.hold(device);
    } catch (const std::exception &error) {
      finding.verdict = Verdict::Fails;
      finding.found = error.what();
    }
    section.findings.push_back(std::move(finding));
  }
  section.findings.push_back(
      {Verdict::Left,
       left,
       "need kernels of tests, which a program has none of; its own are below",
       {},
       true});
  return section;
}
