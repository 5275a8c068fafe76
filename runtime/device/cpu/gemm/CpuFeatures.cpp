//===- CpuFeatures.cpp - Features of this machine's processor -------------===//
//
// LLVM and Linux name most features the same way up to punctuation:
// "avx512vnni" is "avx512_vnni", "sse4.2" is "sse4_2".  The table has the other
// names.  An unknown name counts as missing: refusing is better than an illegal
// instruction in a kernel.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/gemm/CpuFeatures.h"

#include "numerics/Kernel16.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>

using namespace zrt;

namespace {

std::string bare(std::string_view name) {
  std::string result;
  for (char c : name)
    if (c != '_' && c != '-' && c != '.')
      result += c;
  return result;
}

/// LLVM's name and Linux's flag.  "" means that every x86-64 processor has the
/// feature, or that no instruction depends on it.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"sse3", "pni"},
    {"lzcnt", "abm"},
    {"sahf", "lahf_lm"},
    {"rdrnd", "rdrand"},
    {"pclmul", "pclmulqdq"},
    {"bmi", "bmi1"},
    {"sha", "sha_ni"},
    {"prfchw", "3dnowprefetch"},
    {"crc32", "sse4_2"},
    {"evex512", "avx512f"},
    {"x87", "fpu"},
    {"64bit", ""},
    {"64bit-mode", ""},
    {"cmov", ""},
    {"cx8", ""},
    {"fxsr", ""},
    {"mmx", ""},
    {"sse", ""},
    {"sse2", ""},
};

/// The levels of the x86-64 ABI above the baseline, best first.
constexpr std::pair<std::string_view, std::string_view> kLevels[] = {
    {"x86-64-v4",
     "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,avx512f,avx512bw,avx512cd,"
     "avx512dq,avx512vl"},
    {"x86-64-v3", "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe"},
    {"x86-64-v2", "cx16,sahf,popcnt,sse3,sse4.1,sse4.2,ssse3"},
};

/// Returns those of the comma-separated `features` that `flags` lack.
std::string lacking(std::string_view features,
                    const std::set<std::string> &flags) {
  std::string missing;
  forEachFeature(features, [&](std::string_view name) {
    if (hasFeature(flags, name))
      return;
    if (!missing.empty())
      missing += ", ";
    missing += name;
  });
  return missing;
}

} // namespace

std::set<std::string> zrt::cpuFlags() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("flags", 0) != 0)
      continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;)
      flags.insert(word);
    return flags;
  }
  return {};
}

bool zrt::hasFeature(const std::set<std::string> &flags,
                     std::string_view feature) {
  for (const auto &[ours, theirs] : kRenamed)
    if (ours == feature)
      return theirs.empty() || flags.count(std::string(theirs));
  const std::string wanted = bare(feature);
  return std::any_of(flags.begin(), flags.end(), [&](const std::string &flag) {
    return bare(flag) == wanted;
  });
}

void zrt::checkFeatures(std::string_view features, std::string_view cpu,
                        const std::set<std::string> &flags) {
  const std::string missing = lacking(features, flags);
  if (missing.empty())
    return;
  std::string_view best = "x86-64";
  for (const auto &[level, needs] : kLevels)
    if (lacking(needs, flags).empty()) {
      best = level;
      break;
    }
  fail("compiled for --cpu={}; this machine lacks {}; compile with --cpu={}",
       cpu, missing, best);
}
