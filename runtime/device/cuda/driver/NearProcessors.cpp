//===- NearProcessors.cpp - The processors beside a GPU -------------------===//
#include "runtime/device/cuda/driver/NearProcessors.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>

using namespace zrt;
using namespace zrt::cuda;

std::vector<int> cuda::numbersOf(std::string_view list) {
  std::vector<int> all;
  const char *at = list.data(), *const end = at + list.size();
  const auto read = [&](int &number) {
    const auto [rest, error] = std::from_chars(at, end, number);
    at = rest;
    return error == std::errc() && number >= 0 && number < CPU_SETSIZE;
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
    if (at != end && *at++ != ',')
      return {};
  }
  return all;
}

/// Returns the first line of a file about the device; "" if there is none.
static std::string lineOf(const std::string &device, const char *file) {
  std::ifstream stream(fmt::format("/sys/bus/pci/devices/{}/{}", device, file));
  std::string line;
  std::getline(stream, line);
  return line;
}

std::string cuda::stayNear(const Gpu &gpu) {
  const std::string device = gpu.place();
  const std::vector<int> all = numbersOf(lineOf(device, "local_cpulist"));
  cpu_set_t mine, near;
  CPU_ZERO(&near);
  if (all.empty() || sched_getaffinity(0, sizeof(mine), &mine) != 0)
    return "";
  for (const int number : all)
    if (CPU_ISSET(number, &mine))
      CPU_SET(number, &near);
  if (CPU_COUNT(&near) == 0)
    return fmt::format(
        "{} is beside the processors {}, to which this process is not allowed; "
        "copies between them are slower",
        gpu.name(), lineOf(device, "local_cpulist"));
  (void)sched_setaffinity(0, sizeof(near), &near);
  return "";
}
