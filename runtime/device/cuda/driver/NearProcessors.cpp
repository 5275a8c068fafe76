//===- NearProcessors.cpp - The processors beside a GPU -------------------===//
#include "runtime/device/cuda/driver/NearProcessors.h"

#include "runtime/system/Processors.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

using namespace zrt;
using namespace zrt::cuda;

/// More processors than any machine has.
static constexpr int kMost = 1 << 20;

std::vector<int> cuda::numbersOf(std::string_view list) {
  std::vector<int> all;
  const char *at = list.data(), *const end = at + list.size();
  const auto read = [&](int &number) {
    const auto [rest, error] = std::from_chars(at, end, number);
    at = rest;
    return error == std::errc() && number >= 0 && number < kMost;
  };
  while (at != end) {
    int first = 0;
    if (!read(first))
      return {};
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!read(last))
        return {};
    }
    for (int number = first; number <= last; ++number)
      all.push_back(number);
    if (at != end && *at != ',')
      return {};
    if (at != end)
      ++at;
  }
  return all;
}

std::string cuda::stayNear(const Gpu &gpu, const std::string &devices) {
  const char *wanted = std::getenv("ZRT_NEAR_GPU");
  if (wanted && std::string_view(wanted) == "0")
    return "";
  std::ifstream file(fmt::format("{}/{}/local_cpulist", devices, gpu.place()));
  std::string list;
  std::getline(file, list);
  const std::vector<int> beside = numbersOf(list), mine = availableProcessors();
  std::vector<int> both;
  std::ranges::copy_if(mine, std::back_inserter(both), [&](int number) {
    return std::ranges::count(beside, number) != 0;
  });
  if (beside.empty() || both.size() == mine.size())
    return "";
  if (both.empty())
    return fmt::format("{} is beside the processors {}, to which this process "
                       "is not allowed; copies between them are slower",
                       gpu.name(), list);
  return useProcessors(both)
             ? fmt::format("the host uses {} of its {} processors, those "
                           "beside {}; ZRT_NEAR_GPU=0 lets it use all",
                           both.size(), mine.size(), gpu.name())
             : "";
}
