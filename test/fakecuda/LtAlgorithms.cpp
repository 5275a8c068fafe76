//===- LtAlgorithms.cpp - The algorithms of products ----------------------===//
#include "LtAlgorithms.h"

#include "Driver.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

using namespace fakecuda;

static std::vector<LtAlgorithm> readAlgorithms() {
  const char *list = std::getenv("FAKE_CUDA_ALGORITHMS");
  std::istringstream text(list ? list : "1");
  std::vector<LtAlgorithm> all;
  for (std::string one; std::getline(text, one, ',');) {
    const size_t colon = std::min(one.find(':'), one.size());
    all.push_back({std::stod(one.substr(0, colon)),
                   colon == one.size() ? "" : one.substr(colon + 1)});
  }
  if (currentDevice() % 2 == 1)
    for (size_t i = 0; i < all.size() / 2; ++i)
      std::swap(all[i].milliseconds, all[all.size() - 1 - i].milliseconds);
  return all;
}

const std::vector<LtAlgorithm> &fakecuda::ltAlgorithms() {
  static const std::vector<LtAlgorithm> all = readAlgorithms();
  return all;
}

void fakecuda::noteMatmul(uint32_t algorithm, int64_t m, int64_t n, int64_t k) {
  pass(ltAlgorithms()[algorithm].milliseconds);
  if (const char *file = std::getenv("FAKE_CUDA_MATMULS")) {
    std::ostringstream line;
    line << algorithm << ' ' << currentDevice() << ' ' << m << ' ' << n << ' '
         << k << '\n';
    std::ofstream(file, std::ios::app) << line.str();
  }
}
