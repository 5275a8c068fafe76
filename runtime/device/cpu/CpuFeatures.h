//===- CpuFeatures.h - What this machine's processor can do -----*- C++ -*-===//
//
// A step is compiled for a processor.  Started on a lesser one it would die of
// an illegal instruction somewhere; it is refused at start instead.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace zrt {

/// The flags of this machine, as /proc/cpuinfo spells them.
std::set<std::string> cpuFlags();

/// Whether `flags` hold LLVM's feature `feature` ("avx512vnni", "sse4.2").
bool hasFeature(const std::set<std::string> &flags, std::string_view feature);

/// Whether the comma-separated `features` of a plan hold LLVM's `feature`.
bool lists(std::string_view features, std::string_view feature);

/// Throws unless `flags` hold all of `features`, a comma-separated list; `cpu`
/// is what the plan was compiled for, for the message.
void checkFeatures(std::string_view features, std::string_view cpu,
                   const std::set<std::string> &flags);

} // namespace zrt
