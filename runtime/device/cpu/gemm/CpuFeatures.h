//===- CpuFeatures.h - Features of this machine's processor -----*- C++ -*-===//
//
// A step is compiled for a processor.  On an older one it would die of an
// illegal instruction, so it is refused at the start instead.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace zrt {

/// Returns this machine's flags in the spelling of /proc/cpuinfo.
std::set<std::string> cpuFlags();

/// Returns true if `flags` have LLVM's feature `feature` ("avx512vnni",
/// "sse4.2").
bool hasFeature(const std::set<std::string> &flags, std::string_view feature);

/// Throws unless `flags` have all of `features`, a comma-separated list.  `cpu`
/// names the plan's target in the message.
void checkFeatures(std::string_view features, std::string_view cpu,
                   const std::set<std::string> &flags);

} // namespace zrt
